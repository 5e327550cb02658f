import type { TargetLimits } from '../deployment/target.ts';
import type { Clock } from '../time/clock.ts';

const WINDOW_MS = 1000;

/** Requests wait for no time of the day. */
export type PaceClock = Pick<Clock, 'now' | 'sleep'>;

/** Holds requests back. */
export interface Pacer {
  /** How many requests of one key may leave at once, after a pause. */
  readonly burst: number;
  /** Resolves when `count` requests of the key may leave. First come, first served. */
  wait(count: number, key: string): Promise<void>;
  /** The server limited the key: it sends nothing for these milliseconds. */
  slowDown(key: string, ms: number): void;
  /** How long the key sends nothing from now on: milliseconds, 0 or less for no pause. */
  pausedMs(key: string): number;
  /** The server served the key. */
  speedUp(key: string): void;
}

/**
 * Holds requests back so that no second sees more than `perSecond` of them, whichever second one looks at.
 * Requests that must leave together wait until there is room for all of them.
 */
export class Pace implements Pacer {
  readonly #perSecond: number;
  readonly #clock: PaceClock;
  readonly #sent: number[] = [];
  #turn: Promise<void> = Promise.resolve();
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, clock: PaceClock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  get burst(): number {
    return this.#perSecond;
  }

  /** Resolves when `count` requests may leave. First come, first served. */
  wait(count = 1): Promise<void> {
    this.#turn = this.#turn.then(() => this.#waitForRoom(count));
    return this.#turn;
  }

  /** The rate is for all keys together: all of them wait. */
  slowDown(_key: string, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }

  pausedMs(): number {
    return this.#pausedUntil - this.#clock.now();
  }

  /** Does nothing: the rate is as it was given. */
  speedUp(): void {}

  async #waitForRoom(count: number): Promise<void> {
    const wanted = Math.min(count, this.#perSecond);
    for (;;) {
      const now = this.#clock.now();
      if (now < this.#pausedUntil) {
        await this.#clock.sleep(this.#pausedUntil - now);
        continue;
      }
      while (this.#sent.length > 0 && now - (this.#sent[0] ?? 0) >= WINDOW_MS) this.#sent.shift();
      if (this.#sent.length + wanted <= this.#perSecond) break;
      const leaver = this.#sent[this.#sent.length + wanted - this.#perSecond - 1] ?? now;
      await this.#clock.sleep(Math.max(1, leaver + WINDOW_MS - now));
    }
    const now = this.#clock.now();
    for (let i = 0; i < count; i += 1) this.#sent.push(now);
  }
}

/** So much of the limits is used: the network bunches requests, and others may use the key. */
const SHARE = 0.8;
/** After a 429; grows again with each answer that was not limited. */
const SLOWER = 0.5;
const FASTER = 1.5;

interface Bucket {
  tokens: number;
  filledAt: number;
  pausedUntil: number;
  /** 1 at the pace of the limits, less after a 429. */
  speed: number;
  turn: Promise<void>;
}

/** Holds the requests of each key back so that a server which keeps the limits refuses none of them. */
export class TokenBucketPace implements Pacer {
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #clock: PaceClock;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ rate, burst }: Required<TargetLimits>, clock: PaceClock) {
    this.#perMs = (rate * SHARE) / 1000;
    this.#capacity = Math.max(1, Math.floor(burst * SHARE));
    this.#clock = clock;
  }

  /** How many requests of one key may leave at once, after a pause. */
  get burst(): number {
    return this.#capacity;
  }

  /** Resolves when `count` requests of the key may leave. First come, first served. */
  wait(count: number, key: string): Promise<void> {
    const bucket = this.#bucketOf(key);
    bucket.turn = bucket.turn.then(() => this.#waitForTokens(bucket, count));
    return bucket.turn;
  }

  /** The server limited the key: it sends nothing for these milliseconds, and then half as fast. */
  slowDown(key: string, ms: number): void {
    const bucket = this.#bucketOf(key);
    const now = this.#clock.now();
    this.#fill(bucket, now);
    // several of one burst are refused together: they slow down once
    if (now >= bucket.pausedUntil) bucket.speed *= SLOWER;
    bucket.tokens = Math.min(bucket.tokens, 0);
    bucket.pausedUntil = Math.max(bucket.pausedUntil, now + ms);
  }

  pausedMs(key: string): number {
    return this.#bucketOf(key).pausedUntil - this.#clock.now();
  }

  /** The server served the key. */
  speedUp(key: string): void {
    const bucket = this.#bucketOf(key);
    bucket.speed = Math.min(1, bucket.speed * FASTER);
  }

  async #waitForTokens(bucket: Bucket, count: number): Promise<void> {
    const wanted = Math.min(count, this.#capacity);
    for (;;) {
      const now = this.#clock.now();
      this.#fill(bucket, now);
      const paused = bucket.pausedUntil - now;
      if (bucket.tokens >= wanted && paused <= 0) break;
      const missing = (wanted - bucket.tokens) / (this.#perMs * bucket.speed);
      await this.#clock.sleep(Math.max(1, paused, Math.ceil(missing)));
    }
    bucket.tokens -= count;
  }

  #fill(bucket: Bucket, now: number): void {
    const gained = (now - bucket.filledAt) * this.#perMs * bucket.speed;
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + gained);
    bucket.filledAt = now;
  }

  #bucketOf(key: string): Bucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    const bucket = {
      tokens: this.#capacity,
      filledAt: this.#clock.now(),
      pausedUntil: Number.NEGATIVE_INFINITY,
      speed: 1,
      turn: Promise.resolve(),
    };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
