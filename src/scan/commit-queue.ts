import { TicketscanError } from '../core/errors.ts';
import type { BatchRequest, OutcomeOf, ScanOutcome } from '../core/scan-requests.ts';
import type { ScanStore } from '../stores/store.ts';
import { scanGivenUp } from '../stores/store-errors.ts';

interface Waiting {
  readonly request: BatchRequest;
  readonly resolve: (outcome: ScanOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** When it is given up, on `performance.now()`; undefined where the store knows its own time. */
  readonly deadlineMs: number | undefined;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Takes requests to the store. */
export interface ScanQueue {
  /**
   * Resolves when the outcome is durable; rejects when nothing is known about it.
   * @param sinceMs when the request came in, on `performance.now()`; now by default
   */
  commit<Request extends BatchRequest>(
    request: Request,
    sinceMs?: number,
  ): Promise<OutcomeOf<Request>>;
  /** Resolves when nothing waits and nothing is under way. */
  drained(): Promise<void>;
}

/** More would make the first of a batch wait too long for the last. */
const BATCH_MAX = 512;

/** Small batches cost more than they gain, but one that waits for a locked ticket must not hold up the others for long. */
const PATIENCE_MS = 3;

/**
 * Group commit: requests that arrive while a commit is under way form the next batch, so that many uses share one
 * wait for the disk. A request is answered only when its batch is durable. A store may take several batches at once.
 */
export class CommitQueue implements ScanQueue {
  readonly #store: ScanStore;
  readonly #batchesMax: number;
  readonly #scanMsMax: number | undefined;
  readonly #onRevision: (revision: number) => void;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #batches = 0;
  /** Requests in the batches under way. */
  #inFlight = 0;
  /** How many requests must wait so that the next batch is committed at once. */
  #commitAt = 1;
  #idle: (() => void)[] = [];

  /** @param onRevision called with the store's revision after each batch, before its answers */
  constructor(store: ScanStore, onRevision: (revision: number) => void) {
    this.#store = store;
    this.#batchesMax = store.batchesInFlight ?? 1;
    this.#scanMsMax = store.scanMsMax;
    this.#onRevision = onRevision;
  }

  commit<Request extends BatchRequest>(
    request: Request,
    sinceMs = performance.now(),
  ): Promise<OutcomeOf<Request>> {
    return new Promise((resolve, reject) => {
      // The store answers each request at its index, so the outcome is one of this kind of request.
      const asked = { request, resolve: resolve as Waiting['resolve'], reject };
      this.#waiting.push({ ...asked, ...this.#untilGivenUp(reject, sinceMs) });
      this.#schedule();
    });
  }

  /** A device does not wait for ever: what has not been given to the store by then never is. */
  #untilGivenUp(reject: Waiting['reject'], sinceMs: number): Pick<Waiting, 'deadlineMs' | 'timer'> {
    if (this.#scanMsMax === undefined) return { deadlineMs: undefined, timer: undefined };
    const deadlineMs = sinceMs + this.#scanMsMax;
    const timer = setTimeout(() => {
      const before = this.#waiting.length;
      this.#waiting = this.#waiting.filter((one) => one.timer !== timer);
      if (this.#waiting.length < before) reject(scanGivenUp());
    }, deadlineMs - performance.now());
    return { deadlineMs, timer };
  }

  async drained(): Promise<void> {
    if (this.#waiting.length === 0 && this.#batches === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Commits a batch as soon as it holds half of the requests now in the system: the store commits one half while this
   * thread answers and reads the other. Otherwise commits after the next poll of the network, or after `PATIENCE_MS`
   * while another batch is under way.
   */
  #schedule(): void {
    if (this.#batches >= this.#batchesMax || this.#waiting.length === 0) return;
    if (this.#waiting.length >= this.#commitAt) {
      void this.#commitNext();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      const soon = this.#batches === 0 ? afterNextPoll : afterPatience;
      soon(() => {
        this.#scheduled = false;
        if (this.#batches < this.#batchesMax && this.#waiting.length > 0) void this.#commitNext();
      });
    }
  }

  async #commitNext(): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH_MAX);
    this.#waiting = this.#waiting.slice(BATCH_MAX);
    this.#batches += 1;
    this.#inFlight += batch.length;
    for (const { timer } of batch) clearTimeout(timer);
    const deadlineMs = firstOf(batch.map((one) => one.deadlineMs));
    const requests = batch.map((one) => one.request);
    const committed =
      deadlineMs === undefined
        ? this.#store.commitScans(requests)
        : this.#store.commitScans(requests, deadlineMs);
    const settled = await committed.then(
      (result) => () => {
        this.#onRevision(result.revision);
        settle(batch, result.outcomes);
      },
      (error: unknown) => {
        const refused = [...batch, ...this.#waitedInVain(error)];
        return () => {
          for (const { reject } of refused) reject(error);
        };
      },
    );
    this.#batches -= 1;
    this.#commitAt = Math.ceil((this.#inFlight + this.#waiting.length) / 2);
    this.#inFlight -= batch.length;
    // Before the answers to this batch are written, so that the store works meanwhile.
    if (this.#waiting.length >= this.#commitAt) void this.#commitNext();
    settled();
    this.#schedule();
    if (this.#batches === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /**
   * Those that waited behind a batch while the whole store was locked: each batch of them would wait for that lock again, and a crowd
   * would get its refusals one batch after another. They have not been given to the store.
   */
  #waitedInVain(error: unknown): Waiting[] {
    const isLocked = error instanceof TicketscanError && error.code === 'store_busy';
    if (!isLocked || this.#batchesMax > 1) return [];
    const inVain = this.#waiting.splice(0);
    for (const { timer } of inVain) clearTimeout(timer);
    return inVain;
  }
}

/** The first of these times. One that waited for its key has less left than those before it. */
function firstOf(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Runs `then` in the turn of the event loop after the next: by then, what has arrived by now was read. */
function afterNextPoll(then: () => void): void {
  setImmediate(() => setImmediate(then));
}

function afterPatience(then: () => void): void {
  setTimeout(then, PATIENCE_MS);
}

function settle(batch: readonly Waiting[], outcomes: readonly ScanOutcome[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome) resolve(outcome);
    else reject(new Error('the store answered fewer requests than it was given'));
  }
}
