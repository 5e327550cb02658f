import type {
  AdministrativeDocument,
  AuditLogEntry,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../core/administrative-records.ts';
import type { TicketState } from '../../core/decision.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  EventRecord,
  LogEntry,
  NewEventRecord,
  Occupancy,
  Organisation,
  OrganisationChanges,
  ScannerRecord,
} from '../../core/records.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import type { TicketEdits } from '../../core/ticket-edit.ts';
import type { UndoRequest } from '../../core/undo.ts';
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
  /** What the tickets belong to, made in the same transaction. */
  readonly owners?: NewOwners;
}

/** Events that an import brings along, and in an empty store their organisation. */
export interface NewOwners {
  readonly organisation: Created<Organisation> | null;
  readonly events: readonly Created<NewEventRecord>[];
}

interface Created<Item> {
  readonly record: Item;
  readonly auditEntry: NewAuditLogEntry;
}

/** The tickets that `stateOf` finds in this state; one `now` for the whole request, milliseconds since 1970 UTC. */
export interface StateAt {
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
  /** Tickets after this id, in the order of creation; those of one insert in an order of the store's own. */
  readonly afterId?: string;
  readonly limit: number;
}

/** A page of tickets for people who search. */
export interface TicketSearch extends Omit<TicketFilter, 'eventId'> {
  /** Tickets of these events only. */
  readonly eventIds: readonly string[];
  /** At most this number of tickets is looked at: a search must not hold up scans. */
  readonly searchMax: number;
}

export interface TicketPage {
  readonly tickets: readonly Ticket[];
  /** A cursor for `afterId` of the next page; null when there is none. A page may be short and yet have a next one. */
  readonly next: string | null;
}

export interface AuditFilter {
  /** Acts of this organisation only; those on the store as a whole belong to none. */
  readonly organisationId?: string;
  /** Entries before this number. */
  readonly beforeSequence?: number;
  readonly limit: number;
}

/** Organisations, events, keys, tickets, accounts, and who changed them. */
export interface RecordStore {
  /** @throws TicketscanError `conflict` when the name is taken */
  createOrganisation(organisation: Organisation, auditEntry: NewAuditLogEntry): Promise<void>;
  listOrganisations(): Promise<Organisation[]>;
  /**
   * Changes all of the given members, or none. Holds as `updateKey` does.
   * @param documents of the organisation, written together with it, as `putDocument` does
   * @throws TicketscanError `not_found`, `conflict` when the name is taken, or for a document that was changed meanwhile
   */
  editOrganisation(
    organisationId: string,
    changes: OrganisationChanges,
    auditEntries: readonly NewAuditLogEntry[],
    documents?: readonly AdministrativeDocument[],
  ): Promise<Organisation>;
  /**
   * Deletes an organisation with what is left of its deleted keys.
   * @param searchedTo up to this number the caller found no log entry of its keys
   * @param accounts must still be as they were read; those of the organisation are deleted with it
   * @throws TicketscanError `not_found`, `conflict` while it has events, keys, other accounts or later log entries
   */
  deleteOrganisation(
    organisationId: string,
    searchedTo: number,
    auditEntry: NewAuditLogEntry,
    accounts?: readonly DocumentRevision[],
  ): Promise<void>;

  /** @throws TicketscanError `conflict` when the organisation has an event of that name */
  createEvent(event: NewEventRecord, auditEntry: NewAuditLogEntry): Promise<void>;
  /** @throws TicketscanError `not_found`, `conflict` as `createEvent` does */
  renameEvent(eventId: string, name: string, auditEntry: NewAuditLogEntry): Promise<EventRecord>;
  /** Changes what lists show, and no scan. @param at null to show it again @throws TicketscanError `not_found` */
  archiveEvent(
    eventId: string,
    at: number | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<EventRecord>;
  /**
   * Deletes an event without tickets, also from the scope of every key.
   * @param searchedTo up to this number the caller found no log entry about its tickets
   * @throws TicketscanError `not_found`, `conflict` while it has tickets or later log entries
   */
  deleteEvent(eventId: string, searchedTo: number, auditEntry: NewAuditLogEntry): Promise<void>;
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
  /** Archived ones too. */
  listEvents(): Promise<EventRecord[]>;

  /** @throws TicketscanError `limit_reached` when the organisation has as many keys as it may */
  createKey(key: ApiKeyRecord, hash: string, auditEntry: NewAuditLogEntry): Promise<void>;
  /** The key with this hash, also a disabled one, also of the value before the last rotation; undefined when there is none or it was deleted. */
  findKeyByHash(hash: string): Promise<KeyLookup | undefined>;
  /** The keys with these hashes, also disabled and deleted ones, in an order of the store's own. */
  findKeysByHash(hashes: readonly string[]): Promise<KeyOfHash[]>;
  /** Keys that are not deleted, oldest first; without the accounts that scan. */
  listKeys(): Promise<ApiKeyRecord[]>;
  /**
   * Makes an account known to scans, under its own id; nothing happens when it is already. It is kept as a key without a value, so
   * that limits, log and statistics take it for a gate of its own, but it counts for no limit of keys and `listKeys` leaves it out.
   * @throws TicketscanError `not_found` for an unknown organisation
   */
  addScanner(scanner: ScannerRecord, auditEntry: NewAuditLogEntry): Promise<void>;
  /** Accounts that have scanned, also those that were deleted since: the log names them. */
  listScanners(): Promise<ScannerRecord[]>;
  /** Holds for every request that starts after this resolves, in every process. @throws TicketscanError `not_found` */
  updateKey(
    keyId: string,
    changes: ApiKeyChanges,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord>;
  /** As `updateKey`. The log keeps naming the key. @throws TicketscanError `not_found` */
  deleteKey(keyId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void>;
  /**
   * Gives the key a new value; the one that it had holds until `previousUntil`, the one before ends. Holds as `updateKey` does.
   * @throws TicketscanError `not_found`
   */
  rotateKey(
    keyId: string,
    hash: string,
    previousUntil: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord>;
  /** Accepted requests of a key in a month such as 202611. */
  requestsInMonth(keyId: string, month: number): Promise<number>;
  /** The minute of the key's latest scan that counted; null when there was none. */
  keyLastUsedAt(keyId: string): Promise<number | null>;

  /** Events where somebody went in or out, or whose count was reset; in the order of their ids. */
  listOccupancy(): Promise<Occupancy[]>;
  /** Nobody is inside from now on. @throws TicketscanError `not_found` */
  resetOccupancy(eventId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void>;

  /**
   * All or none. A ticket with a history keeps it: its uses count although this store's log does not hold them.
   * @param auditEntry after tickets were skipped, its details `count` and `events` are those of the tickets that were inserted;
   *   it is left out when there are none
   * @returns how many tickets were skipped; of an id that comes twice, the first is inserted
   * @throws TicketscanError `conflict` for an id that exists, unless it is to be skipped, `not_found` for an event that
   *   does not
   */
  insertTickets(
    tickets: readonly (NewTicket & Partial<TicketHistory>)[],
    auditEntry: NewAuditLogEntry,
    options?: InsertOptions,
  ): Promise<number>;
  /** From the mark of a deletion on, no ticket of its event is found, listed or changed, as no scan finds it. */
  findTicket(ticketId: string): Promise<Ticket | undefined>;
  /** Those that there are, in an order of the store's own. */
  findTickets(ticketIds: readonly string[]): Promise<Ticket[]>;
  listTickets(filter: TicketFilter): Promise<Ticket[]>;
  /** Newest last, in the order of creation, as `listTickets`. */
  searchTickets(search: TicketSearch): Promise<TicketPage>;
  /** Of one event, or all; also those that a deletion has not removed yet. */
  countTickets(eventId?: string): Promise<number>;
  /**
   * Cancels tickets, or reinstates them, all or none; holds as `updateKey` does. A ticket that is cancelled already keeps its time.
   * @param at null to reinstate them
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
   * Deletes those of the tickets that were never used and that no log entry after `afterSequence` names: a scan at the same
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

  findDocument(kind: DocumentKind, id: string): Promise<AdministrativeDocument | undefined>;
  /** In the order of their ids. */
  listDocuments(kind: DocumentKind): Promise<AdministrativeDocument[]>;
  /**
   * Writes a document as the next revision after `document.revision`; 0 there means that it must be new.
   * @param auditEntry null for changes without an author: a session that continues, or what goes with a change that has its own entry
   * @param unchanged what the caller decided by: it must still be as it was read, until this write is committed
   * @param bounds counted in the transaction of the write: parallel writes cannot pass them together
   * @throws TicketscanError `conflict` when a stored revision is another, `limit_reached` for a bound
   */
  putDocument(
    document: AdministrativeDocument,
    auditEntry: NewAuditLogEntry | null,
    unchanged?: readonly DocumentRevision[],
    bounds?: readonly DocumentBound[],
  ): Promise<void>;
  /** Nothing happens when there is none. @param unchanged as for `putDocument` @throws TicketscanError `conflict` */
  deleteDocument(
    kind: DocumentKind,
    id: string,
    auditEntry: NewAuditLogEntry | null,
    unchanged?: readonly DocumentRevision[],
  ): Promise<void>;
  /** For operations that change nothing in the store. */
  appendAuditEntry(auditEntry: NewAuditLogEntry): Promise<void>;
  /** Newest first. */
  readAuditLog(filter: AuditFilter): Promise<AuditLogEntry[]>;
}
