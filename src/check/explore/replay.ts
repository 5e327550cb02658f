import { CONNECT_OPTIONS, type Known, refuseUnknownOptions } from '../deployment/known-options.ts';
import { CheckUsageError } from '../deployment/target.ts';
import { REAL_WORLD } from '../requests/real-world.ts';
import type { World } from '../requests/world.ts';
import { type Attempt, runHistory, TRIES, timesUnanswered, UNANSWERED_MIN } from './attempt.ts';
import {
  needsConsent,
  readSavedHistory,
  requestsIn,
  type SavedHistory,
  stepsIn,
} from './history.ts';
import { isNoAnswer, type Violation } from './observation.ts';
import { redactorOf } from './report.ts';
import { type ConnectOptions, isStop, Runner, withRunner } from './runner.ts';
import { storyOf } from './story.ts';
import { LacksTickets, TicketPool } from './tickets.ts';

/** A race, and what did not come back at every try, is tried so often. */
const TRIES_OF_RACES = 20;
const TRIES_OF_OTHERS = 2;
/** So many of the first tries; a fault that counts requests might otherwise fall on the same ones again and again. */
const LOOKING_TRIES = TRIES_OF_RACES / 2;
/** Attempts with tickets that turn out to be used up do not count; after this number of them the target lacks tickets. */
const STALE_MAX = 100;
const STALE = 'tickets that the target calls unused are used';
/** Nor do those that lost a connection, as long as there are fewer. */
const LOSSES_MAX = TRIES_OF_RACES;
const LOSSY = `in ${LOSSES_MAX} more the connection was lost`;

/** How a saved story is asked again. */
export interface ReplayOptions extends ConnectOptions {
  /** The parsed file that `check explore` saved. */
  readonly history: unknown;
  /** Called before the first request. */
  readonly onStart?: ((tries: number, requests: number) => void) | undefined;
}

/** What became of a saved fault. */
export interface ReplayResult {
  readonly target: string;
  /** `lacks-tickets`: too few unused tickets to decide. `cannot-tell`: no fault now, but it never came back before either, or the rate limit that it needs refused nothing. `incomplete`: too many connections were lost. */
  readonly verdict: 'fixed' | 'failed' | 'lacks-tickets' | 'cannot-tell' | 'incomplete' | 'stopped';
  /** Tries on fresh tickets. */
  readonly tries: number;
  readonly triesWanted: number;
  readonly requests: number;
  /** The rule that the answers broke, now or when the file was saved. */
  readonly rule: string;
  /** The rule that they broke when the file was saved. */
  readonly savedRule: string;
  readonly expected: string | null;
  readonly observed: string | null;
  readonly story: readonly string[];
  /** What the target, or the line to it, lacks; null when nothing does. */
  readonly lacking: string | null;
}

const REPLAY_OPTIONS: Known<ReplayOptions> = { ...CONNECT_OPTIONS, history: true, onStart: true };

/**
 * Runs a saved history again, each time on fresh tickets, until the fault comes back.
 * @throws CheckUsageError when the options or the file make no sense
 * @throws UnreachableError when there is no answer
 */
export function replay(options: ReplayOptions): Promise<ReplayResult> {
  return replayIn(REAL_WORLD, options);
}

/** The same in another world than this machine's, for tests: `replay` has the options and what is thrown. */
export async function replayIn(world: World, options: ReplayOptions): Promise<ReplayResult> {
  refuseUnknownOptions('replay', options, REPLAY_OPTIONS);
  const saved = readSavedHistory(options.history);
  if (!options.consume && stepsIn(saved.groups).some(needsConsent))
    throw new CheckUsageError('This history may take uses of tickets: add --consume.');
  const runner = new Runner(options, world);
  refuseWithoutKeys(saved, runner);
  const triesWanted = saved.isCertain ? TRIES_OF_OTHERS : TRIES_OF_RACES;
  options.onStart?.(triesWanted, triesWanted * requestsIn(saved.groups));
  return withRunner(runner, async () => {
    const tried = await tryUntilItFails(saved, triesWanted, runner, options);
    return { ...resultOf(tried, saved, runner), triesWanted };
  });
}

/** Without a key that the history names, something else would be sent. @throws CheckUsageError */
function refuseWithoutKeys({ groups }: SavedHistory, { target: { keys } }: Runner): void {
  const missing = stepsIn(groups)
    .map(({ key }) => key)
    .filter((key) => key !== 'missing' && key !== 'unknown' && keys[key] === undefined);
  if (missing.length > 0)
    throw new CheckUsageError(
      `The history needs keys that the target does not have: ${[...new Set(missing)].join(', ')}.`,
    );
}

/** What the tries showed. */
interface Tried {
  readonly tries: number;
  readonly last?: Attempt | undefined;
  readonly violation?: Violation;
  readonly lacking?: string;
  readonly isLossy?: true;
  readonly isStopped?: true;
}

async function tryUntilItFails(
  { groups }: SavedHistory,
  triesWanted: number,
  runner: Runner,
  { mint }: ReplayOptions,
): Promise<Tried> {
  const pool = new TicketPool(runner.target, mint);
  const attempts: Attempt[] = [];
  try {
    await runner.preflight();
    for (;;) {
      const { tries, isOver, ...ended } = stateOf(attempts);
      if (isOver || tries >= triesWanted) return { tries, ...ended };
      // a server that remembers may call a used ticket new: every second try looks at the tickets before
      const looksFirst = tries < LOOKING_TRIES && tries % 2 === 1;
      attempts.push(await runHistory(groups, runner, pool, looksFirst));
    }
  } catch (error) {
    const { tries, last } = stateOf(attempts);
    if (error instanceof LacksTickets) return { tries, last, lacking: error.message };
    if (isStop(error)) return { tries, last, isStopped: true };
    throw error;
  }
}

/** What the attempts so far showed, and whether further ones are of no use. */
function stateOf(attempts: readonly Attempt[]): Tried & { readonly isOver?: true } {
  const last = attempts.at(-1);
  const violation = last?.violation;
  const stale = attempts.filter(({ isStale }) => isStale).length;
  const lost = attempts.filter((one) => one.violation && isNoAnswer(one.violation)).length;
  const tries = attempts.length - stale - lost;
  if (violation && isFault(violation, attempts))
    return { tries: tries + lost, last, violation, isOver: true };
  if (lost === LOSSES_MAX) return { tries, last, lacking: LOSSY, isLossy: true, isOver: true };
  if (stale === STALE_MAX) return { tries, last, lacking: STALE, isOver: true };
  return { tries, last };
}

/** True for a lost connection only where it comes back. */
function isFault(violation: Violation, attempts: readonly Attempt[]): boolean {
  return !isNoAnswer(violation) || timesUnanswered(attempts.slice(-TRIES)) >= UNANSWERED_MIN;
}

function verdictOf({ violation, lacking, isLossy, isStopped }: Tried, isProof: boolean) {
  if (violation) return 'failed';
  if (isLossy) return 'incomplete';
  if (isStopped) return 'stopped';
  if (lacking !== undefined) return 'lacks-tickets';
  return isProof ? 'fixed' : 'cannot-tell';
}

function resultOf(
  tried: Tried,
  saved: SavedHistory,
  { baseUrl, target, requests, limited }: Runner,
): Omit<ReplayResult, 'triesWanted'> {
  const { tries, last, violation, lacking = null } = tried;
  const redactor = redactorOf(target);
  const clean = (text: string | undefined) => (text === undefined ? null : redactor.redact(text));
  return {
    target: baseUrl.href,
    verdict: verdictOf(tried, saved.isReproduced && (!saved.isLimited || limited > 0)),
    tries,
    requests,
    rule: violation?.rule ?? saved.rule,
    savedRule: saved.rule,
    expected: clean(violation?.expected),
    observed: clean(violation?.observed),
    story: storyOf(last?.history ?? saved.groups, last?.trace).map((line) => redactor.redact(line)),
    lacking,
  };
}
