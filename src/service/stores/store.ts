import type { BatchRequest, ScanOutcome } from '../../core/scan-batch.ts';
import type { LogStore } from './log-store.ts';
import type { RecordStore } from './record-store.ts';
import type { StoreUpkeep } from './store-upkeep.ts';
import type { CopyCheckpoint, RecordPage, Section } from './transfer/records.ts';

/**
 * Where tickets, keys and the scan log live. Every engine keeps the same promises; the contract tests hold them to it.
 *
 * Every method rejects with a `TicketscanError` for a failure that a person can fix, with any other error for a fault.
 *
 * Methods that change something require its audit entry. The audit log gets it in the same transaction: there is no change
 * without its entry and no entry without its change.
 *
 * Callers ask for the part that they need.
 */
export interface Store extends ScanStore, RecordStore, LogStore, TransferStore, StoreUpkeep {}

export interface ScanBatchResult {
  /** One outcome for each request, in the order of the requests. */
  readonly outcomes: readonly ScanOutcome[];
  /** Changes whenever keys, events or limits change, in whichever process; what a caller cached before is then stale. */
  readonly revision: number;
}

/** Where scans are decided and kept. */
export interface ScanStore {
  /** How many batches it works on at once; one where this is missing. Two of them may hold the same ticket. */
  readonly batchesInFlight?: number;
  /**
   * Answers the requests one after another with `answerRequest` on the current state, all in one transaction, and
   * resolves when the result is durable: an acknowledged use survives a power cut. When it rejects, the uses of the batch
   * may or may not be registered. The batch may hold the same ticket several times. Changes by other processes that were
   * acknowledged before the call are seen.
   */
  commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult>;
}

/** Copies a store into another, of whichever engine. */
export interface TransferStore {
  /**
   * Fixes the state that `readSnapshot` reads, as it is now: later changes are not seen, and scans go on meanwhile.
   * One at a time; a second one takes the place of the first.
   */
  beginSnapshot(): Promise<void>;
  /** Reads up to `limit` records from `after` on, which is null or a page's `next`. A place stays good for later snapshots. */
  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  endSnapshot(): Promise<void>;
  /**
   * Writes records of another store as they are, and how far that has come, in one transaction. Sections come in the order
   * of `SECTIONS`.
   * @throws TicketscanError `conflict` when the store holds anything else than the copy from the same source so far
   */
  importRecords(page: RecordPage, checkpoint: CopyCheckpoint): Promise<void>;
  /** How far the copy that is being made here has come; undefined for a store that is whole. */
  unfinishedCopy(): Promise<CopyCheckpoint | undefined>;
  /** The copy is whole: from now on this is a store like any other. */
  endImport(): Promise<void>;
}
