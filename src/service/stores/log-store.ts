import type { DeviceRecord, LogEntry } from '../../core/records.ts';
import type { CountedBy } from '../../core/scan-count.ts';
import type { LogPage, LogSearch, OutcomeCounts } from './log-search.ts';

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
   * The devices of an organisation's keys that are not deleted, the latest contact first. At most
   * `DEVICES_PER_ORGANISATION_MAX` are kept: a new one takes the place of the one that was silent longest.
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

/** Which counted scans are summed up, and what is kept apart. */
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

/** So many scans of a sort; what the search does not keep apart is absent. */
export interface ScanSum
  extends Pick<CountedBy, 'operation' | 'outcome' | 'direction'>,
    Partial<Pick<CountedBy, 'quarter' | 'eventId' | 'keyId' | 'serial' | 'kind'>> {
  readonly scans: number;
}
