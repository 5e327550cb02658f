import type { DeviceRecord, LogEntry } from '../core/records.ts';
import type { BatchRequest, ScanOutcome } from '../core/scan-batch.ts';
import type { CountedBy } from '../core/scan-count.ts';
import type { LogPage, LogSearch, OutcomeCounts } from './log-search.ts';
import type { RecordStore } from './record-store.ts';
import type { CopyCheckpoint, RecordPage, Section } from './transfer/records.ts';

/**
 * Where tickets, keys and the scan log live. Every engine keeps the same promises; the contract tests hold them to it.
 *
 * Every method rejects with a `TicketscanError` for a failure that a person can fix, with any other error for a bug.
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
  /** How long a scan may wait for it, from the moment when it is asked for; missing where waits end by themselves. */
  readonly scanMsMax?: number;
  /**
   * Answers the requests one after another with `answerRequest` on the current state, all in one transaction, and
   * resolves when the result is durable: an acknowledged use survives a power cut. When it rejects, the uses of the batch
   * may or may not be registered. The batch may hold the same ticket several times. Changes by other processes that were
   * acknowledged before the call are seen.
   * @param deadlineMs when it is given up, on `performance.now()`, for a store with a `scanMsMax`
   */
  commitScans(
    requests: readonly BatchRequest[],
    deadlineMs?: number | undefined,
  ): Promise<ScanBatchResult>;
}

export interface LogFilter {
  /** Entries after this sequence number, oldest first. Without it: the newest `limit` entries, oldest first. */
  readonly afterSequence?: number;
  readonly ticketId?: string;
  readonly limit: number;
}

/** What `pruneLog` would remove. Times are milliseconds since 1970 UTC; null when it would remove nothing. */
export interface PrunableLog {
  readonly entries: number;
  /** Uses among them; the counters keep them. */
  readonly uses: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** What was scanned, and by which devices. */
export interface LogStore {
  readLog(filter: LogFilter): Promise<LogEntry[]>;
  /** Entries that meet the conditions, a bounded part of the log at a time. */
  searchLog(search: LogSearch): Promise<LogPage>;
  /** Counts consume operations among the `searchMax` entries after a number; repeated answers and exits are left out. */
  countOutcomes(afterSequence: number, searchMax: number): Promise<OutcomeCounts>;
  /**
   * Sums up the scans that were counted when they were logged, in any order. Its time does not depend on the log: it reads a few
   * counters for each quarter of an hour. Ask for some days at a time, so that scans do not wait.
   */
  sumScans(search: CountSearch): Promise<ScanSum[]>;
  /**
   * The devices of an organisation's keys that are not deleted, the latest contact first. Of each key at most
   * `DEVICES_PER_KEY_MAX` are kept that sent a heartbeat, and as many that only scan: a new one beyond that replaces those that were
   * silent for `DEVICE_FORGOTTEN_AFTER_MS`, or is not kept.
   */
  listDevices(organisationId: string): Promise<DeviceRecord[]>;

  /** What `pruneLog` would remove with this bound. */
  prunableLog(before: number): Promise<PrunableLog>;
  /**
   * Removes the oldest log entries, about `entriesMax` of them in one transaction: from the beginning of the log up to the
   * first entry that is not older than `before`, and never the newest of all. Counters stay; the uses that the log then
   * no longer holds are remembered by ticket, so that `audit` still proves log = counters. May remove less than
   * that where an engine can only drop whole parts of the log.
   * @returns how many it removed; 0 when no more are to be removed
   */
  pruneLog(before: number, entriesMax: number): Promise<number>;
}

/** Which counted scans are summed up, and by which dimension. */
export interface CountSearch {
  readonly organisationId: string;
  /** The first quarter of an hour since 1970 UTC, included. */
  readonly fromQuarter: number;
  /** Not included. */
  readonly untilQuarter: number;
  readonly by: 'quarter' | 'event' | 'gate' | 'kind';
  /** Scans of this event only. */
  readonly eventId?: string;
}

/** A count; dimensions that were not requested are absent. */
export interface ScanSum
  extends Pick<CountedBy, 'operation' | 'outcome' | 'direction'>,
    Partial<Pick<CountedBy, 'quarter' | 'eventId' | 'keyId' | 'serial' | 'kind'>> {
  readonly scans: number;
}

/** Copies a store into another, of whichever engine. */
export interface TransferStore {
  /**
   * Fixes the state that `readSnapshot` reads, as it is now: later changes are not seen, and scans continue meanwhile.
   * One at a time; a second one replaces the first.
   */
  beginSnapshot(): Promise<void>;
  /** Reads up to `limit` records from `after` on, which is null or a page's `next`. Cursors remain valid across snapshots. */
  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  endSnapshot(): Promise<void>;
  /**
   * Writes records of another store as they are, and the progress of the copy, in one transaction. Sections come in the order
   * of `SECTIONS`.
   * @throws TicketscanError `conflict` when the store holds anything else than the copy from the same source so far
   */
  importRecords(page: RecordPage, checkpoint: CopyCheckpoint): Promise<void>;
  /** The progress of the copy that is being made here; undefined for a complete store. */
  unfinishedCopy(): Promise<CopyCheckpoint | undefined>;
  /** The copy is whole: from now on this is a store like any other. */
  endImport(): Promise<void>;
}

export interface VerifyReport {
  readonly tickets: number;
  readonly scans: number;
  /** One sentence for each broken invariant; empty when all hold. */
  readonly problems: readonly string[];
}

export interface StoreInfo {
  readonly engine: string;
  readonly format: {
    readonly version: number;
    /** What it was when this process opened the store; 0 for a new one. */
    readonly versionFound: number;
  };
  readonly counts: Readonly<Record<Section, number>>;
  /** Size on disk; null where the engine does not know it. */
  readonly bytes: number | null;
  /** The time of the newest log entry. */
  readonly lastScanAt: number | null;
  /** Further facts of this engine, by name. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** What the operator of the service needs of a store. */
export interface StoreUpkeep {
  /** Proves that counters, of tickets and of the statistics, equal the log and that no ticket is over its uses. */
  verify(): Promise<VerifyReport>;

  /**
   * Overwrites what erased data left in the store's files.
   * @param isPatient also where it takes long, and the store cannot be used meanwhile
   * @returns false when some of it may still be there
   */
  purgeErased(isPatient: boolean): Promise<boolean>;

  info(): Promise<StoreInfo>;
  /** What opening it did that people should know, in one sentence; missing where that is nothing. */
  readonly notice?: string;
  /** Tells from now on, in one sentence each time, what the operator should know of the servers; missing where there are none. */
  tellOperator?(tell: (level: 'info' | 'warn', text: string) => void): void;
  /** Resolves when a write has just become durable; rejects when the store cannot write. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
