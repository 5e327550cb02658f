import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { TrustFlags } from '../../terminal/options.ts';
import { parseRecording, type Recording, type StoredExchange } from '../recording.ts';
import { replay } from '../replay/replay.ts';
import { demandKeys, Restorer } from '../replay/restore.ts';
import { extractPackets } from './extract-packets.ts';
import { learnFile } from './learn-file.ts';
import { proveFile } from './prove-file.ts';
import { ReplayOutput } from './replay-output.ts';
import { readCodes, readKeys } from './replay-secrets.ts';
import { showRecording } from './show-recording.ts';
import { readFile, upstreamOf } from './upstream-options.ts';

export interface ReplayCommandOptions extends TrustFlags {
  readonly key?: readonly string[];
  readonly codes?: string;
  readonly pace: 'original' | 'fast';
  readonly volatile?: readonly string[];
  readonly keepHost?: boolean;
  readonly timeout: string;
  readonly extract?: string;
  readonly learn?: string;
  readonly deviceFile?: string;
  readonly json?: boolean;
}

/** Differs from run to run in every deployment (section 2.3). */
const ALWAYS_VOLATILE = ['scannedAt'];

/** Runs `replay` with the options of the command line. */
export async function replayFile(
  path: string,
  url: string | undefined,
  options: ReplayCommandOptions,
  io: CliIo,
): Promise<void> {
  const recording = parseRecording(readFile(path), path);
  if (recording.isTorn)
    io.err(`ticketscan: the last line of ${path} is incomplete and was skipped.`);
  const { exchanges } = recording;
  const { learn, deviceFile } = options;
  if (url !== undefined && (learn ?? deviceFile) !== undefined) {
    throw new TicketscanError(
      'usage',
      '--learn and --device-file read the recording without a server: leave the address out.',
    );
  }
  if (learn !== undefined) learnFile(exchanges, path, learn, io);
  else if (deviceFile !== undefined) proveFile(exchanges, deviceFile, options.json === true, io);
  else if (options.extract !== undefined) extractPackets(exchanges, options.extract, options, io);
  else if (url === undefined) showRecording(recording, options.json === true, io);
  else await send(recording, url, options, io);
}

async function send(
  { exchanges }: Recording,
  url: string,
  options: ReplayCommandOptions,
  io: CliIo,
) {
  const upstream = upstreamOf(url, options, io);
  const whole = exchanges.filter(({ request }) => request.whole && request.head !== '');
  const keys = readKeys(options.key ?? [], labelsIn(whole), io);
  demandKeys(labelsIn(whole), keys);
  const restorer = new Restorer(keys, readCodes(options.codes));
  await upstream.probe();
  const output = new ReplayOutput(io, options.json === true, exchanges.length - whole.length);
  await replay(
    whole,
    {
      upstream,
      restorer,
      pace: options.pace,
      keepHost: options.keepHost === true,
      volatile: new Set([...ALWAYS_VOLATILE, ...(options.volatile ?? [])]),
      timeoutMs: milliseconds(options.timeout),
      signal: io.stopSignal(),
    },
    (replayed) => output.tell(replayed),
  );
  io.exit(output.end(whole.length) ? 0 : 1);
}

function labelsIn(exchanges: readonly StoredExchange[]): Set<string> {
  return new Set(exchanges.flatMap(({ keys }) => keys));
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
/** Below the longest time of a timer. */
const TIMEOUT_MS_MAX = 9_999_999;

function milliseconds(text: string): number {
  const [, number, unit = 'ms'] = /^(\d{1,7})(ms|s|m)?$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms > 0 && ms <= TIMEOUT_MS_MAX) return ms;
  throw new TicketscanError(
    'usage',
    `--timeout must be a duration such as 10s or 500ms, not "${text}".`,
  );
}
