import type { AdministrativeRecord } from '../core/administrative-records.ts';
import type { Held, SentRow } from '../core/event-home.ts';
import type { DeviceRecord, EventRecord, LogEntry, Organisation } from '../core/records.ts';
import type { CountedBy } from '../core/scan-count.ts';
import type { BatchRequest, RowKept, ScanOutcome } from '../core/scan-requests.ts';
import type { Ticket } from '../core/ticket.ts';
import type { LogPage, LogSearch, OutcomeCounts } from './log-search.ts';
import type { RecordStore } from './record-store.ts';
import type { SiteChange } from './sql/tables.ts';
import type { CopyCheckpoint, RecordPage, Section, StoredKey } from './transfer/records.ts';

/**
 * Where tickets, keys and the scan log live. Every kind of store keeps the same promises; the contract tests hold them to it.
 *
 * Every method rejects with a `TicketscanError` for a failure that a person can fix, with any other error for a bug.
 *
 * Methods that change something require its audit entry. The audit log gets it in the same transaction: there is no change
 * without its entry and no entry without its change.
 *
 * Callers ask for the part that they need.
 */
export interface Store
  extends ScanStore,
    RecordStore,
    LogStore,
    SiteStore,
    TransferStore,
    StoreUpkeep {}

export interface ScanBatchResult {
  /** One outcome for each request, in the order of the requests. */
  readonly outcomes: readonly ScanOutcome[];
  /** Changes whenever keys, events or limits change, in whichever process; what a caller cached before is then stale. */
  readonly revision: number;
}

/** Where scans are decided and kept. */
export interface ScanStore {
  /** How many batches the store works on at once; 1 if this is missing. Two of them may hold the same ticket. */
  readonly batchesInFlight?: number;
  /** How long a scan may wait for the store, from its request on; missing if waits end by themselves. */
  readonly scanMsMax?: number;
  /**
   * Answers the requests one after another with `answerRequest` on the current state, all in one transaction, and
   * resolves when the result is durable: an acknowledged use survives a power cut. If it rejects, the uses of the batch
   * may or may not be registered. The batch may hold the same ticket several times. Changes by other processes that were
   * acknowledged before the call are seen.
   * @param deadlineMs when the store gives up, on `performance.now()`, for a store with a `scanMsMax`
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

/** What `pruneLog` would remove. Times are milliseconds since 1970 UTC; null if it would remove nothing. */
export interface PrunableLog {
  readonly entries: number;
  /** How many of the entries are uses; the counters keep them. */
  readonly uses: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** The log of scans, and the devices that scanned. */
export interface LogStore {
  readLog(filter: LogFilter): Promise<LogEntry[]>;
  /** Returns entries that meet the conditions. One call examines a bounded part of the log. */
  searchLog(search: LogSearch): Promise<LogPage>;
  /** Counts consume operations among the `searchMax` entries after a number; repeated answers and ways out that kept nobody inside are left out. */
  countOutcomes(afterSequence: number, searchMax: number): Promise<OutcomeCounts>;
  /**
   * Sums up counted scans, in any order. Its time does not depend on the length of the log: it reads a few
   * counters for each quarter of an hour. Ask for a few days at a time, so that scans do not wait.
   */
  sumScans(search: CountSearch): Promise<ScanSum[]>;
  /** The uses of an organisation that were taken back since a time, while the log holds both entries: of the newest 1,000 of the store. */
  listUndos(organisationId: string, fromAt: number): Promise<TakenBack[]>;
  /**
   * Lists the devices of an organisation's keys that are not deleted, the latest contact first. For each key at most
   * `DEVICES_PER_KEY_MAX` devices that sent a heartbeat are kept, and as many that only scan. A new device beyond that replaces devices that were
   * silent for `DEVICE_FORGOTTEN_AFTER_MS`, or is not kept.
   */
  listDevices(organisationId: string): Promise<DeviceRecord[]>;

  /** What `pruneLog` would remove with this bound. */
  prunableLog(before: number): Promise<PrunableLog>;
  /**
   * Removes the oldest log entries, about `entriesMax` of them in one transaction: from the beginning of the log up to the
   * first entry that is not older than `before`, and never the newest of all. Counters stay. The uses that the log then
   * no longer holds are remembered by ticket, so that `audit` still proves log = counters. It may remove less
   * if an engine can only drop whole parts of the log.
   * @returns how many it removed; 0 if there are no more to remove
   */
  pruneLog(before: number, entriesMax: number): Promise<number>;
}

/** A use that was taken back, or a way out. */
export interface TakenBack {
  readonly ticketId: string;
  /** Empty where the key does not say in which direction its readers lead. */
  readonly direction: CountedBy['direction'];
  /** When the scan was, and when it was taken back. */
  readonly usedAt: number;
  readonly undoneAt: number;
}

/** What sums of counted scans are kept apart by. */
export type CountDimension = 'quarter' | 'event' | 'gate' | 'kind';

/** Selects the counted scans to sum up, and the dimensions of the sums. */
export interface CountSearch {
  readonly organisationId: string;
  /** The first quarter of an hour, counted from 1970 UTC. */
  readonly fromQuarter: number;
  /** The quarter of an hour after the last one. */
  readonly untilQuarter: number;
  /** None for one sum of everything. */
  readonly by: readonly CountDimension[];
  /** Scans of this event only. */
  readonly eventId?: string;
}

/** A count. Dimensions that were not requested are absent. */
export interface ScanSum
  extends Pick<CountedBy, 'operation' | 'outcome' | 'direction'>,
    Partial<Pick<CountedBy, 'quarter' | 'eventId' | 'keyId' | 'serial' | 'kind'>> {
  readonly scans: number;
}

/** Copies a store into another, of whichever kind. */
export interface TransferStore {
  /**
   * Fixes the state that `readSnapshot` reads: later changes are not seen, and scans continue meanwhile.
   * There is one snapshot at a time; a second one replaces the first.
   */
  beginSnapshot(): Promise<void>;
  /** Reads up to `limit` records from `after` on, which is null or a page's `next`. Cursors remain valid across snapshots. */
  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  endSnapshot(): Promise<void>;
  /**
   * Writes records of another store as they are, and the progress of the copy, in one transaction. Sections come in the order
   * of `SECTIONS`.
   * @throws TicketscanError `conflict` if the store holds anything but the beginning of a copy from the same source
   */
  importRecords(page: RecordPage, checkpoint: CopyCheckpoint): Promise<void>;
  /** The progress of the copy that is being made here; undefined for a complete store. */
  unfinishedCopy(): Promise<CopyCheckpoint | undefined>;
  /** Ends a complete copy: from now on this is a store like any other. */
  endImport(): Promise<void>;
}

/** What a site has besides tickets, as its centre has it. */
export interface SiteRecords {
  readonly organisation: Organisation;
  /** The events that are at this site. */
  readonly events: readonly EventRecord[];
  /** Every key of the organisation that is not deleted; of their events only those above. */
  readonly keys: readonly StoredKey[];
  /** Settings of the organisation that gates need. */
  readonly administrative: readonly Pick<AdministrativeRecord, 'kind' | 'id' | 'value'>[];
}

export interface SiteChangeSearch {
  readonly eventIds: readonly string[];
  /** Changes after this number. */
  readonly after: number;
  readonly limit: number;
}

/** What a centre and its sites keep of each other (`core/event-home`). A row of a site that is a scan comes with `commitScans`. */
interface SiteStore {
  /** Lists at the centre the changes of tickets of events that are away, in their order; a later one of the same ticket follows. */
  listSiteChanges(search: SiteChangeSearch): Promise<SiteChange[]>;
  newestSiteChange(): Promise<number>;
  /** The latest change of each of these tickets that has one. */
  siteChangesOf(ticketIds: readonly string[]): Promise<SiteChange[]>;
  /** The site that has these events says that changes up to this number are in force there. */
  noteInForce(eventIds: readonly string[], upTo: number, at: number): Promise<void>;
  /** Forgets the changes of an event that came home. */
  dropSiteChanges(eventId: string): Promise<void>;
  /** The keys of an organisation that are not deleted, with the hashes of their values; no accounts. */
  storedKeys(organisationId: string): Promise<StoredKey[]>;
  /** The organisation of a key or an account that scanned, also of a deleted one. */
  ownerOfKey(keyId: string): Promise<string | undefined>;
  /** Keeps a row of a site that takes back a use. */
  relayUndo(row: SentRow, entry: Omit<LogEntry, 'sequence'>): Promise<RowKept>;

  /**
   * Begins the copy of an event at a site, takes the event, or closes it, in one transaction that no scan runs beside. A copy begins only where
   * no ticket of an earlier stay is left, and only the epoch that is copied is taken.
   * @returns what the site has of it then
   */
  moveHeld(
    eventId: string,
    move: 'copy' | 'take' | 'close',
    epoch: number,
  ): Promise<Held | undefined>;
  /** Replaces at a site its organisation, events, keys and settings by those of its centre. */
  putSiteRecords(records: SiteRecords): Promise<void>;
  /** Makes of a store that was copied or restored a new site without events, if it is one. */
  forgetSite(): Promise<void>;
  /**
   * Writes tickets of an event at a site as its centre has them, while the site decides the event or copies it; others are left out. A ticket
   * that is here keeps its uses.
   * @param copiedIn the epoch of the copy that they are from; not given for changes
   */
  putSiteTickets(
    eventId: string,
    tickets: readonly Ticket[],
    copiedIn?: number | undefined,
  ): Promise<void>;
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
    /** The version of the format when this process opened the store; 0 for a new store. */
    readonly versionFound: number;
  };
  readonly counts: Readonly<Record<Section, number>>;
  /** The size on disk; null if the engine does not know it. */
  readonly bytes: number | null;
  /** The time of the newest log entry. */
  readonly lastScanAt: number | null;
  /** Further facts of this engine, by name. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** The methods of a store for the operator of the service. */
export interface StoreUpkeep {
  /** Proves that the counters of tickets and statistics equal the log, and that no ticket has too many uses. */
  verify(): Promise<VerifyReport>;

  /**
   * Overwrites what erased data left in the store's files.
   * @param isPatient true to do it even if it takes long and blocks the store meanwhile
   * @returns false if some of it may still be there
   */
  purgeErased(isPatient: boolean): Promise<boolean>;

  info(): Promise<StoreInfo>;
  /** What opening it did that people should know, in one sentence; missing where that is nothing. */
  readonly notice?: string;
  /** Tells from now on, in one sentence each time, what the operator should know of the servers; missing where there are none. */
  tellOperator?(tell: (level: 'info' | 'warn', text: string) => void): void;
  /** Writes something and resolves when it is durable; rejects if the store cannot write. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
