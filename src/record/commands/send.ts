import { statusOf } from '../../kit/http1.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { type TrustFlags, trustFrom } from '../../terminal/options.ts';
import { Upstream } from '../proxy/upstream.ts';
import { type Replayed, replay } from '../replay/replay.ts';
import { demandKeys, Restorer } from '../secrets/placeholders.ts';
import { labelsIn, readCodes, readKeys, readRecording } from './inputs.ts';
import { exchangeFacts } from './texts.ts';

interface SendOptions extends TrustFlags {
  readonly key?: readonly string[];
  readonly codes?: string;
  readonly pace: 'original' | 'fast';
  readonly volatile?: readonly string[];
  readonly keepHost?: true;
  readonly timeout: number;
  readonly json?: true;
}

/** Differs from run to run in every deployment (section 2.3). */
const ALWAYS_VOLATILE = ['scannedAt'];

/** `record send`: sends a recording to a server, and compares the answers. */
export async function sendRecording(
  path: string,
  url: string,
  options: SendOptions,
  io: CliIo,
): Promise<void> {
  const { exchanges } = readRecording(path, io);
  const upstream = new Upstream(url, trustFrom(options, io));
  const whole = exchanges.filter(({ request }) => request.whole && request.head !== '');
  const keys = readKeys(options.key ?? [], labelsIn(whole), io);
  demandKeys(labelsIn(whole), keys);
  const restorer = new Restorer(keys, readCodes(options.codes));
  await upstream.probe();
  const counts = { same: 0, different: 0 };
  await replay(
    whole,
    {
      upstream,
      restorer,
      pace: options.pace,
      keepHost: options.keepHost === true,
      volatile: new Set([...ALWAYS_VOLATILE, ...(options.volatile ?? [])]),
      timeoutMs: options.timeout,
      signal: io.stopSignal(),
    },
    (replayed) => {
      counts[replayed.differences.length === 0 ? 'same' : 'different'] += 1;
      for (const line of options.json ? [eventOf(replayed)] : linesOf(replayed)) io.out(line);
    },
  );
  const { same, different } = counts;
  const skipped = exchanges.length - whole.length;
  const stopped = whole.length - same - different;
  io.out(
    options.json
      ? JSON.stringify({ event: 'summary', same, different, skipped, stopped })
      : `${counted(same, 'answer')} as recorded, ${different} different` +
          `${skipped === 0 ? '' : `, ${skipped} left out (incomplete)`}${stopped === 0 ? '' : `, ${stopped} not sent`}.`,
  );
  io.exit(different === 0 && stopped === 0 ? 0 : 1);
}

function eventOf({ exchange, answer, differences }: Replayed): string {
  const { number, model, method, path } = exchangeFacts(exchange);
  const status = 'failure' in answer ? null : statusOf(answer.head);
  const same = differences.length === 0;
  const facts = { number, model, method, path, status, same, differences };
  return JSON.stringify({ event: 'replayed', ...facts });
}

function linesOf({ exchange, differences }: Replayed): string[] {
  if (differences.length === 0) return [];
  const { number, model, method, path } = exchangeFacts(exchange);
  return [
    `${String(number).padStart(4)}  ${model}  ${method} ${path}`,
    ...differences.map(
      ({ what, recorded = 'nothing', now = 'nothing' }) => `      ${what}: ${recorded} → ${now}`,
    ),
  ].map(sanitizeForTerminal);
}
