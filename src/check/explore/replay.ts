import { TransportFailure, UnreachableError } from '../deviation.ts';
import { CheckUsageError } from '../target.ts';
import { redactorOf } from './explore.ts';
import { needsConsent, requestsIn } from './history.ts';
import { readSavedHistory } from './history-file.ts';
import { knock } from './knock.ts';
import type { Violation } from './model/violation.ts';
import { type Connected, type ConnectOptions, connect } from './options.ts';
import { storyOf } from './report/story.ts';
import { type Attempt, runHistory } from './run-history.ts';
import { LacksTickets, TicketPool } from './tickets.ts';

/** What came back at every try, without requests at once, is tried once; a race is tried so often. */
const TRIES_OF_RACES = 20;
/** Tickets that turn out to be used up are no try; after so many, the target is to blame. */
const STALE_MAX = 100;

export interface ReplayOptions extends ConnectOptions {
  /** The parsed file that `check explore` saved. */
  readonly history: unknown;
  /** Called before the first request. */
  readonly onStart?: ((tries: number, requests: number) => void) | undefined;
}

/** What became of a saved fault. */
export interface ReplayResult {
  readonly target: string;
  /** `lacks-tickets`: too few unused tickets to tell. */
  readonly verdict: 'fixed' | 'failed' | 'lacks-tickets';
  /** Tries on fresh tickets. */
  readonly tries: number;
  readonly triesWanted: number;
  readonly requests: number;
  /** The rule that the answers broke, now or when the file was saved. */
  readonly rule: string;
  readonly expected: string | null;
  readonly observed: string | null;
  readonly story: readonly string[];
  /** What the target lacks; null when it lacks nothing. */
  readonly lacking: string | null;
}

/**
 * Runs a saved history again, each time on fresh tickets, until the fault comes back.
 * @throws CheckUsageError when the options or the file make no sense
 * @throws UnreachableError when nobody answers
 */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const saved = readSavedHistory(options.history);
  if (!options.consume && saved.groups.some(({ steps }) => steps.some(needsConsent)))
    throw new CheckUsageError('This history may spend uses of tickets: add --consume.');
  const connected = connect(options);
  const triesWanted = saved.isCertain ? 1 : TRIES_OF_RACES;
  options.onStart?.(triesWanted, triesWanted * requestsIn(saved.groups));
  try {
    await knock(connected.runner, connected.target.keys.hardware !== undefined);
    const outcome = await tryUntilItFails(saved.groups, triesWanted, connected, options);
    return resultOf(outcome, saved, triesWanted, connected);
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    throw new UnreachableError(`${connected.baseUrl.origin} stopped answering: ${error.message}.`, {
      cause: error,
    });
  } finally {
    connected.runner.close();
  }
}

interface Outcome {
  readonly tries: number;
  readonly last: Attempt | undefined;
  readonly violation?: Violation;
  readonly lacking?: string | undefined;
}

async function tryUntilItFails(
  history: Attempt['history'],
  triesWanted: number,
  { runner, target }: Connected,
  options: ReplayOptions,
): Promise<Outcome> {
  const pool = new TicketPool(target, options.mint);
  let tries = 0;
  let last: Attempt | undefined;
  for (let stale = 0; tries < triesWanted && stale < STALE_MAX; ) {
    const attempt = await attemptOrLack(history, runner, pool);
    if (attempt instanceof LacksTickets) return { tries, last, lacking: attempt.message };
    last = attempt;
    if (attempt.isStale) stale += 1;
    else tries += 1;
    if (attempt.violation) return { tries, last, violation: attempt.violation };
  }
  const lacking = 'the tickets that the target calls unused are used up';
  return { tries, last, lacking: tries < triesWanted ? lacking : undefined };
}

async function attemptOrLack(
  history: Attempt['history'],
  runner: Connected['runner'],
  pool: TicketPool,
): Promise<Attempt | LacksTickets> {
  try {
    return await runHistory(history, runner, pool);
  } catch (error) {
    if (error instanceof LacksTickets) return error;
    throw error;
  }
}

function resultOf(
  { tries, last, violation, lacking }: Outcome,
  saved: { readonly rule: string; readonly groups: Attempt['history'] },
  triesWanted: number,
  { baseUrl, runner, target }: Connected,
): ReplayResult {
  const redactor = redactorOf(target);
  const clean = (text: string | undefined) => (text === undefined ? null : redactor.redact(text));
  const notFailed = lacking === undefined ? 'fixed' : 'lacks-tickets';
  return {
    target: baseUrl.href,
    verdict: violation ? 'failed' : notFailed,
    tries,
    triesWanted,
    requests: runner.requests,
    rule: violation?.rule ?? saved.rule,
    expected: clean(violation?.expected),
    observed: clean(violation?.observed),
    story: storyOf(last?.history ?? saved.groups, last?.trace).map((line) => redactor.redact(line)),
    lacking: lacking ?? null,
  };
}
