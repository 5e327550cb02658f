import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { TicketscanError } from '../../core/errors.ts';
import { answerInBatch } from '../../core/rows-of-sites.ts';
import type { BatchRequest, ScanOutcome } from '../../core/scan-requests.ts';
import { before } from '../deadline.ts';
import { CountedSerials } from '../scan-tally.ts';
import { ScannedDevices } from '../scanned-devices.ts';
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

/** How long after the deadline the committer still asks for the unknown outcome of a commit. */
const OUTCOME_MS_MAX = 1500;
const RETRY_MS_MAX = 20;

export interface CommitterParts {
  /** The connections for the transactions of batches only: what a batch waits for must not wait for batches. */
  readonly connections: Connections;
  readonly others: Connections;
  /** The connections that take tokens, with `synchronous_commit = off`. */
  readonly limits: Connections;
  readonly partitions: LogPartitions;
}

interface Batch {
  readonly requests: readonly BatchRequest[];
  readonly subjects: BatchSubjects;
  readonly deadlineMs: number;
  /** The tokens are taken once, however often the batch is tried. */
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
  readonly #devices = new ScannedDevices();
  /** Starts at random, so that instances do not all count in the same rows. */
  #lastShard = randomInt(limits.COUNT_SHARDS);
  #known: KnownKeys | undefined;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /**
   * Commits a batch, and tries again until `deadlineMs` (of `performance.now()`): clients do not notice a deadlock, a lost connection or a
   * short fail-over, and get their answer before the device gives up.
   * Looks up the outcome of a commit if it is unknown. A batch is decided again only if the first try is known to
   * have left nothing.
   * @throws UnknownOutcomeError that names the operation, if its outcome was not found in time; TicketscanError `store_busy` at the
   *   deadline, if nothing was written
   */
  async commit(requests: readonly BatchRequest[], deadlineMs: number): Promise<ScanBatchResult> {
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

  /** @throws the error if another try is useless, or there is no time for it */
  async #prepareAgain(batch: Batch, error: unknown): Promise<void> {
    const isFinal = error instanceof UnknownOutcomeError || error instanceof TicketscanError;
    if (isFinal || performance.now() > batch.deadlineMs) throw error;
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

  /** Gives a connection back whose transaction failed before its COMMIT was sent. */
  async #leave(client: PoolClient, error: unknown): Promise<void> {
    // The connection may still wait for a lock, so nothing can be sent on it.
    if (error instanceof TicketscanError) return client.release(true);
    if (!isLostConnection(error)) await rollBack(client);
    this.#parts.connections.release(client, error);
  }

  /** @returns undefined if the transaction left nothing and can be tried again */
  async #try(batch: Batch): Promise<ScanBatchResult | undefined> {
    const { connections, others } = this.#parts;
    const tokens = this.#tokensFor(batch);
    const { deadlineMs } = batch;
    if (connections.isPooled) await before(deadlineMs, this.#whatElseIsAsked(batch, tokens));
    const client = await before(deadlineMs, connections.takeBefore(deadlineMs), (late) =>
      connections.release(late),
    );
    const at = Math.max(0, ...batch.requests.map(({ now }) => now));
    const mark = {
      ...this.#identityOf(client),
      operation: randomUUID(),
      at,
      serials: this.#serials,
      devices: this.#devices,
    };
    let state: BatchState;
    let result: ScanBatchResult;
    try {
      const reading = readBatch(client, batch.subjects, this.#known, batch.exactly);
      const read = await before(deadlineMs, reading);
      this.#remember(read.known);
      state = read.state;
      result = {
        outcomes: decideAll(batch, state, await before(deadlineMs, tokens)),
        revision: read.known.revision,
      };
      await before(deadlineMs, this.#parts.partitions.ensure(partsFor(state, at)));
    } catch (error) {
      await this.#leave(client, error);
      throw error;
    }
    try {
      const committed = await commitBatch(client, state, { ...mark, deadlineMs }, batch.exactly);
      connections.release(client);
      return committed ? result : undefined;
    } catch (error) {
      // A connection with an unknown outcome is not used again: its next operation would overwrite this one's row.
      connections.release(client, error);
      if (!(error instanceof UnknownOutcomeError)) throw error;
      const askUntilMs = deadlineMs + OUTCOME_MS_MAX;
      const operation = { ...mark, deadlineMs: askUntilMs };
      return (await outcomeOf(others, operation, error)) ? result : undefined;
    }
  }

  /**
   * Finishes what needs another connection before the batch takes its own. A pooler may have fewer connections than all instances use: a batch
   * that held one while it waited for another could wait for a batch that does the same.
   */
  async #whatElseIsAsked({ requests }: Batch, tokens: Promise<limits.Refused>): Promise<void> {
    const months = new Set(
      requests.map((one) => partOf(one.kind === 'relayed' ? one.entry.at : one.now, one.now)),
    );
    await Promise.all([tokens, this.#parts.partitions.ensure([...months])]);
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
    if (!limits.wantsToken(request)) return answerInBatch(request, state);
    const { keyId, now } = request;
    const waitMs = refused.get(index);
    if (waitMs !== undefined) return answerInBatch({ kind: 'limited', keyId, now, waitMs }, state);
    // The shared bucket used the current limits, whatever limits the instance itself knew.
    return answerInBatch({ ...request, rate: undefined }, state);
  });
}

function partsFor({ log }: BatchState, now: number): number[] {
  return [...new Set(log.map(({ at }) => partOf(at, now)))];
}
