import type { Clock } from '../../core/clock.ts';

interface Failures {
  readonly count: number;
  /** On the monotonic clock. */
  readonly lastAtMs: number;
}

interface Rule {
  /** Attempts that need not wait. */
  readonly free: number;
  readonly waitMaxMs: number;
}

/**
 * Guessing is slowed down where it comes from first. The rule for the account alone is mild: whoever guesses from many
 * places must not be able to keep its owner out.
 */
const RULES = {
  accountAndAddress: { free: 5, waitMaxMs: 60_000 },
  address: { free: 30, waitMaxMs: 60_000 },
  account: { free: 50, waitMaxMs: 5000 },
} as const satisfies Record<string, Rule>;

const FORGOTTEN_AFTER_MS = 15 * 60_000;
const REMEMBERED_MAX = 10_000;

/** Makes those who guess passwords wait: twice as long each time, up to a minute, and never for ever. */
export class SignInThrottle {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Asks for an attempt, which counts as a failure until `succeeded` says otherwise, so that many at once do not slip
   * through together.
   * @returns 0 when it may go on, else the milliseconds to wait
   */
  attempt(account: string, address: string): number {
    const names = namesOf(account, address);
    const waitMs = Math.max(...names.map(([name, rule]) => this.#waitMs(name, rule)));
    if (waitMs > 0) return waitMs;
    for (const [name] of names) this.#count(name);
    return 0;
  }

  /** The address keeps its failures with other names: who has one account must not use it to guess another. */
  succeeded(account: string, address: string): void {
    for (const [name, rule] of namesOf(account, address)) {
      const failures = this.#failures.get(name);
      if (rule === RULES.address && failures && failures.count > 1) {
        this.#failures.set(name, { ...failures, count: failures.count - 1 });
      } else this.#failures.delete(name);
    }
  }

  #waitMs(name: string, { free, waitMaxMs }: Rule): number {
    const failures = this.#failures.get(name);
    if (!failures) return 0;
    const sinceMs = this.#clock.monotonicMs() - failures.lastAtMs;
    if (sinceMs > FORGOTTEN_AFTER_MS) {
      this.#failures.delete(name);
      return 0;
    }
    const excess = failures.count - free;
    if (excess < 0) return 0;
    return Math.max(0, Math.min(waitMaxMs, 1000 * 2 ** excess) - sinceMs);
  }

  #count(name: string): void {
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    this.#failures.delete(name);
    this.#failures.set(name, { count, lastAtMs: this.#clock.monotonicMs() });
    if (this.#failures.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}

function namesOf(account: string, address: string): [name: string, rule: Rule][] {
  return [
    [`both ${address} ${account}`, RULES.accountAndAddress],
    [`address ${address}`, RULES.address],
    [`account ${account}`, RULES.account],
  ];
}
