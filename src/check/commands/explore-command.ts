import { Command, InvalidArgumentError } from 'commander';
import { type CliIo, note } from '../../terminal/io.ts';
import { type ExploreResult, type ExploreStart, explore } from '../index.ts';
import { explorationText } from './exploration-text.ts';
import {
  addConnectOptions,
  asCommand,
  type ConnectFlags,
  connectOptions,
  duration,
  flagsOf,
  wholeNumber,
} from './explore-options.ts';
import { writeReportFile } from './files.ts';
import { withMinter } from './minter.ts';
import { counterOf } from './progress.ts';

interface ExploreFlags extends ConnectFlags {
  readonly seed?: number;
  readonly budget: number;
  readonly parallel?: number | true;
  readonly soak?: number;
  readonly save?: string;
}

const AT_ONCE_MAX = 64;

const EXAMPLES = `
Examples:
  ticketscan check explore --target target.json --consume
  ticketscan check explore --target target.json --consume --seed 4711 --budget 5000
  ticketscan check explore --target target.json --consume --parallel 64 --save fault.json
  ticketscan check explore --target target.json --consume --soak 10m --max-rate 40
  ticketscan check replay fault.json --target target.json --consume

Without --consume no use is taken. It stays below the rate limits of section 8.
Exit codes: 0 nothing found, 1 a fault was found, 2 wrong usage, 3 the service cannot be reached, 130 Ctrl-C.`;

/** `ticketscan check explore`: random histories, held against a model of the specification. */
export function exploreCommand(io: CliIo): Command {
  const command = new Command('explore')
    .description('Send random histories to a service, and shrink a fault to a few steps.')
    .argument('[base-url]', "the service (default: the target file's baseUrl)")
    .option('--seed <number>', 'the same seed makes the same requests (default: random)', seedFrom)
    .option(
      '--budget <number>',
      'requests to find a fault, and the same number to shrink it',
      wholeNumber,
      2000,
    )
    .option(
      '--parallel [number]',
      'requests at once: 1 to 64 (default: 16; 64 without a number)',
      atOnce,
    )
    .option('--soak <time>', 'run for this time, such as 10m, instead of a budget', duration)
    .option('--save <file>', 'file for a fault, for check replay; a script is saved beside it');
  addConnectOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action((baseUrl: string | undefined, _: object, self: Command) =>
      asCommand(() => run(baseUrl, flagsOf<ExploreFlags>(self), io)),
    );
}

async function run(baseUrl: string | undefined, flags: ExploreFlags, io: CliIo): Promise<void> {
  const options = connectOptions(baseUrl, flags, io);
  const progress = counterOf(io);
  await withMinter(io, flags, options, async (mint) => {
    const result = await explore({
      ...options,
      mint,
      seed: flags.seed,
      budget: flags.budget,
      parallel: flags.parallel === true ? AT_ONCE_MAX : flags.parallel,
      soakMs: flags.soak,
      onStart: (start) => announce(start, flags, io),
      onProgress: (requests, phase) =>
        progress.show(`${requests} requests${phase === 'shrink' ? ', shrinking' : ''}`),
    }).finally(progress.end);
    const files = result.failure === null ? [] : save(result, flags.save);
    if (flags.json) io.out(JSON.stringify(result, null, 2));
    else io.stdout.write(explorationText(result, files));
    for (const file of flags.json ? files : []) note(io, `Saved ${file}.`);
    io.exit(exitCode(result));
  });
}

function exitCode({ verdict }: ExploreResult): 0 | 1 | 130 {
  if (verdict === 'deviates') return 1;
  return verdict === 'stopped' ? 130 : 0;
}

/** A fault that is not saved may never come back, so it is saved unasked. */
function save({ seed, failure }: ExploreResult, wanted: string | undefined): string[] {
  if (!failure) return [];
  const file = wanted ?? `ticketscan-explore-${seed}.json`;
  const script = `${file.replace(/\.json$/, '')}.sh`;
  writeReportFile(file, `${JSON.stringify(failure.history, null, 2)}\n`);
  writeReportFile(script, failure.script);
  return [file, script];
}

/** Says what a run may send and spend, before it sends anything. */
export function announce(
  start: ExploreStart,
  { consume }: { readonly consume?: boolean },
  io: CliIo,
): void {
  const { seed, requests, monthPercent, uses, byKind } = start;
  note(io, `Seed ${seed}. At most ${requests} requests, ${monthPercent} % of a key's month.`);
  if (!consume) {
    note(io, 'No use is taken: --consume was not given.');
    return;
  }
  const parts = byKind.map((one) => `${one.uses} of ${one.tickets} ${one.kind}`);
  note(io, `They may take up to ${uses} uses; uses of tickets: ${parts.join(', ')}.`);
}

export function seedFrom(text: string): number {
  const seed = Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) return seed;
  throw new InvalidArgumentError('It must be a whole number from 0 to 4294967295.');
}

export function atOnce(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= AT_ONCE_MAX) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${AT_ONCE_MAX}.`);
}
