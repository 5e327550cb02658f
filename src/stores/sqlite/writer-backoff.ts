import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that has written within this time counts as still writing. */
const CONTENDED_MS = 1000;
/** The work after which others get an opportunity: a process that never gets the lock leaves no trace. */
const OPPORTUNITY_EVERY_MS = 50;
/** Waiting processes poll the lock every millisecond, so 3 ms let one in. */
const PAUSE_MS_MIN = 3;
const PAUSE_MS_MAX = 50;

/**
 * Pauses between long write transactions, so that scans of this process and of others on the file can write. SQLite has no queue of writers:
 * a waiting process polls the lock, and hardly ever finds it free between two transactions in a row.
 */
export class WriterBackoff {
  readonly #dataVersion: StatementSync;
  readonly #wait: (ms: number) => Promise<unknown>;
  #seen: unknown;
  #otherWriteAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds of work since the last pause. */
  #workedMs = 0;

  /** @param wait resolves after this number of milliseconds */
  constructor(database: DatabaseSync, wait: (ms: number) => Promise<unknown> = sleep) {
    this.#wait = wait;
    this.#dataVersion = database.prepare('PRAGMA data_version');
    this.#seen = this.#read();
  }

  /** Does `work`, then pauses: twice as long as the work took if others write, else seldom and briefly. */
  async after<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = await work();
    const pauseMs = this.#pauseMs(performance.now() - startedAt);
    if (pauseMs > 0) await this.#wait(pauseMs);
    return result;
  }

  /** Notes a batch of scans of this process. */
  scanned(): void {
    this.#otherWriteAt = performance.now();
  }

  /** Whether scans, or anything by another process, were written in the last second. */
  get contended(): boolean {
    const now = performance.now();
    const version = this.#read();
    if (version !== this.#seen) this.#otherWriteAt = now;
    this.#seen = version;
    return now - this.#otherWriteAt < CONTENDED_MS;
  }

  #pauseMs(tookMs: number): number {
    const { contended } = this;
    this.#workedMs += tookMs;
    if (!contended && this.#workedMs < OPPORTUNITY_EVERY_MS) return 0;
    this.#workedMs = 0;
    return contended ? Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, 2 * tookMs)) : PAUSE_MS_MIN;
  }

  /** A number that changes when another connection has written, but not by our own writes. */
  #read(): unknown {
    return this.#dataVersion.get()?.['data_version'];
  }
}
