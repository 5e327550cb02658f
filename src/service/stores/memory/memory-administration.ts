import {
  type DocumentRevision,
  isAccountId,
  type NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import { changedKey } from '../../../core/changed-key.ts';
import type { OrganisationLimits } from '../../../core/limits.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  EventRecord,
  LogEntry,
  NewEventRecord,
  Occupancy,
  Organisation,
  ScannerRecord,
} from '../../../core/records.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../../core/ticket.ts';
import { editedTicket, type TicketEdits } from '../../../core/ticket-edit.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { UndoRequest } from '../../../core/undo.ts';
import { auditEntryOfEdit, auditEntryOfInsert, auditEntryWithCount } from '../inserted-tickets.ts';
import type {
  InsertOptions,
  KeyLookup,
  KeyOfHash,
  NewOwners,
  TicketFilter,
  TicketPage,
  TicketSearch,
} from '../record-store.ts';
import { keyOfScanner, scannerOfKey } from '../scanner-key.ts';
import { misnamedTicket, noSuchEventThere, notFound, taken, tooManyKeys } from '../store-errors.ts';
import { appendAuditEntry } from './memory-audit-log.ts';
import { deleteEvent, deleteOrganisation } from './memory-delete-empty.ts';
import { eraseHolders } from './memory-erase-holders.ts';
import type { MemoryState } from './memory-state.ts';
import { listTickets, searchTickets } from './memory-tickets.ts';
import { undoUse } from './memory-undo.ts';

type IncomingTicket = NewTicket & Partial<TicketHistory>;

/** What people change: organisations, events, keys and tickets. */
export class MemoryAdministration {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async findKeyByHash(hash: string): Promise<KeyLookup | undefined> {
    const found = [...this.#state.keys.values()].find(
      (key) => key.hash === hash || key.previousHash === hash,
    );
    if (!found || isAccountId(found.record.id)) return undefined;
    const { limits, timeZone } = this.#state.organisation(found.record.organisationId);
    const isPrevious = found.hash !== hash;
    const zone = timeZone === undefined ? {} : { timeZone };
    return { key: found.record, limits, ...zone, revision: this.#state.revision, isPrevious };
  }

  async findKeysByHash(hashes: readonly string[]): Promise<KeyOfHash[]> {
    const wanted = new Set(hashes);
    const keys = [...this.#state.keys.values(), ...this.#state.deletedKeys.values()];
    return keys
      .filter(({ hash }) => wanted.has(hash))
      .map(({ record: { id, organisationId, type, active }, hash }) => {
        return { hash, id, organisationId, type, active, isDeleted: !this.#state.keys.has(id) };
      });
  }

  async createOrganisation(
    organisation: Organisation,
    auditEntry: NewAuditLogEntry,
  ): Promise<void> {
    this.#refuseTakenOrganisation(organisation.name);
    this.#state.organisations.set(organisation.id, organisation);
    this.#changed(auditEntry);
  }

  async listOrganisations(): Promise<Organisation[]> {
    return [...this.#state.organisations.values()];
  }

  async setOrganisationLimits(
    organisationId: string,
    limits: OrganisationLimits,
    auditEntry: NewAuditLogEntry,
  ): Promise<void> {
    const organisation = this.#state.organisation(organisationId);
    this.#state.organisations.set(organisationId, { ...organisation, limits });
    this.#changed(auditEntry);
  }

  async setOrganisationTimeZone(
    organisationId: string,
    timeZone: string | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<void> {
    const { timeZone: _before, ...organisation } = this.#state.organisation(organisationId);
    const zone = timeZone === null ? {} : { timeZone };
    this.#state.organisations.set(organisationId, { ...organisation, ...zone });
    this.#changed(auditEntry);
  }

  async renameOrganisation(id: string, name: string, auditEntry: NewAuditLogEntry): Promise<void> {
    const organisation = { ...this.#state.organisation(id), name };
    this.#refuseTakenOrganisation(name, id);
    this.#state.organisations.set(id, organisation);
    this.#changed(auditEntry);
  }

  async deleteOrganisation(
    id: string,
    searchedTo: number,
    auditEntry: NewAuditLogEntry,
    accounts: readonly DocumentRevision[] = [],
  ): Promise<void> {
    deleteOrganisation(this.#state, id, searchedTo, accounts);
    this.#changed(auditEntry);
  }

  async createEvent(event: NewEventRecord, auditEntry: NewAuditLogEntry): Promise<void> {
    this.#state.organisation(event.organisationId);
    this.#refuseTakenName(event);
    this.#state.events.set(event.id, { ...event, archivedAt: null });
    this.#changed(auditEntry);
  }

  async archiveEvent(
    eventId: string,
    at: number | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<EventRecord> {
    const before = this.#state.events.get(eventId);
    if (!before) throw notFound('event', eventId);
    const event = { ...before, archivedAt: at };
    this.#state.events.set(eventId, event);
    this.#changed(auditEntry);
    return event;
  }

  async deleteEvent(
    eventId: string,
    searchedTo: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<void> {
    deleteEvent(this.#state, eventId, searchedTo);
    this.#changed(auditEntry);
  }

  async renameEvent(
    eventId: string,
    name: string,
    auditEntry: NewAuditLogEntry,
  ): Promise<EventRecord> {
    const before = this.#state.events.get(eventId);
    if (!before) throw notFound('event', eventId);
    const event = { ...before, name };
    this.#refuseTakenName(event);
    this.#state.events.set(eventId, event);
    this.#changed(auditEntry);
    return event;
  }

  async listEvents(): Promise<EventRecord[]> {
    return [...this.#state.events.values()];
  }

  async createKey(key: ApiKeyRecord, hash: string, auditEntry: NewAuditLogEntry): Promise<void> {
    const { keysMax } = this.#state.organisation(key.organisationId).limits;
    // Not awaited: between counting and adding nobody else may add.
    const siblings = [...this.#state.keys.values()].filter(
      ({ record }) => record.organisationId === key.organisationId && !isAccountId(record.id),
    );
    if (siblings.length >= keysMax) throw tooManyKeys(keysMax);
    this.#checkEvents(key);
    if (this.#state.keys.has(key.id)) throw new Error(`there is a key ${key.id} already`);
    this.#state.keys.set(key.id, { record: key, hash });
    this.#changed(auditEntry);
  }

  async listKeys(): Promise<ApiKeyRecord[]> {
    return this.#records(false);
  }

  async addScanner(scanner: ScannerRecord, auditEntry: NewAuditLogEntry): Promise<void> {
    if (this.#state.keys.has(scanner.id)) return;
    this.#state.organisation(scanner.organisationId);
    const { key, hash } = keyOfScanner(scanner);
    this.#state.keys.set(key.id, { record: key, hash });
    this.#changed(auditEntry);
  }

  async listScanners(): Promise<ScannerRecord[]> {
    return this.#records(true).map(scannerOfKey);
  }

  #records(ofAccounts: boolean): ApiKeyRecord[] {
    const all = [...this.#state.keys.values()].map((key) => key.record);
    return all.filter(({ id }) => isAccountId(id) === ofAccounts);
  }

  async updateKey(
    keyId: string,
    changes: ApiKeyChanges,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord> {
    const before = this.#state.keys.get(keyId);
    if (!before) throw notFound('key', keyId);
    const record = changedKey(before.record, changes);
    this.#checkEvents(record);
    this.#state.keys.set(keyId, { ...before, record });
    this.#changed(auditEntry);
    return record;
  }

  async rotateKey(
    keyId: string,
    hash: string,
    previousUntil: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord> {
    const before = this.#state.keys.get(keyId);
    if (!before) throw notFound('key', keyId);
    const rotations = (before.record.rotations ?? 0) + 1;
    const record = { ...before.record, rotations, previousUntil };
    this.#state.keys.set(keyId, { record, hash, previousHash: before.hash });
    this.#changed(auditEntry);
    return record;
  }

  async keyLastUsedAt(keyId: string): Promise<number | null> {
    const uses = [...this.#state.lastUses].filter(([name]) => name.endsWith(` ${keyId}`));
    return uses.length === 0 ? null : Math.max(...uses.map(([, at]) => at));
  }

  async listOccupancy(): Promise<Occupancy[]> {
    return [...this.#state.occupancy.values()].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  }

  async resetOccupancy(eventId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void> {
    if (!this.#state.events.has(eventId)) throw notFound('event', eventId);
    this.#state.occupancy.set(eventId, { eventId, entered: 0, exited: 0, resetAt: at });
    appendAuditEntry(this.#state, auditEntry);
  }

  async deleteKey(keyId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void> {
    const key = this.#state.keys.get(keyId);
    if (!key) throw notFound('key', keyId);
    this.#state.keys.delete(keyId);
    const record = { ...key.record, active: false };
    const { hash, previousHash = null } = key;
    this.#state.deletedKeys.set(keyId, { record, hash, previousHash, deletedAt: at });
    this.#changed(auditEntry);
  }

  async insertTickets(
    tickets: readonly IncomingTicket[],
    auditEntry: NewAuditLogEntry,
    options: InsertOptions = { existing: 'refuse' },
  ): Promise<number> {
    const fresh = this.#freshOf(tickets, options.owners);
    const made = auditEntryOfInsert(auditEntry, tickets, [...fresh.values()], options);
    if (options.owners) this.#createOwners(options.owners);
    const unused = { usesConsumed: 0, lastConsumedAt: null, cancelledAt: null };
    for (const ticket of fresh.values()) {
      const { usesConsumed = 0 } = ticket;
      this.#state.tickets.set(ticket.id, { ...unused, ...ticket });
      if (usesConsumed > 0) this.#state.importedUses.set(ticket.id, usesConsumed);
    }
    appendAuditEntry(this.#state, made);
    return tickets.length - fresh.size;
  }

  async findTicket(ticketId: string): Promise<Ticket | undefined> {
    return this.#state.tickets.get(ticketId);
  }

  async findTickets(ticketIds: readonly string[]): Promise<Ticket[]> {
    return [...new Set(ticketIds)].flatMap((id) => this.#state.tickets.get(id) ?? []);
  }

  async listTickets(filter: TicketFilter): Promise<Ticket[]> {
    return listTickets(this.#state.tickets.values(), filter);
  }

  async searchTickets(search: TicketSearch): Promise<TicketPage> {
    return searchTickets(this.#state.tickets.values(), search);
  }

  async countTickets(eventId?: string): Promise<number> {
    if (eventId === undefined) return this.#state.tickets.size;
    return [...this.#state.tickets.values()].filter((ticket) => ticket.eventId === eventId).length;
  }

  async cancelTicket(ticketId: string, at: number, auditEntry: NewAuditLogEntry): Promise<Ticket> {
    return this.#changeTicket(ticketId, ({ cancelledAt }) => cancelledAt ?? at, auditEntry);
  }

  async cancelTickets(
    ticketIds: readonly string[],
    at: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<number> {
    const { tickets } = this.#state;
    const unknown = ticketIds.find((id) => !tickets.has(id));
    if (unknown !== undefined) throw notFound('ticket', unknown);
    const valid = (await this.findTickets(ticketIds)).filter((one) => one.cancelledAt === null);
    for (const ticket of valid) tickets.set(ticket.id, { ...ticket, cancelledAt: at });
    appendAuditEntry(this.#state, auditEntryWithCount(auditEntry, valid.length));
    return valid.length;
  }

  async eraseHolders(ticketIds: readonly string[], auditEntry: NewAuditLogEntry): Promise<number> {
    const count = eraseHolders(this.#state, ticketIds);
    appendAuditEntry(this.#state, auditEntryWithCount(auditEntry, count));
    return count;
  }

  async reinstateTicket(ticketId: string, auditEntry: NewAuditLogEntry): Promise<Ticket> {
    return this.#changeTicket(ticketId, () => null, auditEntry);
  }

  async editTicket(
    ticketId: string,
    edits: TicketEdits,
    auditEntry: NewAuditLogEntry,
  ): Promise<Ticket> {
    const before = this.#state.tickets.get(ticketId);
    if (!before) throw notFound('ticket', ticketId);
    const after = editedTicket(before, edits);
    this.#state.tickets.set(ticketId, after);
    appendAuditEntry(this.#state, auditEntryOfEdit(auditEntry, before, after));
    return after;
  }

  async deleteTickets(
    ticketIds: readonly string[],
    afterSequence: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<string[]> {
    const { log, tickets, importedUses } = this.#state;
    const later = log.slice(log.findLastIndex(({ sequence }) => sequence <= afterSequence) + 1);
    const logged = new Set(later.map(({ ticketId }) => ticketId));
    const deleted = [...new Set(ticketIds)].filter((id) => {
      return tickets.get(id)?.usesConsumed === 0 && !importedUses.has(id) && !logged.has(id);
    });
    for (const id of deleted) tickets.delete(id);
    appendAuditEntry(this.#state, auditEntryWithCount(auditEntry, deleted.length));
    return deleted;
  }

  async undoUse(request: UndoRequest, auditEntry: NewAuditLogEntry): Promise<LogEntry> {
    const undone = undoUse(this.#state, request);
    appendAuditEntry(this.#state, auditEntry);
    return undone;
  }

  #changed(auditEntry: NewAuditLogEntry): void {
    this.#state.revision += 1;
    appendAuditEntry(this.#state, auditEntry);
  }

  /** Those that the store does not have, by id; of an id that comes twice, the first. */
  #freshOf(tickets: readonly IncomingTicket[], owners?: NewOwners): Map<string, IncomingTicket> {
    const created = new Set(owners?.events.map(({ record }) => record.id));
    for (const { record } of owners?.events ?? []) this.#refuseTakenName(record);
    const fresh = new Map<string, IncomingTicket>();
    for (const ticket of tickets) {
      const { id, eventId } = ticket;
      const isKnown = this.#state.events.has(eventId) || created.has(eventId);
      if (!isKnown) throw notFound('event', eventId);
      if (eventOfTicketId(id) !== eventId) throw misnamedTicket(id, eventId);
      if (!this.#state.tickets.has(id) && !fresh.has(id)) fresh.set(id, ticket);
    }
    return fresh;
  }

  #createOwners({ organisation, events }: NewOwners): void {
    if (organisation) {
      this.#state.organisations.set(organisation.record.id, organisation.record);
      this.#changed(organisation.auditEntry);
    }
    for (const { record, auditEntry } of events) {
      this.#state.events.set(record.id, { ...record, archivedAt: null });
      this.#changed(auditEntry);
    }
  }

  #changeTicket(
    ticketId: string,
    cancelledAt: (ticket: Ticket) => number | null,
    auditEntry: NewAuditLogEntry,
  ): Ticket {
    const ticket = this.#state.tickets.get(ticketId);
    if (!ticket) throw notFound('ticket', ticketId);
    const changed = { ...ticket, cancelledAt: cancelledAt(ticket) };
    this.#state.tickets.set(ticketId, changed);
    appendAuditEntry(this.#state, auditEntry);
    return changed;
  }

  /** @param owner the organisation that may have the name */
  #refuseTakenOrganisation(wanted: string, owner?: string): void {
    for (const { id, name } of this.#state.organisations.values()) {
      if (name === wanted && id !== owner) throw taken(`An organisation named "${name}"`);
    }
  }

  #refuseTakenName(event: NewEventRecord): void {
    for (const { id, name, organisationId } of this.#state.events.values()) {
      if (name === event.name && organisationId === event.organisationId && id !== event.id) {
        throw taken(`An event named "${name}"`);
      }
    }
  }

  #checkEvents(key: ApiKeyRecord): void {
    if (key.events === 'all') return;
    for (const eventId of key.events) {
      if (this.#state.events.get(eventId)?.organisationId !== key.organisationId) {
        throw noSuchEventThere(eventId);
      }
    }
  }
}
