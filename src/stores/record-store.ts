import type {
  AdministrativeBound,
  AdministrativeKind,
  AdministrativeRecord,
  AdministrativeRevision,
  AuditLogEntry,
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
  /** The time zone of its organisation; missing if none was set. */
  readonly timeZone?: string;
  readonly revision: number;
  /** True for the value before the last rotation, false for the newest one. */
  readonly isPrevious: boolean;
}

/** A key that was found by its hash; it may be deleted. */
export interface KeyOfHash extends Pick<ApiKeyRecord, 'id' | 'organisationId' | 'type' | 'active'> {
  readonly hash: string;
  readonly isDeleted: boolean;
}

export interface InsertOptions {
  /** What happens if a ticket exists: nothing is inserted (`refuse`, the default), or all other tickets are (`skip`). */
  readonly existing: 'refuse' | 'skip';
  /**
   * `unique`: a ticket is left out whose reference a ticket of its organisation has already. The tickets of one call may share a
   * reference; of two calls at once, in any process, one inserts it.
   */
  readonly references?: 'unique';
  /** The event and organisation of the tickets, if they are made in the same transaction. */
  readonly owners?: Change;
}

/** Selects the tickets that `stateOf` finds in this state, with one `now` for the whole request, milliseconds since 1970 UTC. */
interface StateAt {
  readonly is: TicketState;
  readonly now: number;
}

export interface TicketFilter {
  readonly eventId?: string;
  readonly state?: StateAt;
  /** A part of the id or of the holder's name. */
  readonly search?: string;
  /** The batch of the wanted tickets. */
  readonly batch?: string;
  /** The reference of the wanted tickets, letter for letter. */
  readonly reference?: string;
  /** Tickets after this id, in the order of creation. The store chooses the order within one insert. */
  readonly afterId?: string;
  readonly limit: number;
}

/** A search for tickets by a person, page by page. */
export interface TicketSearch extends Omit<TicketFilter, 'eventId'> {
  /** Tickets of these events only. */
  readonly eventIds: readonly string[];
  /** The most tickets that one call examines, with a `reference` of those that have it: a search must not hold up scans. */
  readonly searchMax: number;
  /** True to list the newest tickets first: the page then continues with tickets older than `afterId`. */
  readonly newestFirst?: boolean;
}

export interface TicketPage {
  readonly tickets: readonly Ticket[];
  /** The `afterId` of the next page; null if there is none. A short page may have a next one too. */
  readonly next: string | null;
  /** The part of the store's tickets that was searched up to this page: from 0 to 1, and 1 on the last page only. */
  readonly searched: number;
}

export interface AuditFilter {
  /** Changes of this organisation only. Changes of the whole store belong to none. */
  readonly organisationId?: string;
  /** Entries before this number. */
  readonly beforeSequence?: number;
  readonly limit: number;
}

/** Records that scans read, by kind. */
export interface RecordOf {
  organisation: Organisation;
  event: EventRecord;
  /** A key that is not deleted. Accounts that scan are not among them. */
  key: ApiKeyRecord;
  /** An account that has scanned. It stays when the account is deleted, because the log names it. */
  scanner: ScannerRecord;
}

export type RecordKind = keyof RecordOf;

/** Selects records of a kind, and a page of them. Only records that belong to an organisation can be selected by it. */
export interface RecordFilter {
  readonly organisationId?: string;
  /** The id after which the list begins. */
  readonly afterId?: string;
  readonly limit?: number;
  /** True to leave archived events out. */
  readonly withoutArchived?: boolean;
  /** A part of the name, folded by `foldedText`. */
  readonly named?: string;
  /** The only condition if it is given, on administrative records: the value has one of these texts in this member. */
  readonly member?: AdministrativeMember;
}

export interface AdministrativeMember {
  readonly name: 'organisationId' | 'accountId' | 'phoneOf' | 'createdBy' | 'askedBy';
  readonly anyOf: readonly string[];
}

/** How many requests a key has used in a month, and when it was last used. */
export interface KeyUse {
  readonly keyId: string;
  readonly requests: number;
  /** The minute of its latest scan that counted; null when there was none. */
  readonly lastUsedAt: number | null;
}

/** A source of lists of records: a store, or a server that has one. */
export interface RecordLists {
  list<Kind extends RecordKind>(kind: Kind): Promise<RecordOf[Kind][]>;
}

/** The records that a store reads and lists, by kind. */
export type Stored = RecordOf & { readonly [Kind in AdministrativeKind]: AdministrativeRecord };

/** A record as the caller read it (null for a new one), and as it is to be (null for a deleted one). */
interface Changed<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly before: RecordOf[Kind] | null;
  readonly after: RecordOf[Kind] | null;
}

export type RecordChange =
  | Changed<'organisation'>
  | Changed<'event'>
  | Changed<'scanner'>
  /** `hash` belongs to a new value; the value that the key had is accepted too, until `previousUntil`. */
  | (Changed<'key'> & { readonly hash?: string });

/** Changes that are made together, or none of them. */
export interface Change {
  /** Changes of records. They apply to every request that starts after the change resolves, in every process. */
  readonly records?: readonly RecordChange[];
  /** Administrative records to write. Each gets the revision after its `revision`; 0 means that it must be new. */
  readonly administrative?: readonly AdministrativeRecord[];
  /** Administrative records to delete. One that does not exist is no error. */
  readonly deleted?: readonly Pick<AdministrativeRecord, 'kind' | 'id'>[];
  /**
   * Administrative records on which the caller based its decision: they must not change until the commit. The accounts among them are deleted with
   * their organisation.
   */
  readonly unchanged?: readonly AdministrativeRevision[];
  /** The bounds for `administrative`, checked in the transaction: parallel writes cannot exceed them together. */
  readonly bounds?: readonly AdministrativeBound[];
  /** The caller found no log entry of the deleted event or organisation up to this number; 0 by default. */
  readonly searchedTo?: number;
  /** The audit entries. They may be left out only for a change without an author, such as a session that continues. */
  readonly audit: readonly NewAuditLogEntry[];
}

/** The organisations, events, keys, tickets and accounts, and who changed them. */
export interface RecordStore {
  /** Returns undefined if there is no such record, or if the key was deleted. */
  read<Kind extends keyof Stored>(kind: Kind, id: string): Promise<Stored[Kind] | undefined>;
  /**
   * Lists records in the order of their creation, and administrative records in the order of their ids.
   * @throws TicketscanError `not_found` if `afterId` does not exist (any more)
   */
  list<Kind extends keyof Stored>(kind: Kind, filter?: RecordFilter): Promise<Stored[Kind][]>;
  /**
   * Makes all of a change or nothing. It deletes only an event without tickets and an organisation without events, keys and other accounts,
   * and neither with later log entries. A deleted event leaves the scope of every key. A deleted key stays for the log, with the time of
   * the first audit entry.
   * @throws TicketscanError `conflict` for a name that is taken, a record or an administrative record that is not as the caller read it, and an object that is not
   *   empty; `not_found` for a record, organisation or event that does not exist; `limit_reached` for a bound, and for a key too many
   */
  write(change: Change): Promise<void>;
  /**
   * Begins to delete an event with its tickets, or an organisation with its events, keys and accounts. When this resolves, no scan of their
   * tickets is admitted, in any process. `continueDeletion` removes the tickets, the log entries and the rest.
   * @throws TicketscanError `not_found`; `conflict` if an account was changed meanwhile
   */
  beginDeletion(request: DeletionRequest, auditEntry: NewAuditLogEntry): Promise<void>;
  /**
   * Runs the next short transaction of a deletion. After each one the store is sound. The daily sums of an event stay.
   * @param id the event or organisation @returns false if nothing is left of it
   */
  continueDeletion(id: string, now: number): Promise<boolean>;
  /**
   * Finds a key by the hash of its value, or of the value before the last rotation; it may be disabled. Undefined if there is none or it
   * was deleted.
   */
  findKeyByHash(hash: string): Promise<KeyLookup | undefined>;
  /** Finds the keys with these hashes, including disabled and deleted ones, in any order. */
  findKeysByHash(hashes: readonly string[]): Promise<KeyOfHash[]>;
  /** The number of accepted requests of a key in a month such as 202611. */
  requestsInMonth(keyId: string, month: number): Promise<number>;
  /** The minute of the key's latest scan that counted; null if there was none. */
  keyLastUsedAt(keyId: string): Promise<number | null>;

  /** The use of all these keys, in any order. @param month such as 202611 */
  keyUses(keyIds: readonly string[], month: number): Promise<KeyUse[]>;

  /** Lists the events where somebody went in or out, or whose count was reset, by id. @param eventIds only these */
  listOccupancy(eventIds?: readonly string[]): Promise<Occupancy[]>;
  /** Sets the number of people inside to 0. @throws TicketscanError `not_found` */
  resetOccupancy(eventId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void>;

  /**
   * Inserts all tickets or none. A ticket with a history keeps it: its uses count although this store's log does not hold them.
   * @param auditEntry if tickets were skipped, its details `count` and `events` describe the tickets that were inserted;
   *   without any, it is not written
   * @returns which tickets were skipped; if an id comes twice, the first ticket is inserted
   * @throws TicketscanError `conflict` for an id that exists, unless it is to be skipped; `not_found` for an event that
   *   does not exist
   */
  insertTickets(
    tickets: readonly (NewTicket & Partial<TicketHistory>)[],
    auditEntry: NewAuditLogEntry,
    options?: InsertOptions,
  ): Promise<SkippedTickets>;
  /** Returns those of the references that a ticket of the organisation has, or had until it was erased, letter for letter, in any order. */
  knownReferences(organisationId: string, references: readonly string[]): Promise<string[]>;
  /** Returns the tickets of an event that have one of the references, letter for letter, in the order of their ids; at most `limit`. */
  ticketsWithReferences(
    eventId: string,
    references: readonly string[],
    limit: number,
  ): Promise<Ticket[]>;
  /** Finds a ticket. Once the deletion of its event has begun, it is no longer found, listed, changed or scanned. */
  findTicket(ticketId: string): Promise<Ticket | undefined>;
  /** Returns the tickets that exist, in any order. */
  findTickets(ticketIds: readonly string[]): Promise<Ticket[]>;
  listTickets(filter: TicketFilter): Promise<Ticket[]>;
  /** Finds tickets in the order of creation, like `listTickets`, or newest first. */
  searchTickets(search: TicketSearch): Promise<TicketPage>;
  /** Counts the tickets of one event, or all. Tickets that a deletion has not removed yet count too. */
  countTickets(eventId?: string): Promise<number>;
  /** Counts the tickets of each of these events that exists, by its id; otherwise like `countTickets`. */
  countTicketsOf(eventIds: readonly string[]): Promise<Record<string, number>>;
  /**
   * Cancels or reinstates all of the tickets or none. It applies to every scan that starts after it. A ticket that is cancelled already
   * keeps its time.
   * @param at null to reinstate them; tickets that were replaced stay cancelled
   * @param auditEntry one for all; its details get `count`, the number of tickets that changed; not written for 0
   * @returns that number
   * @throws TicketscanError `not_found`
   */
  cancelTickets(
    ticketIds: readonly string[],
    at: number | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<number>;

  /**
   * Edits what was sold. Nobody else changes or scans the ticket meanwhile.
   * @param auditEntry its details get the values `before` and `after`; not written if nothing changed
   * @throws TicketscanError `not_found`, and what `editedTicket` throws
   */
  editTicket(ticketId: string, edits: TicketEdits, auditEntry: NewAuditLogEntry): Promise<Ticket>;
  /**
   * Cancels a ticket and makes a new one in its place. The new ticket gets its uses, though the log does not hold them for it. It
   * applies to every scan that starts after it. The links between both (`linksOf`) stay until their event is deleted.
   * @throws TicketscanError `not_found`, `conflict` for a cancelled ticket
   */
  replaceTicket(ticketId: string, newId: string, auditEntry: NewAuditLogEntry): Promise<Ticket>;
  /**
   * Deletes the tickets that were never used, that belong to no replacement and that no log entry after `afterSequence` names. A scan at the same
   * moment either finds the ticket and keeps it, or does not find it.
   * @param afterSequence the caller has read the log up to this number
   * @param auditEntry one for all; its details get `count`; not written for 0
   * @returns the ids of the deleted tickets
   */
  deleteTickets(
    ticketIds: readonly string[],
    afterSequence: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<string[]>;
  /**
   * Takes back the use of one log entry: the counter of its ticket goes down by one, the log gets an `undone` entry, and the
   * stored answer of that scan is dropped, so that a repeated request is a new scan. The times of the ticket stay.
   * @returns the new entry
   * @throws TicketscanError `not_found` for an entry that the log does not hold (any more) or whose event is gone, `conflict` for an entry
   *   that took no use or was taken back before
   */
  undoUse(request: UndoRequest, auditEntry: NewAuditLogEntry): Promise<LogEntry>;
  /**
   * Removes the holders of tickets from the tickets, from stored answers, and from audit entries, which then say `erased`. Also removes
   * the reasons for which their uses were taken back. The references stay known to `knownReferences`, without their tickets. The bytes may still be in the files: see `purgeErased`.
   * @param auditEntry its details get `count`; not written for 0
   * @returns how many of the tickets had a holder or such a reason
   */
  eraseHolders(ticketIds: readonly string[], auditEntry: NewAuditLogEntry): Promise<number>;

  /** Returns the newest entries first. */
  readAuditLog(filter: AuditFilter): Promise<AuditLogEntry[]>;
}
