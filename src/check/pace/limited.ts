import { timesOf } from '../../kit/text.ts';
import { type KeyName, keyVariable, type Target } from '../deployment/target.ts';
import type { Answer, Exchange } from '../facts/exchange.ts';
import type { Clock } from '../time/clock.ts';
import type { Pacer } from './pace.ts';

/** The longest `Retry-After` that is waited for; with a longer one, the 429 is the answer. */
const WAIT_MS_MAX = 30_000;
const FIRST_WAIT_MS = 500;
const TRIES_MAX = 4;
/** A full burst from before the run, or one that left late at once with the next, is regained after this. */
const BURST_MS = 2500;
/** Keys that a right server accepts. */
const GOOD_KEYS: readonly KeyName[] = ['rest', 'restScoped', 'hardware', 'hardwareScoped'];

/** Waits for 429s below the limits, and reports them. */
export class RateLimitWaits {
  readonly #pace: Pacer;
  readonly #names: ReadonlyMap<string, KeyName>;
  readonly #keepsLimits: boolean;
  readonly #clock: Clock;
  /** When the run began, or this process went on after it had stood still: what was held back may then have left at once. */
  #unevenAt: number;
  readonly #watch: Disposable;
  readonly #waits = new Map<KeyName, number>();
  /** Paths that answered nothing else however long one waited. */
  readonly #stubborn = new Set<string>();

  /** @param keepsLimits whether the pace follows the limits of the target */
  constructor(target: Target, pace: Pacer, keepsLimits: boolean, clock: Clock) {
    this.#pace = pace;
    this.#keepsLimits = keepsLimits;
    this.#clock = clock;
    this.#unevenAt = clock.now();
    this.#watch = clock.watchDelays(() => {
      this.#unevenAt = clock.now();
    });
    this.#names = new Map(
      GOOD_KEYS.flatMap((name) => {
        const key = target.keys[name];
        return key === undefined ? [] : [[key, name] as const];
      }),
    );
  }

  /** True for a 429 that requests from before the run, or a delay of this process, may have brought about. */
  isExcused({ status }: Answer): boolean {
    return status === 429 && this.#keepsLimits && this.#clock.now() - this.#unevenAt < BURST_MS;
  }

  /** True for an answer that is not taken: the request is to be sent again after `wait`. */
  isWaitedFor({ answer, request }: Exchange, key: string, tries: number): boolean {
    if (answer.status !== 429) {
      this.#pace.speedUp(key);
      return false;
    }
    if (!this.#names.has(key) || this.#stubborn.has(request.path)) return false;
    if (tries >= TRIES_MAX) this.#stubborn.add(request.path);
    return tries < TRIES_MAX && this.#waitMs(answer, tries) <= WAIT_MS_MAX;
  }

  /** Waits as long as the answer says, and longer each time where it says nothing. */
  async wait({ answer }: Exchange, key: string, tries: number, signal?: AbortSignal) {
    const name = this.#names.get(key);
    if (name) this.#waits.set(name, (this.#waits.get(name) ?? 0) + 1);
    const ms = this.#waitMs(answer, tries);
    this.#pace.slowDown(key, ms);
    await this.#clock.sleep(ms, signal).catch(() => undefined);
  }

  #waitMs({ headers }: Answer, tries: number): number {
    const asked = askedMs(headers['retry-after'], this.#clock.wallNow());
    return Math.max(asked, FIRST_WAIT_MS * 2 ** (tries - 1));
  }

  close(): void {
    this.#watch[Symbol.dispose]();
  }

  /** For the report: which keys were limited, and how often. */
  notes(): string[] {
    return [...this.#waits].map(
      ([name, count]) =>
        `$${keyVariable(name)} got 429 ${timesOf(count)}; the requests were sent again after a pause. Other clients use this key, or its limit is lower than in the target ("limits").`,
    );
  }
}

/** RFC 9110, 10.2.3: seconds, or a date. 0 for neither. */
function askedMs(retryAfter: string | undefined, wallNow: number): number {
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter ?? '') - wallNow;
  return ms > 0 ? ms : 0;
}
