import type { Decision } from '../core/decision.ts';
import type { LogEntry } from '../core/records.ts';
import { eventOfTicketId } from '../core/ticket-id.ts';

/** The conditions of a search in the log. An absent or undefined member is no condition. */
export interface LogSearch {
  readonly organisationId?: string | undefined;
  readonly ticketId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly eventId?: string | undefined;
  /** The serial of the device, as it is stored. */
  readonly serial?: string | undefined;
  /** The wanted outcome: `admitted`, `denied`, a status or a reason. */
  readonly outcome?: string | undefined;
  /** Entries of this time and later, milliseconds since 1970 UTC. */
  readonly fromAt?: number | undefined;
  /** Entries of this time and earlier. */
  readonly untilAt?: number | undefined;
  /** Searches before this number, newest first. If neither bound is given, the search begins with the newest entry. */
  readonly beforeSequence?: number | undefined;
  /** Searches after this number, oldest first. */
  readonly afterSequence?: number | undefined;
  readonly limit: number;
  /** The most sequence numbers that one call examines: a search must not hold up scans. */
  readonly searchMax: number;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** The last number that was examined: the next page continues from it. */
  readonly searchedTo: number;
  /** Whether the log has nothing more in that direction. */
  readonly ended: boolean;
  /** The first number of the log; everything before it was pruned. 1 in an empty log. */
  readonly oldest: number;
  /** The last number of the log; 0 in an empty log. */
  readonly newest: number;
}

/** The entries that a reader of the log missed because they are gone. */
export interface LogGap {
  /** The first missing entry; at most those from here to `toSequence` are missing. Null if it is unknown. */
  readonly fromSequence: number | null;
  readonly toSequence: number | null;
  /** Why they are gone. `log_replaced`: the log ends before the reader's cursor, as after a restore of a backup. */
  readonly reason: 'pruned' | 'log_replaced';
}

/** The gap for a reader who has all entries up to a number; undefined if there is none. */
export function gapAfter(
  afterSequence: number,
  { oldest, newest }: Pick<LogPage, 'oldest' | 'newest'>,
): LogGap | undefined {
  if (newest < afterSequence) {
    return { fromSequence: null, toSequence: null, reason: 'log_replaced' };
  }
  if (newest === 0 || oldest <= afterSequence + 1) return undefined;
  return { fromSequence: afterSequence + 1, toSequence: oldest - 1, reason: 'pruned' };
}

/**
 * The numbers that one search may examine, both included; empty when `first` is greater than `last`.
 * @param oldest the first number that there is: a pruned log does not begin with 1
 */
export function searchedRange(
  {
    beforeSequence,
    afterSequence,
    searchMax,
  }: Pick<LogSearch, 'beforeSequence' | 'afterSequence' | 'searchMax'>,
  newest: number,
  oldest = 1,
): { first: number; last: number } {
  if (afterSequence !== undefined) {
    const first = Math.max(oldest, afterSequence + 1);
    return { first, last: Math.min(newest, first + searchMax - 1) };
  }
  const last = Math.min(newest, (beforeSequence ?? Number.MAX_SAFE_INTEGER) - 1);
  return { first: Math.max(oldest, last - searchMax + 1), last };
}

/**
 * The page with the `entries` that were found in `range`.
 * @param entries at most `search.limit`, in the order of the search
 */
export function logPage(
  search: LogSearch,
  range: { first: number; last: number },
  newest: number,
  entries: readonly LogEntry[],
  oldest = 1,
): LogPage {
  const forward = search.afterSequence !== undefined;
  const isFull = entries.length >= search.limit;
  const end = forward ? Math.max(range.last, search.afterSequence ?? 0) : range.first;
  const searchedTo = (isFull ? entries.at(-1)?.sequence : undefined) ?? end;
  const ended = forward ? searchedTo >= newest : searchedTo <= oldest;
  return { entries, searchedTo, ended, oldest, newest };
}

const DENIED: readonly Decision['status'][] = ['exhausted', 'rejected', 'not_found'];

/** The condition that an outcome sets on the columns of an entry: one of these statuses, or this reason. */
export function outcomeCondition(outcome: string): { statuses: readonly string[]; reason: string } {
  if (outcome === 'admitted') return { statuses: ['consumed'], reason: '' };
  if (outcome === 'denied') return { statuses: DENIED, reason: '' };
  return { statuses: [outcome], reason: outcome };
}

/** Whether an entry meets every condition of a search but its organisation, for stores that hold entries in memory. */
export function meetsConditions(entry: LogEntry, search: LogSearch): boolean {
  const { outcome } = search;
  if (!isOf(entry, search)) return false;
  if (!isWithin(entry.at, search)) return false;
  if (outcome === undefined) return true;
  const { statuses, reason } = outcomeCondition(outcome);
  return statuses.includes(entry.status) || entry.reason === reason;
}

function isOf(entry: LogEntry, { ticketId, keyId, eventId, serial }: LogSearch): boolean {
  if (ticketId !== undefined && entry.ticketId !== ticketId) return false;
  if (keyId !== undefined && entry.keyId !== keyId) return false;
  if (serial !== undefined && entry.serial !== serial) return false;
  return eventId === undefined || eventOfTicketId(entry.ticketId ?? '') === eventId;
}

function isWithin(at: number, { fromAt, untilAt }: LogSearch): boolean {
  return (fromAt === undefined || at >= fromAt) && (untilAt === undefined || at <= untilAt);
}

/** The number of consume operations with one outcome, in one minute, at one gate. Repeated answers are not counted, and of ways out only denials (`DENIALS_AT_AN_EXIT`). */
export interface OutcomeCount {
  readonly organisationId: string;
  readonly keyId: string;
  readonly serial: string | null;
  /** The minute, counted from 1970 UTC. */
  readonly minute: number;
  readonly status: Decision['status'];
  readonly reason: string | null;
  readonly count: number;
}

export interface OutcomeCounts {
  readonly counts: readonly OutcomeCount[];
  /** The last number that was counted. */
  readonly searchedTo: number;
  readonly ended: boolean;
  /** The last number of the log; 0 in an empty log. */
  readonly newest: number;
}

/** The result of counting `range` of the entries after a number. */
export function outcomeCounts(
  afterSequence: number,
  range: { last: number },
  newest: number,
  counts: readonly OutcomeCount[],
): OutcomeCounts {
  const searchedTo = Math.max(afterSequence, range.last);
  return { counts, searchedTo, ended: searchedTo >= newest, newest };
}
