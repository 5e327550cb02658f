import type {
  AdministrativeDocument,
  AuditLogEntry,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../core/administrative-records.ts';
import type { TicketState } from '../core/decision.ts';
import type { OrganisationLimits } from '../core/limits.ts';
import type {
  ApiKeyRecord,
  EventRecord,
  LogEntry,
  Occupancy,
  Organisation,
  ScannerRecord,
} from '../core/records.ts';
import type { NewTicket, SkippedTickets, Ticket, TicketHistory } from '../core/ticket.ts';
import type { TicketEdits } from '../core/ticket-changes.ts';
import type { UndoRequest } from '../core/undo.ts';
import type { DeletionRequest } from './deletion.ts';

/** A key with the limits of its organisation. */
export interface KeyLookup {
  readonly key: ApiKeyRecord;
  readonly limits: OrganisationLimits;
  /** Of its organisation; missing where none was set. */
  readonly timeZone?: string;
  readonly revision: number;
  /** Whether the value is the newest, or the one before the last rotation. */
  readonly isPrevious: boolean;
}

/** A key as it is found by its hash, also a deleted one. */
export interface KeyOfHash extends Pick<ApiKeyRecord, 'id' | 'organisationId' | 'type' | 'active'> {
  readonly hash: string;
  readonly isDeleted: boolean;
}

export interface InsertOptions {
  /** What becomes of the insert when a ticket exists: nothing is inserted, or all others are. `refuse` by default. */
  readonly existing: 'refuse' | 'skip';
  /**
   * `unique`: a ticket is left out whose reference a ticket of its organisation has already. Those of one call may have one reference
   * together; of two calls at once, in any process, one inserts it.
   */
  readonly references?: 'unique';
  /** What the tickets belong to, made in the same transaction. */
  readonly owners?: Change;
}

/** The tickets that `stateOf` finds in this state; one `now` for the whole request, milliseconds since 1970 UTC. */
interface StateAt {
  readonly is: TicketState;
  readonly now: number;
}

export interface TicketFilter {
  readonly eventId?: string;
  readonly state?: StateAt;
  /** Part of the id or of the holder's name. */
  readonly search?: string;
  /** Only tickets of this batch. */
  readonly batch?: string;
  /** Only tickets with this reference, letter for letter. */
  readonly reference?: string;
  /** Tickets after this id, in the order of creation; those of one insert in an order of the store's own. */
  readonly afterId?: string;
  readonly limit: number;
}

/** A page of tickets for people who search. */
export interface TicketSearch extends Omit<TicketFilter, 'eventId'> {
  /** Tickets of these events only. */
  readonly eventIds: readonly string[];
  /** At most this number of tickets is looked at, with a `reference` of those that have it: a search must not hold up scans. */
  readonly searchMax: number;
  /** Against the order of creation: `afterId` then is where the older ones begin. */
  readonly newestFirst?: boolean;
}

export interface TicketPage {
  readonly tickets: readonly Ticket[];
  /** A cursor for `afterId` of the next page; null when there is none. A page may be short and yet have a next one. */
  readonly next: string | null;
  /** The part of the store's tickets that is behind the search once it has this page: from 0 to 1, and 1 on the last page only. */
  readonly searched: number;
}

export interface AuditFilter {
  /** Changes of this organisation only; those of the store as a whole belong to none. */
  readonly organisationId?: string;
  /** Entries before this number. */
  readonly beforeSequence?: number;
  readonly limit: number;
}

/** Records that scans read, by kind. */
export interface RecordOf {
  organisation: Organisation;
  event: EventRecord;
  /** One that is not deleted; without the accounts that scan. */
  key: ApiKeyRecord;
  /** An account that has scanned, also one that was deleted since: the log names it. */
  scanner: ScannerRecord;
}

export type RecordKind = keyof RecordOf;

/** Which records of a kind, and a page of them. Only what belongs to an organisation can be chosen by it. */
export interface RecordFilter {
  readonly organisationId?: string;
  /** The rest of the list after this id. */
  readonly afterId?: string;
  readonly limit?: number;
  /** Events only: without those that are archived. */
  readonly withoutArchived?: boolean;
  /** A part of the name, folded as `foldedText` does. */
  readonly named?: string;
  /** Documents only, in place of all else: those whose value has one of these texts in this member. */
  readonly member?: DocumentMember;
}

export interface DocumentMember {
  readonly name: 'organisationId' | 'accountId' | 'phoneOf' | 'createdBy' | 'askedBy';
  readonly anyOf: readonly string[];
}

/** What a key has used of its month, and when it was used last. */
export interface KeyUse {
  readonly keyId: string;
  readonly requests: number;
  /** The minute of its latest scan that counted; null when there was none. */
  readonly lastUsedAt: number | null;
}

/** Where the records are listed: a store, or a server that has one. */
export interface RecordLists {
  list<Kind extends RecordKind>(kind: Kind): Promise<RecordOf[Kind][]>;
}

/** What a store reads and lists, by kind. */
export type Stored = RecordOf & { readonly [Kind in DocumentKind]: AdministrativeDocument };

/** A record as the caller read it, and as it is to be; null for one that is made or deleted. */
interface Changed<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly before: RecordOf[Kind] | null;
  readonly after: RecordOf[Kind] | null;
}

export type RecordChange =
  | Changed<'organisation'>
  | Changed<'event'>
  | Changed<'scanner'>
  /** @param hash of a new value; the one that the key had holds as well, until `previousUntil` */
  | (Changed<'key'> & { readonly hash?: string });

/** Changes that are made together, or none of them. */
export interface Change {
  /** Apply to every request that starts after the change resolves, in every process. */
  readonly records?: readonly RecordChange[];
  /** Each is written as the next revision after its `revision`; 0 there means that it must be new. */
  readonly documents?: readonly AdministrativeDocument[];
  /** Nothing happens for one that there is not. */
  readonly deleted?: readonly Pick<AdministrativeDocument, 'kind' | 'id'>[];
  /**
   * What the caller decided by: it must still be as it was read, until the change is committed. The accounts among them go with an
   * organisation that is deleted.
   */
  readonly unchanged?: readonly DocumentRevision[];
  /** For `documents`; counted in the transaction: parallel writes cannot pass them together. */
  readonly bounds?: readonly DocumentBound[];
  /** Up to this number the caller found no log entry of an event or organisation that is deleted; 0 by default. */
  readonly searchedTo?: number;
  /** Empty only for changes without an author, such as a session that continues. */
  readonly audit: readonly NewAuditLogEntry[];
}

/** Organisations, events, keys, tickets, accounts, and who changed them. */
export interface RecordStore {
  /** Undefined when there is none, also of a deleted key. */
  read<Kind extends keyof Stored>(kind: Kind, id: string): Promise<Stored[Kind] | undefined>;
  /**
   * Records in the order of their creation, documents in that of their ids.
   * @throws TicketscanError `not_found` for an `afterId` that there is not (any more)
   */
  list<Kind extends keyof Stored>(kind: Kind, filter?: RecordFilter): Promise<Stored[Kind][]>;
  /**
   * Only what is empty is deleted: an event without tickets, an organisation without events, keys and other accounts, and neither with
   * later log entries. An event leaves the scope of every key; a deleted key stays for the log, with the time of the first audit entry.
   * @throws TicketscanError `conflict` for a name that is taken, a record or a document that is not as the caller read it, and what is not
   *   empty; `not_found` for a record, organisation or event that there is not; `limit_reached` for a bound, and for a key too many
   */
  write(change: Change): Promise<void>;
  /**
   * Deletes an event with its tickets, or an organisation with its events, keys and accounts: when this resolves, no scan of a ticket of
   * theirs is admitted, in any process. Tickets, log entries and what else is left go with `continueDeletion`.
   * @throws TicketscanError `not_found`; `conflict` when an account was changed meanwhile
   */
  beginDeletion(request: DeletionRequest, auditEntry: NewAuditLogEntry): Promise<void>;
  /**
   * The next short transaction of a deletion. After each of them the store is sound, and the daily sums of an event stay.
   * @param id of the event or organisation @returns false when nothing is left of it
   */
  continueDeletion(id: string, now: number): Promise<boolean>;
  /** The key with this hash, also a disabled one, also of the value before the last rotation; undefined when there is none or it was deleted. */
  findKeyByHash(hash: string): Promise<KeyLookup | undefined>;
  /** The keys with these hashes, also disabled and deleted ones, in an order of the store's own. */
  findKeysByHash(hashes: readonly string[]): Promise<KeyOfHash[]>;
  /** Accepted requests of a key in a month such as 202611. */
  requestsInMonth(keyId: string, month: number): Promise<number>;
  /** The minute of the key's latest scan that counted; null when there was none. */
  keyLastUsedAt(keyId: string): Promise<number | null>;

  /** Of all these keys at once, in an order of the store's own. @param month as 202611 */
  keyUses(keyIds: readonly string[], month: number): Promise<KeyUse[]>;

  /** Events where somebody went in or out, or whose count was reset; in the order of their ids. @param eventIds only these */
  listOccupancy(eventIds?: readonly string[]): Promise<Occupancy[]>;
  /** Nobody is inside from now on. @throws TicketscanError `not_found` */
  resetOccupancy(eventId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void>;

  /**
   * All or none. A ticket with a history keeps it: its uses count although this store's log does not hold them.
   * @param auditEntry after tickets were skipped, its details `count` and `events` are those of the tickets that were inserted;
   *   it is left out when there are none
   * @returns which tickets were skipped; of an id that comes twice, the first is inserted
   * @throws TicketscanError `conflict` for an id that exists, unless it is to be skipped, `not_found` for an event that
   *   does not
   */
  insertTickets(
    tickets: readonly (NewTicket & Partial<TicketHistory>)[],
    auditEntry: NewAuditLogEntry,
    options?: InsertOptions,
  ): Promise<SkippedTickets>;
  /** Those of the references that a ticket of the organisation has, letter for letter, in an order of the store's own. */
  knownReferences(organisationId: string, references: readonly string[]): Promise<string[]>;
  /** From the mark of a deletion on, no ticket of its event is found, listed or changed, as no scan finds it. */
  findTicket(ticketId: string): Promise<Ticket | undefined>;
  /** Those that there are, in an order of the store's own. */
  findTickets(ticketIds: readonly string[]): Promise<Ticket[]>;
  listTickets(filter: TicketFilter): Promise<Ticket[]>;
  /** In the order of creation, as `listTickets`, or against it. */
  searchTickets(search: TicketSearch): Promise<TicketPage>;
  /** Of one event, or all; also those that a deletion has not removed yet. */
  countTickets(eventId?: string): Promise<number>;
  /** Of each of these events that there is, by its id; otherwise as `countTickets`. */
  countTicketsOf(eventIds: readonly string[]): Promise<Record<string, number>>;
  /**
   * Cancels tickets, or reinstates them, all or none. It applies to every scan that starts after it. A ticket that is cancelled already keeps its time.
   * @param at null to reinstate them; those that were replaced stay cancelled
   * @param auditEntry one for all; its details get `count`, the number of those that changed; left out for 0
   * @returns that number
   * @throws TicketscanError `not_found`
   */
  cancelTickets(
    ticketIds: readonly string[],
    at: number | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<number>;

  /**
   * Changes what was sold, on the ticket as it is when nobody else changes or scans it.
   * @param auditEntry its details get what was there `before` and `after`; left out when nothing changed
   * @throws TicketscanError `not_found`, and as `editedTicket` does
   */
  editTicket(ticketId: string, edits: TicketEdits, auditEntry: NewAuditLogEntry): Promise<Ticket>;
  /**
   * Cancels a ticket and makes another instead, with its uses, which this store's log does not hold for the new one. It
   * applies to every scan that starts after it. What links both (`linksOf`) stays until their event is deleted.
   * @throws TicketscanError `not_found`, `conflict` for a cancelled one
   */
  replaceTicket(ticketId: string, newId: string, auditEntry: NewAuditLogEntry): Promise<Ticket>;
  /**
   * Deletes those of the tickets that were never used, that belong to no replacement and that no log entry after `afterSequence` names: a scan at the same
   * moment either finds the ticket and keeps it, or does not find it.
   * @param afterSequence the caller has read the log up to this number
   * @param auditEntry one for all; its details get `count`; left out for 0
   * @returns the ids of those that were deleted
   */
  deleteTickets(
    ticketIds: readonly string[],
    afterSequence: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<string[]>;
  /**
   * Takes back the use of one log entry: the counter of its ticket goes down by one, the log gets an entry that says so, and the
   * stored answer of that scan is dropped, so that a repeated request is a new scan. The times of the ticket stay.
   * @returns the new entry
   * @throws TicketscanError `not_found` for an entry that the log does not hold (any more) or whose event is gone, `conflict` for one
   *   that took no use or was taken back before
   */
  undoUse(request: UndoRequest, auditEntry: NewAuditLogEntry): Promise<LogEntry>;
  /**
   * Removes the holders of tickets: from the tickets, from stored answers, and from the audit entries about them, where `erased` stands
   * instead, and the reasons of their uses that were taken back. The bytes may still be in the files: see `purgeErased`.
   * @param auditEntry its details get `count`; left out for 0
   * @returns how many of the tickets had a holder or such a reason
   */
  eraseHolders(ticketIds: readonly string[], auditEntry: NewAuditLogEntry): Promise<number>;

  /** Newest first. */
  readAuditLog(filter: AuditFilter): Promise<AuditLogEntry[]>;
}
