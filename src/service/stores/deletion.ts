import type {
  AdministrativeDocument,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../core/administrative-records.ts';

/** An event, or an organisation with all of its events, that is to be deleted together with its tickets. */
export interface DeletionRequest {
  readonly what: 'event' | 'organisation';
  readonly id: string;
  readonly name: string;
  /** Its days are those of the sums that stay. */
  readonly timeZone: string;
  /** Of an organisation: must still be as they were read, and go with it. */
  readonly accounts: readonly DocumentRevision[];
  /** The audit entry of the end; its details get the numbers of what was removed. */
  readonly ended: NewAuditLogEntry;
}

/** How far a deletion has come: the value of its document, whose id is that of what is deleted. */
export interface Deletion extends Omit<DeletionRequest, 'id' | 'accounts'> {
  /** The organisation. Not `organisationId`, because such documents go with their organisation. */
  readonly owner: string;
  /** Entries of the log up to this number are looked through; null before the first step. */
  readonly upTo: number | null;
  readonly searchedTo: number;
  /** Stored answers that expire until then are looked through. */
  readonly answersTo: number;
  /** Counters up to this quarter are summed up. */
  readonly countsTo: number;
  /** What was removed so far. */
  readonly entries: number;
  readonly tickets: number;
}

/** What a deletion does at a time: some 5 ms of a store's only writer. */
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
  const places = { upTo: null, searchedTo: 0, answersTo: -1, countsTo: Number.MIN_SAFE_INTEGER };
  const begun = { ...places, entries: 0, tickets: 0 };
  const value: Deletion = { ...request, owner, ...begun };
  return { kind: 'deletion', id, revision: 0, value };
}

/** The audit entry of the end. */
export function endOf({ ended, entries, tickets }: Deletion, at: number): NewAuditLogEntry {
  return { ...ended, at, details: { ...ended.details, tickets, entries } };
}

/**
 * Where the log ends once a deletion took entries out of it: numbers go on after `removedTo`, also when those were the newest, and
 * what is missing after `prunedTo` was not pruned. The value of a document that the first deletion writes.
 */
export interface LogEnds {
  readonly prunedTo: number;
  readonly removedTo: number;
}

export const LOG_ENDS = { kind: 'log-ends', id: 'log' } as const;
