import { Command, InvalidArgumentError, Option } from 'commander';
import { DAY_MS } from '../../kit/durations.ts';
import { counted } from '../../kit/text.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { durationFor, FORCE } from '../../terminal/options.ts';
import { showResult } from '../../terminal/results.ts';
import { REQUESTS_TOGETHER_MAX } from '../explore/history.ts';
import { compare, type ExploreResult, type ExploreStart, explore, replay } from '../index.ts';
import { comparisonLines, explorationLines, replayLines } from './exploration-text.ts';
import {
  addConnectOptions,
  asCommand,
  type ConnectFlags,
  connectOptions,
  flagsOf,
  wholeNumber,
} from './explore-options.ts';
import { checkReportFile, readJsonFile, writeReportFile } from './files.ts';
import { withFreshTickets } from './fresh-tickets.ts';
import { counterOf } from './progress.ts';

interface ExploreFlags extends ConnectFlags {
  readonly baseUrl: string | undefined;
  readonly seed?: number;
  readonly budget: number;
  readonly parallel?: number | true;
  readonly soak?: number;
  readonly save?: string;
  readonly force?: boolean;
  readonly replay?: string;
  readonly against?: string;
}

const EXAMPLES = `
Examples:
  ticketscan check explore --target target.json --consume
  ticketscan check explore --target target.json --consume --seed 4711 --budget 5000
  ticketscan check explore --target target.json --consume --parallel 64 --save fault.json
  ticketscan check explore --target target.json --consume --replay fault.json     is it fixed?
  ticketscan check explore --target old.json --consume --against new.json         how do they differ?
  ticketscan check explore --target target.json --consume --soak 10m --max-rate 40

Without --consume no use is taken. It stays below the rate limits of section 8.
Exit codes: 0 nothing found, FIXED, or no stated difference; 1 a fault was found, FAILED, or a stated difference;
2 wrong usage, or a replay without a result; 3 nothing found but connections lost, or nobody there; 130 Ctrl-C.`;

/** `ticketscan check explore`: random histories, compared with a model of the specification, or with a second service. */
export function exploreCommand(io: CliIo): Command {
  const command = new Command('explore')
    .description('Send random histories to a service, and shrink a fault to a few steps.')
    .argument('[base-url]', "the service (default: the target file's baseUrl)")
    .option('--seed <number>', 'the same seed makes the same requests (default: random)', seedFrom)
    .option(
      '--budget <number>',
      'requests to find a fault, and the same number to shrink it; to each service with --against',
      wholeNumber,
      2000,
    )
    .option(
      '--parallel [number]',
      'requests at once: 1 to 64 (default: 16; 64 without a number)',
      requestsTogether,
    )
    .option(
      '--soak <time>',
      'run for this time, such as 10m, instead of a budget',
      durationFor('--soak', { to: 36_500 * DAY_MS }),
    )
    .option(
      '--save <file>',
      'file for a fault, for --replay (default: ticketscan-explore-SEED.json)',
    )
    .option(...FORCE)
    .addOption(
      new Option(
        '--replay <file>',
        'run only a saved history again, on fresh tickets: FIXED or FAILED',
      ).conflicts(['against', 'seed', 'budget', 'parallel', 'soak', 'save']),
    )
    .addOption(
      new Option(
        '--against <target>',
        'send the same to the service of a second target file, and report how the two differ',
      ).conflicts(['soak', 'save', 'token', 'adminUrl', 'store', 'keyring', 'mintEvent']),
    );
  addConnectOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action((baseUrl: string | undefined, _: object, self: Command) =>
      asCommand(() => run({ ...flagsOf<ExploreFlags>(self), baseUrl }, io)),
    );
}

function run(flags: ExploreFlags, io: CliIo): Promise<void> {
  if (flags.replay !== undefined) return runReplay(flags.replay, flags, io);
  return flags.against === undefined ? runExplore(flags, io) : runAgainst(flags.against, flags, io);
}

async function runExplore(flags: ExploreFlags, io: CliIo): Promise<void> {
  const named = flags.save ?? (flags.seed === undefined ? undefined : savedName(flags.seed));
  if (named !== undefined) checkReportFile(named, flags);
  const options = connectOptions(flags.baseUrl, flags, io);
  const progress = counterOf(io);
  await withFreshTickets(io, flags, options, async (mint) => {
    const result = await explore({
      ...options,
      ...sizeOf(flags),
      mint,
      soakMs: flags.soak,
      onStart: (start) => announce(start, flags, io),
      onProgress: (requests, phase) =>
        progress.show(`${requests} requests${phase === 'shrink' ? ', shrinking' : ''}`),
    }).finally(progress.end);
    const saved = save(result, flags);
    showResult(io, flags, result, explorationLines(result, saved));
    if (flags.json && saved !== undefined) note(io, `Saved ${saved}.`);
    io.exit(EXIT_CODES[result.verdict]);
  });
}

async function runReplay(file: string, flags: ExploreFlags, io: CliIo): Promise<void> {
  const history = readJsonFile(file);
  const options = connectOptions(flags.baseUrl, flags, io);
  await withFreshTickets(io, flags, options, async (mint) => {
    const result = await replay({
      ...options,
      mint,
      history,
      onStart: (tries, requests) =>
        note(io, `Up to ${counted(tries, 'try', 'tries')}, ${counted(requests, 'request')}.`),
    });
    showResult(io, flags, result, replayLines(result));
    io.exit(EXIT_CODES[result.verdict]);
  });
}

async function runAgainst(target: string, flags: ExploreFlags, io: CliIo): Promise<void> {
  const result = await compare({
    ...sizeOf(flags),
    a: connectOptions(flags.baseUrl, flags, io),
    b: connectOptions(undefined, { ...flags, target }, io),
    signal: io.stopSignal(),
    onStart: (start, origin) => {
      note(io, `${origin}:`);
      announce(start, flags, io);
    },
  });
  showResult(io, flags, result, comparisonLines(result));
  io.exit(EXIT_CODES[result.verdict]);
}

const EXIT_CODES = {
  'nothing-found': 0,
  deviates: 1,
  incomplete: 3,
  fixed: 0,
  failed: 1,
  'lacks-tickets': 2,
  'cannot-tell': 2,
  alike: 0,
  differ: 1,
  stopped: 130,
} as const;

function sizeOf({ seed, budget, parallel }: ExploreFlags) {
  return { seed, budget, parallel: parallel === true ? REQUESTS_TOGETHER_MAX : parallel };
}

/** A fault that is not saved may never come back, so it is saved unasked. @returns the file */
function save({ seed, failure }: ExploreResult, flags: ExploreFlags): string | undefined {
  if (!failure) return undefined;
  const file = flags.save ?? savedName(seed);
  writeReportFile(file, `${JSON.stringify(failure.history, null, 2)}\n`, flags);
  return file;
}

function savedName(seed: number): string {
  return `ticketscan-explore-${seed}.json`;
}

/** Says what a run may send and spend, before it sends anything. */
function announce(start: ExploreStart, { consume }: ExploreFlags, io: CliIo): void {
  const { seed, requests, monthPercent, uses, byKind } = start;
  note(io, `Seed ${seed}. At most ${requests} requests, ${monthPercent} % of a key's month.`);
  if (!consume) {
    note(io, 'No use is taken: --consume was not given.');
    return;
  }
  const parts = byKind.map((one) => `${one.uses} of ${one.tickets} ${one.kind}`);
  note(io, `They may take up to ${uses} uses; uses of tickets: ${parts.join(', ')}.`);
}

function seedFrom(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed < 2 ** 32) return seed;
  throw new InvalidArgumentError('It must be a whole number from 0 to 4294967295.');
}

function requestsTogether(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= REQUESTS_TOGETHER_MAX) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${REQUESTS_TOGETHER_MAX}.`);
}
