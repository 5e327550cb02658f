import type {
  AdministrativeDocument,
  DocumentRevision,
  NewAuditLogEntry,
} from '../core/administrative-records.ts';

/** An event, or an organisation with all of its events, that is to be deleted together with its tickets. */
export interface DeletionRequest {
  readonly what: 'event' | 'organisation';
  readonly id: string;
  readonly name: string;
  /** The sums that stay are by day in this time zone. */
  readonly timeZone: string;
  /** The accounts of an organisation, deleted with it; refused when one has changed since it was read. */
  readonly accounts: readonly DocumentRevision[];
  /** The audit entry of the end; its details get the numbers of what was removed. */
  readonly ended: NewAuditLogEntry;
}

/** The progress of a deletion: the value of its document, whose id is that of what is deleted. */
export interface Deletion extends Omit<DeletionRequest, 'id' | 'accounts'> {
  /** The organisation. Not `organisationId`, because such documents go with their organisation. */
  readonly owner: string;
  /** Entries of the log up to this number are searched; null before the first step. */
  readonly upTo: number | null;
  readonly searchedTo: number;
  /** Stored answers that expire until then are searched. */
  readonly answersTo: number;
  /** Counters up to this quarter are summed up. */
  readonly countsTo: number;
  /** Removed so far. */
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
): AdministrativeDocument {
  const cursors = { upTo: null, searchedTo: 0, answersTo: -1, countsTo: Number.MIN_SAFE_INTEGER };
  const begun = { ...cursors, entries: 0, tickets: 0 };
  const value: Deletion = { ...request, owner, ...begun };
  return { kind: 'deletion', id, revision: 0, value };
}

/** The audit entry of the end. */
export function endOf({ ended, entries, tickets }: Deletion, at: number): NewAuditLogEntry {
  return { ...ended, at, details: { ...ended.details, tickets, entries } };
}

/**
 * The ends of a log that a deletion removed entries from: numbers continue after `removedTo`, also when the newest were removed, and
 * entries that are missing after `prunedTo` were not pruned. The value of a document that the first deletion writes.
 */
export interface LogEnds {
  readonly prunedTo: number;
  readonly removedTo: number;
}

export const LOG_ENDS = { kind: 'log-ends', id: 'log' } as const;
