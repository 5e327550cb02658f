import type {
  AdministrativeRecord,
  AdministrativeRevision,
  NewAuditLogEntry,
} from '../core/administrative-records.ts';

/** An event, or an organisation with all of its events, that is to be deleted together with its tickets. */
export interface DeletionRequest {
  readonly what: 'event' | 'organisation';
  readonly id: string;
  readonly name: string;
  /** The time zone of the daily sums that are kept. */
  readonly timeZone: string;
  /** The accounts of the organisation. They are deleted with it; the request is refused if one has changed since it was read. */
  readonly accounts: readonly AdministrativeRevision[];
  /** The audit entry that ends the deletion; its details get the numbers of what was removed. */
  readonly ended: NewAuditLogEntry;
}

/** The progress of a deletion: the value of its record, whose id is that of what is deleted. */
export interface Deletion extends Omit<DeletionRequest, 'id' | 'accounts'> {
  /** The organisation. Not `organisationId`, because such administrative records go with their organisation. */
  readonly owner: string;
  /** The log is searched up to this entry; null before the first step. */
  readonly upTo: number | null;
  readonly searchedTo: number;
  /** Stored answers are searched up to this time of expiry. */
  readonly answersTo: number;
  /** Counters are summed up to this quarter of an hour. */
  readonly countsTo: number;
  /** How many log entries were removed so far. */
  readonly entries: number;
  readonly tickets: number;
}

/** The size of one step of a deletion: some 5 ms of a store's only writer. */
export const STEP = {
  entriesSearched: 5000,
  entries: 200,
  tickets: 200,
  answers: 1000,
  counts: 200,
} as const;

export function begunDeletion(
  { accounts: _, id, ...request }: DeletionRequest,
  owner: string,
): AdministrativeRecord {
  const cursors = { upTo: null, searchedTo: 0, answersTo: -1, countsTo: Number.MIN_SAFE_INTEGER };
  const begun = { ...cursors, entries: 0, tickets: 0 };
  const value: Deletion = { ...request, owner, ...begun };
  return { kind: 'deletion', id, revision: 0, value };
}

/** The audit entry that ends the deletion. */
export function endOf({ ended, entries, tickets }: Deletion, at: number): NewAuditLogEntry {
  return { ...ended, at, details: { ...ended.details, tickets, entries } };
}

/**
 * The ends of a log from which a deletion removed entries. Numbers continue after `removedTo`, even if the newest entries were removed.
 * Entries that are missing after `prunedTo` were deleted, not pruned. The first deletion writes this as the value of an administrative record.
 */
export interface LogEnds {
  readonly prunedTo: number;
  readonly removedTo: number;
}

export const LOG_ENDS = { kind: 'log-ends', id: 'log' } as const;
