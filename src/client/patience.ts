import type { FailedAttempt } from './attempt.ts';

const BACKOFF_FIRST_MS = 200;
const BACKOFF_MAX_MS = 5000;
const SERVER_FAILURES_MAX = 4;
/** The second lost answer ends the call, because a person is waiting at the gate. */
const LOST_MAX = 2;

/** Whether a call is retried, and after what time. */
export class Patience {
  readonly #mayRepeat: boolean;
  readonly #random: () => number;
  #tries = 0;
  #failed = 0;
  #lost = 0;

  /** @param mayRepeat false where a repeated request could take a second use; a 429 took none, and is repeated all the same */
  constructor(mayRepeat: boolean, random: () => number) {
    this.#mayRepeat = mayRepeat;
    this.#random = random;
  }

  /** Milliseconds, or undefined when another try is of no use. */
  waitMsAfter(attempt: FailedAttempt): number | undefined {
    this.#tries += 1;
    switch (attempt.kind) {
      case 'limited':
        return (attempt.retryAfterMs ?? 0) + this.#backoffMs();
      case 'failed':
        this.#failed += 1;
        return this.#mayRepeat && this.#failed < SERVER_FAILURES_MAX
          ? this.#backoffMs()
          : undefined;
      case 'lost':
        this.#lost += 1;
        return this.#mayRepeat && this.#lost < LOST_MAX ? this.#backoffMs() : undefined;
      case 'refused':
        return undefined;
    }
  }

  /** Doubles with each try; the jitter keeps gates that were refused together from coming back together. */
  #backoffMs(): number {
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.#tries - 1));
    return longest * (0.5 + this.#random() / 2);
  }
}
