import type { Clock } from '../../core/clock.ts';
import { RetryLater } from '../../core/errors.ts';
import { networkOf } from '../../kit/client-address.ts';
import { MINUTE_MS } from '../../kit/durations.ts';

interface Failures {
  readonly count: number;
  /** The time of the last failure on the monotonic clock. */
  readonly lastAtMs: number;
}

interface Rule {
  /** Attempts that need not wait. */
  readonly free: number;
  readonly waitMaxMs: number;
  /** A success takes away one failure, not all of them. */
  readonly isForgivenSlowly?: true;
}

const SLOW: Rule = { free: 5, waitMaxMs: MINUTE_MS };
/** Mild, because others can make an owner wait here: guesses from many places, or from lost devices. */
const MILD: Rule = { free: 50, waitMaxMs: 5000 };
/** The rule for an address: somebody with one account must not use it to guess another. */
const ADDRESS: Rule = { free: 30, waitMaxMs: MINUTE_MS, isForgivenSlowly: true };
const NAMES: Rule = { free: 10, waitMaxMs: MINUTE_MS, isForgivenSlowly: true };

/** An attempt that is allowed only a few times, with its rules. */
export type Attempt = readonly (readonly [name: string, rule: Rule])[];

/** A sign-in by somebody unknown. @param address where it comes from: an IPv6 network of 64 bits is one place */
export function byStranger(account: string, address: string): Attempt {
  const place = networkOf(address);
  return [
    [`both ${place} ${account}`, SLOW],
    [`address ${place}`, ADDRESS],
    [`account ${account}`, MILD],
  ];
}

/** A sign-in by a browser that has signed in to the account before: what strangers do does not count. */
export function byKnownDevice(account: string, device: string): Attempt {
  return [
    [`device ${device}`, SLOW],
    [`devices ${account}`, MILD],
  ];
}

/** The current password is asked again: the session may have been taken over. */
export function byCurrentPassword(accountId: string): Attempt {
  return [[`password ${accountId}`, SLOW]];
}

/** The name of a new account: a refusal reveals that a similar one exists. */
export function byNewName(organisationId: string): Attempt {
  return [[`name ${organisationId}`, NAMES]];
}

/** The token of a pairing. */
export function byPairing(address: string): Attempt {
  return [[`pairing ${networkOf(address)}`, ADDRESS]];
}

const FORGOTTEN_AFTER_MS = 15 * MINUTE_MS;
const REMEMBERED_MAX = 10_000;

/** Delays guesses: each wait is twice as long as the one before, up to a minute. */
export class Throttle {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Asks for an attempt, which counts as a failure until `succeeded` says otherwise, so that many at once do not slip
   * through together.
   * @throws RetryLater when it must wait
   */
  attempt(what: Attempt): void {
    const waitMs = Math.max(...what.map(([name, rule]) => this.#waitMs(name, rule)));
    if (waitMs > 0) throw new RetryLater('too_many_attempts', Math.ceil(waitMs / 1000));
    for (const [name] of what) this.#count(name);
  }

  /** The attempt does not count as a failure. */
  succeeded(what: Attempt): void {
    for (const [name, { isForgivenSlowly }] of what) {
      const failures = this.#failures.get(name);
      if (isForgivenSlowly && failures && failures.count > 1) {
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
