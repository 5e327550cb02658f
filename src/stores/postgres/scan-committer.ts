import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { answerRequest, type BatchRequest, type ScanOutcome } from '../../core/scan-batch.ts';
import { CountedSerials } from '../scan-tally.ts';
import type { ScanBatchResult } from '../store.ts';
import { type BatchState, type BatchSubjects, type KnownKeys, subjectsOf } from './batch-state.ts';
import { commitBatch, readBatch } from './batch-statements.ts';
import type { Connections } from './connections.ts';
import {
  isLostConnection,
  isMissingPartition,
  isPassing,
  UnknownOutcomeError,
} from './failures.ts';
import * as limits from './request-limits.ts';
import { type LogPartitions, partOf } from './scan-log.ts';
import { outcomeOf, rollBack } from './transaction.ts';

/** A batch that cannot be committed within this time is given up: devices wait 3 to 5 seconds for an answer. */
const BATCH_MS_MAX = 4000;
const RETRY_MS_MAX = 20;

export interface CommitterParts {
  /** For the transactions of batches, and for nothing else: what a batch waits for must not wait for batches. */
  readonly connections: Connections;
  readonly others: Connections;
  /** For tokens, with `synchronous_commit = off`. */
  readonly limits: Connections;
  readonly partitions: LogPartitions;
}

interface Batch {
  readonly requests: readonly BatchRequest[];
  readonly subjects: BatchSubjects;
  readonly deadlineMs: number;
  /** Taken once, however often the batch is tried. */
  tokens: Promise<limits.Refused> | undefined;
  /** Whether request counts are locked before the decision. */
  exactly: boolean;
}

/** The rows of a connection in the database. */
interface ConnectionIdentity {
  /** Its name in `scan_operation`. */
  readonly connection: string;
  readonly shard: number;
}

/** Commits batches of scans, each in one transaction; several may be under way at once. */
export class ScanCommitter {
  readonly #parts: CommitterParts;
  readonly #identities = new WeakMap<PoolClient, ConnectionIdentity>();
  readonly #serials = new CountedSerials();
  /** Starts at random, so that instances do not all count in the same rows. */
  #lastShard = randomInt(limits.COUNT_SHARDS);
  #known: KnownKeys | undefined;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /**
   * Tries until it is done or `BATCH_MS_MAX` is over, so that clients notice no deadlock, lost connection or fail-over.
   * Looks up the outcome of a commit where it is unknown; a batch is decided again only when the first try is known to
   * have left nothing.
   * @throws UnknownOutcomeError that names the operation, when it could not be found out in time
   */
  async commit(requests: readonly BatchRequest[]): Promise<ScanBatchResult> {
    const deadlineMs = performance.now() + BATCH_MS_MAX;
    const subjects = subjectsOf(requests);
    const exactly = requests.length > limits.LOOSE_REQUESTS_MAX;
    const batch: Batch = { requests, subjects, deadlineMs, tokens: undefined, exactly };
    for (;;) {
      try {
        const result = await this.#try(batch);
        if (result) return result;
      } catch (error) {
        await this.#prepareAgain(batch, error);
      }
    }
  }

  /** @throws the error when another try is of no use, or there is no time for it */
  async #prepareAgain(batch: Batch, error: unknown): Promise<void> {
    if (error instanceof UnknownOutcomeError || performance.now() > batch.deadlineMs) throw error;
    if (error instanceof limits.QuotaNear) {
      batch.exactly = true;
    } else if (isMissingPartition(error)) {
      this.#parts.partitions.forget();
    } else if (isPassing(error) || isLostConnection(error)) {
      await sleep(Math.random() * RETRY_MS_MAX);
    } else {
      throw error;
    }
  }

  /** @returns undefined when the transaction left nothing and can be tried again */
  async #try(batch: Batch): Promise<ScanBatchResult | undefined> {
    const { connections, others } = this.#parts;
    const tokens = this.#tokensFor(batch);
    const client = await connections.takeBefore(batch.deadlineMs);
    const at = Math.max(0, ...batch.requests.map(({ now }) => now));
    const mark = {
      ...this.#identityOf(client),
      operation: randomUUID(),
      at,
      serials: this.#serials,
    };
    let state: BatchState;
    let result: ScanBatchResult;
    try {
      const read = await readBatch(client, batch.subjects, this.#known, batch.exactly);
      this.#remember(read.known);
      state = read.state;
      result = { outcomes: decideAll(batch, state, await tokens), revision: read.known.revision };
      await this.#parts.partitions.ensure(partsFor(state, at));
    } catch (error) {
      if (!isLostConnection(error)) await rollBack(client);
      connections.release(client, error);
      throw error;
    }
    try {
      const committed = await commitBatch(client, state, mark, batch.exactly);
      connections.release(client);
      return committed ? result : undefined;
    } catch (error) {
      // One with an unknown outcome is not used again: its next operation would overwrite this one's row.
      connections.release(client, error);
      if (!(error instanceof UnknownOutcomeError)) throw error;
      const { deadlineMs } = batch;
      return (await outcomeOf(others, { ...mark, deadlineMs }, error)) ? result : undefined;
    }
  }

  #tokensFor(batch: Batch): Promise<limits.Refused> {
    batch.tokens ??= limits.takeTokens(this.#parts.limits, batch.requests);
    const { tokens } = batch;
    // The awaiting code gets the failure; until it awaits, the rejection must not end the process.
    tokens.catch(() => {
      batch.tokens = undefined;
    });
    return tokens;
  }

  #identityOf(client: PoolClient): ConnectionIdentity {
    const known = this.#identities.get(client);
    if (known) return known;
    this.#lastShard = (this.#lastShard + 1) % limits.COUNT_SHARDS;
    const identity = { connection: randomUUID(), shard: this.#lastShard };
    this.#identities.set(client, identity);
    return identity;
  }

  /** Keys of an older revision must not replace newer ones. */
  #remember(known: KnownKeys): void {
    if (!this.#known || known.revision > this.#known.revision) this.#known = known;
  }
}

function decideAll({ requests }: Batch, state: BatchState, refused: limits.Refused): ScanOutcome[] {
  return requests.map((request, index) => {
    if (!limits.wantsToken(request)) return answerRequest(request, state);
    const { keyId, now } = request;
    const waitMs = refused.get(index);
    if (waitMs !== undefined) return answerRequest({ kind: 'limited', keyId, now, waitMs }, state);
    // The shared bucket used the current limits, whichever the instance's own had.
    return answerRequest({ ...request, rate: undefined }, state);
  });
}

function partsFor({ log }: BatchState, now: number): number[] {
  return [...new Set(log.map(({ at }) => partOf(at, now)))];
}
