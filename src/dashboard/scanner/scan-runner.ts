import {
  askedIn,
  cueOf,
  isOpen,
  isTaken,
  type ScanQueue,
  type Signal,
  withAnswer,
  withLetIn,
  withNextAsked,
  withoutQuestion,
  withPassed,
  withPause,
  withPauseOver,
  withRead,
  withReleased,
  withRetry,
} from './scan-queue.ts';
import type { ScanAnswer, ScanAttempt } from './scan-requests.ts';
import type { UnansweredScan, UnansweredScans } from './unanswered-scans.ts';

interface RunnerParts {
  readonly unanswered: UnansweredScans;
  readonly ask: (attempt: ScanAttempt) => Promise<ScanAnswer>;
  /** Resolves after the time, or at once when it is stopped. */
  readonly wait: (ms: number, stop: AbortSignal) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Whether the answer to a marked ticket is held until a person has seen it. */
  readonly holdsMarks: () => boolean;
  /** Called for every answer, and for every code that was not taken. */
  readonly onSignal: (signal: Signal) => void;
}

/** A guest waits at the gate: after this time the page says that it takes longer. */
const WAIT_MS_MAX = 60_000;
const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 5000;

/** Asks about one scan after the other, in the order in which they were read, and files each answer with its scan. */
export class ScanRunner {
  readonly #parts: RunnerParts;
  readonly #watchers = new Set<() => void>();
  #queue: ScanQueue = [];
  #pause = new AbortController();
  #isOpen = false;
  /** The numbers of the scans that had no answer when their page was left. */
  #left: readonly number[] = [];
  #lost: readonly UnansweredScan[];

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#lost = parts.unanswered.ofAccount();
  }

  readonly queue = (): ScanQueue => this.#queue;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  open(): void {
    this.#isOpen = true;
    this.#askNext();
  }

  /**
   * Ends with the session: what waits is not asked about, and takes no use.
   * @returns how many scans are left without an answer
   */
  close(): number {
    this.#isOpen = false;
    this.#pause.abort();
    return this.#queue.filter(isOpen).length;
  }

  /** The scans from before a reload or a sign-in that nobody has seen an answer to, and whose tickets were not read again. */
  readonly lost = (): readonly UnansweredScan[] => this.#lost;

  /** Called when somebody has read which they are. */
  readonly forgetLost = (): void => {
    this.#lost = [];
    this.#parts.unanswered.forgetOld();
    this.#tell();
  };

  readonly left = (): readonly number[] => this.#left;

  /** Called when the page with the answers is shown, and when it is left; what has no answer then is asked about all the same, unless a mark must be seen first. */
  show(isShown: boolean): void {
    this.#left = isShown ? [] : this.#queue.filter(isOpen).map(({ number }) => number);
    this.#tell();
    if (isShown) return;
    // A mark waits for whoever comes back: codes behind it would take uses, and nobody would see it.
    this.pass();
    this.endQuestion();
  }

  /** @returns whether the code was taken; it is not when too many wait */
  read(read: ScanAttempt): boolean {
    const before = this.#queue;
    const { unanswered } = this.#parts;
    const attempt = unanswered.asBefore(read);
    const queue = withRead(before, attempt, nowText());
    const taken = isTaken(queue);
    if (taken && queue !== before) {
      unanswered.noteRead(attempt);
      this.#lost = this.#lost.filter(({ retryName }) => retryName !== attempt.retryName);
    }
    this.#set(queue);
    if (!taken && before !== this.#queue) this.#parts.onSignal('bad');
    this.#askNext();
    return taken;
  }

  /** Goes on after a person has seen the answer that is held. */
  readonly release = (): void => {
    this.#set(withReleased(this.#queue));
    this.#askNext();
  };

  /** Called when a person turns to another guest: no use is taken of the ticket that the question is about. */
  readonly endQuestion = (): void => {
    this.#set(withoutQuestion(this.#queue));
    this.#askNext();
  };

  /** Takes uses of the ticket that the question is about. */
  letIn(read: ScanAttempt): void {
    const attempt = this.#parts.unanswered.asBefore(read);
    const before = this.#queue;
    this.#set(withLetIn(before, attempt));
    if (before !== this.#queue) this.#parts.unanswered.noteRead(attempt);
    this.#askNext();
  }

  retry(number: number): void {
    this.#set(withRetry(this.#queue, number, nowText()));
    this.#askNext();
  }

  /** Called when nobody knows any more who stands there: something cannot be read, or the page was away. */
  readonly pass = (): void => this.#set(withPassed(this.#queue));

  stopWaiting(): void {
    this.#pause.abort();
  }

  #askNext(): void {
    if (!this.#isOpen) return;
    const before = this.#queue;
    this.#set(withNextAsked(before));
    const asked = askedIn(this.#queue);
    if (before !== this.#queue && asked) void this.#ask(asked.number, asked.attempt);
  }

  async #ask(number: number, attempt: ScanAttempt): Promise<void> {
    this.#parts.unanswered.noteAsked(attempt);
    const answer = await this.#answerTo(number, attempt);
    this.#set(withAnswer(this.#queue, number, answer, this.#parts.holdsMarks()));
    // An answer that comes after the end is shown to nobody: it stays without one.
    if (this.#isOpen) {
      this.#parts.unanswered.noteAnswer(attempt, answer);
      this.#parts.onSignal(cueOf(attempt, answer));
    }
    this.#askNext();
  }

  /** Asks; after a 429 waits as long as the server says, and a little longer each time, and asks again. */
  async #answerTo(number: number, attempt: ScanAttempt): Promise<ScanAnswer> {
    const { ask, wait, now } = this.#parts;
    const deadline = now() + WAIT_MS_MAX;
    this.#pause = new AbortController();
    const { signal } = this.#pause;
    for (let tries = 0; ; tries += 1) {
      const answer = await ask(attempt).catch((): ScanAnswer => ({ kind: 'unknown' }));
      if (answer.kind !== 'too_many') return answer;
      const ms = answer.retryAfterMs + backoffMs(tries);
      const isWorthIt = this.#isOpen && !signal.aborted && now() + ms < deadline;
      if (isWorthIt) {
        this.#set(withPause(this.#queue, number, Math.ceil(ms / 1000)));
        await wait(ms, signal);
        this.#set(withPauseOver(this.#queue, number));
      }
      if (!isWorthIt || signal.aborted) return attempt.inDoubt ? { kind: 'unknown' } : answer;
    }
  }

  #set(queue: ScanQueue): void {
    if (queue === this.#queue) return;
    this.#queue = queue;
    this.#tell();
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function nowText(): string {
  return new Date().toISOString();
}

/** Doubles; its random half keeps gates that were refused together from coming back together. */
function backoffMs(tries: number): number {
  const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** tries);
  return longest * (0.5 + Math.random() / 2);
}

/** Waits for so long, or until it is stopped. */
export function waitFor(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
