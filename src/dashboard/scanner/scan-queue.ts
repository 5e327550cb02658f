/**
 * The scans of one tab as values: what was read, what waits, what was answered. No clock, no request and no screen is in
 * here; `scan-runner.ts` asks, and `pages/scan-result.tsx` shows.
 *
 *              read                its turn               answer
 *   (a code) ─────────► waiting ───────────► asking ─────────────► answered
 *       │                  ▲                 │    ▲                ▲     │
 *       │                  │             429 │    │ time is over   │     │ try again
 *       │                  │                 ▼    │     stop       │     │ (no answer, or 429)
 *       │                  │                 pausing ──────────────┘     │
 *       │                  └─────────────────────────────────────────────┘
 *       │ WAITING_MAX wait
 *       └─────────► not taken
 *
 * A scan without an answer keeps its name (`unanswered-scans.ts`): when its ticket is read again, that is "try again", and the new
 * scan takes the place of the old one.
 *
 * One scan at a time is asking or pausing, and the oldest that waits is the next. An answer belongs to the number of its
 * scan. An answer may be held: a person must see what is written on the ticket, or say whether a use is taken. Until then nothing
 * else is asked about, and the screen stays with it. Otherwise the screen shows the newest scan only: so it is never green while a later code waits, or was not taken. Where another guest
 * may stand there (something could not be read, the page was away, the mode is another), the last answer is passed and does not come back.
 */
import type { ScanAnswer, ScanAttempt } from './scan-requests.ts';

/** So many codes wait; a guest further back has walked on before the answer comes. */
export const WAITING_MAX = 5;
const SETTLED_KEPT = 10;
/** Scans without a decision stay for another attempt; of a line that is down for long, the latest. */
const UNDECIDED_KEPT = 50;

type ScanState =
  | { readonly step: 'waiting' }
  | { readonly step: 'asking' }
  | { readonly step: 'pausing'; readonly seconds: number }
  | {
      readonly step: 'answered';
      readonly answer: ScanAnswer;
      /** Whether a newer code was there already, so that the answer was never alone on the screen. */
      readonly isOvertaken: boolean;
      /** Whether nothing else is asked about until a person has seen the answer. */
      readonly isHeld?: true;
      /** How many people were counted out with this ticket, one right after the other; none if it is not known that one was. */
      readonly peopleOut?: number;
    }
  | { readonly step: 'not_taken' };

export interface Scan {
  /** Counts the scans of this tab; a code that is asked about again gets a new number. */
  readonly number: number;
  /** When the code was read. */
  readonly at: string;
  readonly attempt: ScanAttempt;
  readonly state: ScanState;
  /** Whether another guest may stand there since: the answer is not theirs. */
  readonly isPassed?: true;
}

/** Newest first. */
export type ScanQueue = readonly Scan[];

export function isOpen({ state }: Scan): boolean {
  return state.step === 'waiting' || state.step === 'asking' || state.step === 'pausing';
}

export function waitingIn(queue: ScanQueue): number {
  return queue.filter(({ state }) => state.step === 'waiting').length;
}

/**
 * Takes a code that was read. A code that is read again before its answer came is the same scan: whoever holds it there
 * saw nothing happen. A code beyond the bound is not taken, which is said once for the same code.
 * @param attempt under the name of the scan of the same ticket that has no answer, if there is one
 */
export function withRead(queue: ScanQueue, attempt: ScanAttempt, at: string): ScanQueue {
  const [newest] = queue;
  const held = heldIn(queue);
  // It is still held there; who lets in by hand asks for a scan of its own.
  const isSameTicket = held?.attempt.ticketCode === attempt.ticketCode && !attempt.byHand;
  if (held && held === newest && isSameTicket) return queue;
  const isRepeated = newest !== undefined && isSame(newest.attempt, attempt);
  if (isRepeated && isOpen(newest)) return queue;
  const isRefused = isRepeated && newest.state.step === 'not_taken';
  if (waitingIn(queue) >= WAITING_MAX) {
    return isRefused ? queue : added(queue, attempt, at, { step: 'not_taken' });
  }
  const others = withoutUndecided(queue, attempt).filter((scan) => !(isRefused && scan === newest));
  return added(others, attempt, at, { step: 'waiting' }, newest?.number);
}

/** Leaves out the rows of one scan that say that it has no answer: a newer row says more. */
function withoutUndecided(queue: ScanQueue, { retryName }: ScanAttempt): ScanQueue {
  return queue.filter((scan) => !(mayRepeat(scan) && scan.attempt.retryName === retryName));
}

/** Whether the code was taken, or is asked about already. */
export function isTaken(queue: ScanQueue): boolean {
  return queue[0] !== undefined && queue[0].state.step !== 'not_taken';
}

function isSame(a: ScanAttempt, b: ScanAttempt): boolean {
  if (a.retryName === b.retryName) return true;
  const isSameAct = a.action === b.action && a.direction === b.direction;
  return a.ticketCode === b.ticketCode && isSameAct && a.key === b.key;
}

/** @param last the newest number that was given so far */
function added(
  queue: ScanQueue,
  attempt: ScanAttempt,
  at: string,
  state: ScanState,
  last = queue[0]?.number ?? 0,
): ScanQueue {
  return shortened([{ number: last + 1, at, attempt, state }, ...queue]);
}

/**
 * Forgets the oldest of those that are settled; none that is open, and none that a person must see first. Codes that were not taken
 * are counted for themselves: in a rush they would push out the answers to the earlier ones, before anybody saw them.
 */
function shortened(queue: ScanQueue): ScanQueue {
  let settled = 0;
  let undecided = 0;
  let notTaken = 0;
  const held = heldIn(queue);
  return queue.filter((scan) => {
    if (isOpen(scan) || scan === held) return true;
    if (mayRepeat(scan)) {
      undecided += 1;
      return undecided <= UNDECIDED_KEPT;
    }
    if (scan.state.step === 'not_taken') {
      notTaken += 1;
      return notTaken <= SETTLED_KEPT;
    }
    settled += 1;
    return settled <= SETTLED_KEPT;
  });
}

/** Lets the oldest scan that waits be asked about, unless another still is. */
export function withNextAsked(queue: ScanQueue): ScanQueue {
  if (askedIn(queue) || heldIn(queue)) return queue;
  const next = queue.findLast(({ state }) => state.step === 'waiting');
  return next ? withState(queue, next.number, { step: 'asking' }) : queue;
}

/** The scan whose answer is awaited. */
export function askedIn(queue: ScanQueue): Scan | undefined {
  return queue.find(({ state }) => state.step === 'asking' || state.step === 'pausing');
}

/** How long the page waits until it asks again, after too many requests. */
export function pausingIn(queue: ScanQueue): { readonly seconds: number } | undefined {
  const state = askedIn(queue)?.state;
  return state?.step === 'pausing' ? state : undefined;
}

export function withPause(queue: ScanQueue, number: number, seconds: number): ScanQueue {
  return isAsked(queue, number) ? withState(queue, number, { step: 'pausing', seconds }) : queue;
}

export function withPauseOver(queue: ScanQueue, number: number): ScanQueue {
  return isAsked(queue, number) ? withState(queue, number, { step: 'asking' }) : queue;
}

/**
 * Files an answer with its scan; one that nobody awaits changes nothing. A session that has ended takes the names along.
 * @param holdsMarks whether the answer to a marked ticket is held
 */
export function withAnswer(
  queue: ScanQueue,
  number: number,
  answer: ScanAnswer,
  holdsMarks: boolean,
): ScanQueue {
  const asked = askedIn(queue);
  if (asked?.number !== number) return queue;
  const isHeld = isHeldUp(asked.attempt, answer, holdsMarks) && { isHeld: true as const };
  const isOvertaken = queue[0]?.number !== number && !isHeld;
  const out = peopleOut(queue, asked, answer);
  const answered = withState(queue, number, {
    step: 'answered',
    answer,
    isOvertaken,
    ...isHeld,
    ...out,
  });
  if (answer.kind === 'signed_out') {
    return answered.filter((scan) => scan.number === number || isOpen(scan));
  }
  const scan = answered.find((one) => one.number === number);
  const isDecided = scan !== undefined && answer.kind === 'decided';
  return shortened(isDecided ? withoutUndecided(answered, scan.attempt) : answered);
}

/** A family goes out on one card: its second answer must not look like the first. The number is kept, because old scans are forgotten. */
function peopleOut(
  queue: ScanQueue,
  asked: Scan,
  answer: ScanAnswer,
): { readonly peopleOut?: number } {
  const isOut = asked.attempt.direction === 'out' && signalOf(answer) === 'good';
  if (!isOut || answer.kind !== 'decided') return {};
  const before = queue
    .slice(queue.indexOf(asked) + 1)
    .find(({ state }) => state.step === 'answered');
  const last = before?.state;
  const isAgain =
    last?.step === 'answered' &&
    last.answer.kind === 'decided' &&
    last.answer.result.ticketId === answer.result.ticketId;
  return { peopleOut: 1 + ((isAgain && last.peopleOut) || 0) };
}

function isHeldUp(attempt: ScanAttempt, answer: ScanAnswer, holdsMarks: boolean): boolean {
  if (answer.kind !== 'decided' || attempt.isSeen) return false;
  if (attempt.asks && answer.result.valid) return true;
  return holdsMarks && answer.result.attention === true;
}

/** The scan whose answer a person must see first. */
export function heldIn(queue: ScanQueue): Scan | undefined {
  return queue.find(({ state }) => state.step === 'answered' && state.isHeld);
}

/** Whether a code was not taken while a person had to see another answer: the screen shows that one. */
export function isRefusedBehindHeld(queue: ScanQueue): boolean {
  const held = heldIn(queue);
  return queue.some(
    ({ number, state }) => held && number > held.number && state.step === 'not_taken',
  );
}

/** Goes on after a person has seen the answer. The answer stays on the screen, unless it was a question: that is over. */
export function withReleased(queue: ScanQueue): ScanQueue {
  const held = heldIn(queue);
  return queue.map((scan) => {
    if (scan !== held || scan.state.step !== 'answered') return scan;
    const { isHeld: _, ...state } = scan.state;
    const attempt: ScanAttempt = { ...scan.attempt, isSeen: true };
    return { ...scan, attempt, state, ...(attempt.asks && { isPassed: true as const }) };
  });
}

/** Ends an open question: no use is taken. A mark that nobody has seen yet stays. */
export function withoutQuestion(queue: ScanQueue): ScanQueue {
  const held = heldIn(queue);
  return held && isQuestion(held) ? withReleased(queue) : queue;
}

/** Whether the answer asks a person for a decision, or asked before somebody said that it is over. */
export function isQuestion({ attempt, state }: Scan): boolean {
  return attempt.asks === true && state.step === 'answered' && signalOf(state.answer) === 'good';
}

/** Lets a use be taken after the question about it: the scan is asked about in its place, before those that wait. */
export function withLetIn(queue: ScanQueue, attempt: ScanAttempt): ScanQueue {
  const held = heldIn(queue);
  if (!held?.attempt.asks) return queue;
  const { number, at } = held;
  return queue.map((scan) =>
    scan === held ? { number, at, attempt, state: { step: 'waiting' } } : scan,
  );
}

function isAsked(queue: ScanQueue, number: number): boolean {
  return askedIn(queue)?.number === number;
}

/** Asks again about a scan that has no decision, as the newest one; it counts once, whatever came of the first request. */
export function withRetry(queue: ScanQueue, number: number, at: string): ScanQueue {
  const scan = queue.find((one) => one.number === number);
  if (!scan || !mayRepeat(scan)) return queue;
  const inDoubt = scan.state.step === 'answered' && scan.state.answer.kind === 'unknown';
  const attempt = inDoubt ? { ...scan.attempt, inDoubt } : scan.attempt;
  return added(
    withoutUndecided(queue, attempt),
    attempt,
    at,
    { step: 'waiting' },
    queue[0]?.number,
  );
}

export function mayRepeat({ state }: Scan): boolean {
  return state.step === 'answered' && ['unknown', 'too_many'].includes(state.answer.kind);
}

function withState(queue: ScanQueue, number: number, state: ScanState): ScanQueue {
  return queue.map((scan) => (scan.number === number ? { ...scan, state } : scan));
}

/** Marks the last answer as passed: another guest may stand there now. */
export function withPassed(queue: ScanQueue): ScanQueue {
  const [newest, ...others] = queue;
  if (!newest || newest.isPassed || isOpen(newest)) return queue;
  // Who must sign in again reads nothing before that.
  if (newest.state.step === 'answered' && newest.state.answer.kind === 'signed_out') return queue;
  return [{ ...newest, isPassed: true }, ...others];
}

/** The scan whose state the screen shows: the one that is held, else the newest, unless that is passed. */
export function shownIn(queue: ScanQueue): Scan | undefined {
  const [newest] = queue;
  return heldIn(queue) ?? (newest?.isPassed ? undefined : newest);
}

/** Good opens the gate; unknown is neither. */
type Verdict = 'good' | 'bad' | 'unknown';
/** Checked is a valid ticket whose use was not taken: nobody is let in. Uncounted is a guest who goes out, and is in no count. */
export type Signal = Verdict | 'checked' | 'uncounted';
/** A question is neutral: nobody is let in yet. */
export type Look = Signal | 'ready' | 'pending' | 'not_taken' | 'question';

/** What the screen says at one moment: of the newest scan only. */
export function lookOf(queue: ScanQueue): Look {
  const shown = shownIn(queue);
  if (!shown) return 'ready';
  const { state, attempt } = shown;
  if (state.step === 'answered') {
    if (isQuestion(shown)) return 'question';
    // It is held, and another code is there, or another guest may be.
    return shown !== queue[0] || shown.isPassed ? 'pending' : cueOf(attempt, state.answer);
  }
  return state.step === 'not_taken' ? 'not_taken' : 'pending';
}

type Kind = ScanAnswer['kind'];
const NOT_ANSWERED: ReadonlySet<Kind> = new Set<Kind>(['unknown', 'too_many', 'signed_out']);

function signalOf(answer: ScanAnswer): Verdict {
  if (NOT_ANSWERED.has(answer.kind)) return 'unknown';
  return answer.kind === 'decided' && answer.result.valid ? 'good' : 'bad';
}

/** What is heard and seen of an answer: a question and a check let nobody in, and nobody is kept from going out. */
export function cueOf(
  { asks, action, direction }: Pick<ScanAttempt, 'asks' | 'action' | 'direction'>,
  answer: ScanAnswer,
): Signal {
  const verdict = signalOf(answer);
  if (asks && verdict === 'good') return 'unknown';
  if (action === 'validate' && verdict === 'good') return 'checked';
  const isOut = direction === 'out' && answer.kind === 'decided';
  return isOut && verdict === 'bad' ? 'uncounted' : verdict;
}

/** Those whose answer came while a newer code was there, as long as that has no answer: they are told beside it. */
export function overtakenIn(queue: ScanQueue): ScanQueue {
  const look = lookOf(queue);
  if (heldIn(queue) || (look !== 'pending' && look !== 'not_taken')) return [];
  const alone = queue.findIndex(({ state }) => state.step === 'answered' && !state.isOvertaken);
  const since = alone === -1 ? queue : queue.slice(0, alone);
  return since.filter(({ state }) => state.step === 'answered');
}

/** The numbers of the scans that may be shown as good: no later code waits, none was left out, and nobody else stands there. */
export function clearIn(queue: ScanQueue): ReadonlySet<number> {
  const inTheWay = queue.findIndex(
    (scan) => isOpen(scan) || scan.state.step === 'not_taken' || scan.isPassed,
  );
  const clear = inTheWay === -1 ? queue : queue.slice(0, inTheWay);
  return new Set(clear.map(({ number }) => number));
}

const LABEL_CHARACTERS = 12;

/** What tells a code apart before its answer is there: the end of its identifier, or how the text begins. */
export function labelOf({ ticketCode }: Pick<ScanAttempt, 'ticketCode'>): string {
  const id = /tkt_[0-9a-z]+_([0-9a-z]+)/iu.exec(ticketCode)?.[1];
  if (id !== undefined) return `… ${id.slice(-ID_END)}`;
  const isLong = ticketCode.length > LABEL_CHARACTERS;
  return isLong ? `${ticketCode.slice(0, LABEL_CHARACTERS)} …` : ticketCode;
}

const ID_END = 5;
