import { setTimeout as wait } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { givenVariable } from '../../config/given-value.ts';
import type { CliIo } from '../../terminal/io.ts';
import { durationFor, TRUST_TARGET } from '../../terminal/options.ts';
import {
  type CheckOptions,
  type CheckResult,
  CheckUsageError,
  check,
  exitCodeOf,
  type Target,
  type TicketKind,
  UnreachableError,
} from '../index.ts';
import type { ReachFlags } from './explore-options.ts';
import { addReachOptions, asCommand, flagsOf, reachOptions } from './explore-options.ts';
import { readTargetFile } from './files.ts';

interface MonitorFlags extends ReachFlags {
  readonly target?: string;
  readonly trustTarget?: boolean;
  readonly once?: boolean;
  readonly every: number;
  readonly json?: boolean;
}

/** What a monitor found. */
interface Probe {
  readonly at: string;
  readonly result: 'good' | 'deviates' | 'unreachable';
  readonly target: string;
  readonly durationMs: number;
  readonly passed: number;
  readonly failed: readonly Seen[];
  readonly warned: readonly Seen[];
  /** Cases that were not asked, or got no answer. */
  readonly skipped: readonly Seen[];
  /** Why nothing could be asked. */
  readonly error?: string;
}

interface Seen {
  readonly id: string;
  readonly observed: string;
}

type ProbeOptions = CheckOptions & { readonly target: Target; readonly signal: AbortSignal };

const EVERY_MIN_MS = 1000;
const EXIT_CODES = { good: 0, deviates: 1, unreachable: 3 } as const;

/** The least likely to be used up first. */
const GOOD_KINDS: readonly (readonly [TicketKind, string])[] = [
  ['permanent', 'permanent'],
  ['hundred', 'hundred'],
  ['multi', 'multi'],
  ['openEnd', 'open-end'],
  ['single', 'single'],
  ['personalised', 'personalised'],
  ['windowed', 'windowed'],
];

const EXAMPLES = `
Examples:
  ticketscan check monitor https://scan.example.org --target target.json
  ticketscan check monitor --target target.json --once          for cron
  ticketscan check monitor --target target.json --every 5m --json

A probe validates one good ticket and one manipulated code and sends a heartbeat, each where the target file has what it
needs: a key, and a ticket that stays unused, such as a permanent card. It takes no use. Its validations count towards
the monthly quota of the keys: about 4 a probe for the key of own software, 1 for the hardware key.
Exit codes of --once: 0 good, 1 the answers are wrong, 2 wrong usage, 3 the service cannot be reached.
Without --once it goes on until Ctrl-C, which ends it with 0.`;

/** `ticketscan check monitor`: a few questions that take no use, again and again. */
export function monitorCommand(io: CliIo): Command {
  const command = new Command('monitor')
    .description('Probe a service every minute with scans that take no use, until Ctrl-C.')
    .argument('[base-url]', "the service (default: the target file's baseUrl)")
    .option('--target <file>', 'keys and tickets of the deployment [TICKETSCAN_TARGET]')
    .option(...TRUST_TARGET)
    .option('--once', 'one probe, with its result as exit code')
    .addOption(
      new Option('--every <duration>', 'time between two probes')
        .argParser(durationFor('--every', { from: EVERY_MIN_MS }))
        .default(60_000, '1m'),
    )
    .option('--json', 'one JSON object a line for each probe');
  return addReachOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((baseUrl: string | undefined, _: object, self: Command) =>
      asCommand(() => run(baseUrl, flagsOf<MonitorFlags>(self), io)),
    );
}

async function run(baseUrl: string | undefined, flags: MonitorFlags, io: CliIo): Promise<void> {
  const file = flags.target ?? givenVariable(io.env, 'TICKETSCAN_TARGET');
  if (file === undefined) {
    throw new CheckUsageError(
      'A probe needs keys and a ticket: add --target FILE. `ticketscan check init` makes such a file.',
    );
  }
  const signal = io.stopSignal();
  const { trustTarget } = flags;
  const target = readTargetFile(file, { named: baseUrl, trustTarget }, io);
  const options = { baseUrl, target, signal, ...reachOptions(flags, io) };
  const tell = (found: Probe) =>
    io.out(flags.json ? JSON.stringify({ event: 'probe', ...found }) : lineOf(found));
  if (flags.once) {
    const found = await probe(options);
    tell(found);
    return io.exit(EXIT_CODES[found.result]);
  }
  while (!signal.aborted) {
    const beganAt = performance.now();
    const found = await probe(options);
    // What the signal cut short says nothing of the server.
    if (signal.aborted) return;
    tell(found);
    const restMs = Math.max(0, flags.every - (performance.now() - beganAt));
    await wait(restMs, undefined, { signal }).catch(() => {});
  }
}

/** Asks a service a few questions that take no use. @throws CheckUsageError for a target without a key or an address */
async function probe(options: ProbeOptions): Promise<Probe> {
  const beganAt = performance.now();
  const { target } = options;
  const where = String(options.baseUrl ?? target.baseUrl ?? '');
  const base = { at: new Date().toISOString(), target: where };
  const none = { passed: 0, failed: [], warned: [], skipped: [] };
  const took = () => ({ durationMs: Math.round(performance.now() - beganAt) });
  try {
    const result = await check({ ...options, only: questions(target, where) });
    return { ...base, target: result.target, ...took(), ...foundIn(result) };
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return { ...base, ...took(), ...none, result: 'unreachable', error: error.message };
  }
}

function foundIn(result: CheckResult): Omit<Probe, 'at' | 'target' | 'durationMs'> {
  const { passed } = result.totals;
  const ended = (...outcomes: string[]): Seen[] =>
    result.cases
      .filter(({ outcome }) => outcomes.includes(outcome))
      .map(({ id, observed, reason }) => ({ id, observed: observed ?? reason ?? '' }));
  const error = result.brokenOff ?? result.preflight?.observed;
  const code = exitCodeOf(result);
  return {
    result: code === 3 ? 'unreachable' : code === 0 && passed > 0 ? 'good' : 'deviates',
    passed,
    failed: ended('failed', 'follows'),
    warned: ended('warned'),
    skipped: ended('skipped', 'unanswered'),
    ...(error === undefined ? {} : { error }),
  };
}

/** The cases that a target can be asked. @throws CheckUsageError when there is none */
function questions({ keys, tickets }: Target, where: string): string[] {
  const good = GOOD_KINDS.find(([kind]) => (tickets[kind] ?? []).length > 0)?.[1];
  const cases = [
    ...(keys.rest && good ? [`4/good-ticket{${good}}@validate`] : []),
    ...(keys.rest && good ? ['2.2/forged-code{signature-last-letter}@validate'] : []),
    ...(keys.hardware && good ? [`4/good-ticket{${good}}@hw/validate`] : []),
    ...(keys.hardware ? ['4.5/answers'] : []),
  ];
  if (cases.length === 0) {
    throw new CheckUsageError(
      'A probe needs keys.hardware in the target file, or keys.rest and a good ticket such as tickets.permanent.',
    );
  }
  return where.startsWith('https:') ? [...cases, '1/certificate-lasts'] : cases;
}

/** One line for people. */
function lineOf({ at, result, target, durationMs, error, ...found }: Probe): string {
  const named = (word: string, all: readonly Seen[]) =>
    all.map(({ id, observed }) => `; ${word} ${id}: ${observed}`).join('');
  const why = error === undefined ? '' : `; ${error}`;
  const details = `${named('failed', found.failed)}${named('warning', found.warned)}${named('not asked', found.skipped)}`;
  return `${at}  ${result.padEnd(11)}  ${target}  ${found.passed} passed, ${durationMs} ms${why}${details}`;
}
