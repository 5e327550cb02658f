import type {
  AdministrativeDocument,
  DocumentKind,
  NewTrailEntry,
  TrailEntry,
} from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { LogPage, LogSearch, OutcomeCounts } from '../../core/log-search.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Organisation,
} from '../../core/records.ts';
import { answerScan, type ScanRequest } from '../../core/scan-batch.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type {
  AuditReport,
  KeyLookup,
  LogFilter,
  PrunableLog,
  ScanBatchResult,
  Store,
  StoreInfo,
  TicketFilter,
  TicketPage,
  TicketSearch,
  TrailFilter,
} from '../store.ts';
import { notFound, tooManyKeys } from '../store-errors.ts';
import type { CopyNote, RecordPage, Section } from '../transfer/records.ts';
import { auditMemory } from './memory-audit.ts';
import { countOutcomes, searchLog } from './memory-log.ts';
import { prunableOf, pruneOldest } from './memory-prune.ts';
import { MemoryScanState } from './memory-scan-state.ts';
import { takeMemorySnapshot } from './memory-snapshot.ts';
import { MemoryState } from './memory-state.ts';
import { listTickets, searchTickets } from './memory-tickets.ts';
import {
  appendTrail,
  documentName,
  listDocuments,
  putDocument,
  readTrail,
} from './memory-trail.ts';
import {
  countsOf,
  importInto,
  type MemorySnapshot,
  pageOf,
  snapshotOf,
} from './memory-transfer.ts';

/** A store that lasts as long as the process: for trials and tests. Every change is made at once, without waiting. */
export class MemoryStore implements Store {
  readonly #state: MemoryState;
  readonly #scans: MemoryScanState;
  #snapshot: MemorySnapshot | undefined;

  constructor(state = new MemoryState()) {
    this.#state = state;
    this.#scans = new MemoryScanState(state);
  }

  /**
   * Remembers the data as it is now; what is returned puts it back, as often as it is called. Not for engines that are
   * built on this one: they have files to keep in step.
   */
  static rememberData(store: MemoryStore): () => void {
    return takeMemorySnapshot(store.#state);
  }

  async commitScans(requests: readonly ScanRequest[]): Promise<ScanBatchResult> {
    const outcomes = requests.map((request) => answerScan(request, this.#scans));
    return { outcomes, revision: this.#state.revision };
  }

  async findKeyByHash(hash: string): Promise<KeyLookup | undefined> {
    const found = [...this.#state.keys.values()].find((key) => key.hash === hash);
    if (!found) return undefined;
    const { limits } = this.#state.organisation(found.record.organisationId);
    return { key: found.record, limits, revision: this.#state.revision };
  }

  async createOrganisation(organisation: Organisation, act?: NewTrailEntry): Promise<void> {
    for (const { name } of this.#state.organisations.values()) {
      if (name === organisation.name) throw taken(`An organisation named "${name}"`);
    }
    this.#state.organisations.set(organisation.id, organisation);
    this.#changed(act);
  }

  async listOrganisations(): Promise<Organisation[]> {
    return [...this.#state.organisations.values()];
  }

  async setOrganisationLimits(
    organisationId: string,
    limits: OrganisationLimits,
    act?: NewTrailEntry,
  ): Promise<void> {
    const organisation = this.#state.organisation(organisationId);
    this.#state.organisations.set(organisationId, { ...organisation, limits });
    this.#changed(act);
  }

  async createEvent(event: EventRecord, act?: NewTrailEntry): Promise<void> {
    this.#state.organisation(event.organisationId);
    this.#refuseTakenName(event);
    this.#state.events.set(event.id, event);
    this.#changed(act);
  }

  async renameEvent(eventId: string, name: string, act?: NewTrailEntry): Promise<EventRecord> {
    const before = this.#state.events.get(eventId);
    if (!before) throw notFound('event', eventId);
    const event = { ...before, name };
    this.#refuseTakenName(event);
    this.#state.events.set(eventId, event);
    this.#changed(act);
    return event;
  }

  async listEvents(): Promise<EventRecord[]> {
    return [...this.#state.events.values()];
  }

  async createKey(key: ApiKeyRecord, hash: string, act?: NewTrailEntry): Promise<void> {
    const { keysMax } = this.#state.organisation(key.organisationId).limits;
    // Not awaited: between counting and adding nobody else may add.
    const siblings = [...this.#state.keys.values()].filter(
      ({ record }) => record.organisationId === key.organisationId,
    );
    if (siblings.length >= keysMax) throw tooManyKeys(keysMax);
    this.#checkEvents(key);
    this.#state.keys.set(key.id, { record: key, hash });
    this.#changed(act);
  }

  async listKeys(): Promise<ApiKeyRecord[]> {
    return [...this.#state.keys.values()].map((key) => key.record);
  }

  async updateKey(
    keyId: string,
    changes: ApiKeyChanges,
    act?: NewTrailEntry,
  ): Promise<ApiKeyRecord> {
    const before = this.#state.keys.get(keyId);
    if (!before) throw notFound('key', keyId);
    const record = { ...before.record, ...changes };
    this.#checkEvents(record);
    this.#state.keys.set(keyId, { ...before, record });
    this.#changed(act);
    return record;
  }

  async deleteKey(keyId: string, at: number, act?: NewTrailEntry): Promise<void> {
    const key = this.#state.keys.get(keyId);
    if (!key) throw notFound('key', keyId);
    this.#state.keys.delete(keyId);
    const record = { ...key.record, active: false };
    this.#state.deletedKeys.set(keyId, { record, hash: key.hash, deletedAt: at });
    this.#changed(act);
  }

  async requestsInMonth(keyId: string, month: number): Promise<number> {
    return this.#scans.requestsInMonth(keyId, month);
  }

  async insertTickets(
    tickets: readonly (NewTicket & Partial<TicketHistory>)[],
    act?: NewTrailEntry,
  ): Promise<void> {
    const ids = new Set<string>();
    for (const { id, eventId } of tickets) {
      if (!this.#state.events.has(eventId)) throw notFound('event', eventId);
      if (eventOfTicketId(id) !== eventId) {
        throw new TicketscanError('usage', `${id} is not an identifier of event ${eventId}.`);
      }
      if (this.#state.tickets.has(id) || ids.has(id)) throw taken(`Ticket ${id}`);
      ids.add(id);
    }
    const unused = { usesConsumed: 0, lastConsumedAt: null, cancelledAt: null };
    for (const ticket of tickets) {
      const { usesConsumed = 0 } = ticket;
      this.#state.tickets.set(ticket.id, { ...unused, ...ticket });
      if (usesConsumed > 0) this.#state.importedUses.set(ticket.id, usesConsumed);
    }
    appendTrail(this.#state, act);
  }

  async findTicket(ticketId: string): Promise<Ticket | undefined> {
    return this.#state.tickets.get(ticketId);
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

  async cancelTicket(ticketId: string, at: number, act?: NewTrailEntry): Promise<Ticket> {
    return this.#changeTicket(ticketId, ({ cancelledAt }) => cancelledAt ?? at, act);
  }

  async reinstateTicket(ticketId: string, act?: NewTrailEntry): Promise<Ticket> {
    return this.#changeTicket(ticketId, () => null, act);
  }

  async readLog({ afterSequence, ticketId, limit }: LogFilter): Promise<LogEntry[]> {
    const start = this.#state.log.findIndex(({ sequence }) => sequence > (afterSequence ?? 0));
    const entries = (start === -1 ? [] : this.#state.log.slice(start)).filter(
      (entry) => ticketId === undefined || entry.ticketId === ticketId,
    );
    return afterSequence === undefined ? entries.slice(-limit) : entries.slice(0, limit);
  }

  async searchLog(search: LogSearch): Promise<LogPage> {
    return searchLog(this.#state, search);
  }

  async countOutcomes(afterSequence: number, searchMax: number): Promise<OutcomeCounts> {
    return countOutcomes(this.#state, afterSequence, searchMax);
  }

  async listDevices(): Promise<DeviceRecord[]> {
    return [...this.#state.devices.values()];
  }

  async findDocument(kind: DocumentKind, id: string): Promise<AdministrativeDocument | undefined> {
    return this.#state.documents.get(documentName(kind, id));
  }

  async listDocuments(kind: DocumentKind): Promise<AdministrativeDocument[]> {
    return listDocuments(this.#state, kind);
  }

  async putDocument(document: AdministrativeDocument, act?: NewTrailEntry): Promise<void> {
    putDocument(this.#state, document);
    appendTrail(this.#state, act);
  }

  async deleteDocument(kind: DocumentKind, id: string, act?: NewTrailEntry): Promise<void> {
    this.#state.documents.delete(documentName(kind, id));
    appendTrail(this.#state, act);
  }

  async appendTrail(act: NewTrailEntry): Promise<void> {
    appendTrail(this.#state, act);
  }

  async readTrail(filter: TrailFilter): Promise<TrailEntry[]> {
    return readTrail(this.#state, filter);
  }

  async audit(): Promise<AuditReport> {
    return auditMemory(this.#state);
  }

  async prunableLog(before: number): Promise<PrunableLog> {
    return prunableOf(this.#state, before);
  }

  async pruneLog(before: number, entriesMax: number): Promise<number> {
    return pruneOldest(this.#state, before, entriesMax);
  }

  async beginSnapshot(): Promise<void> {
    this.#snapshot = snapshotOf(this.#state);
  }

  async readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    if (!this.#snapshot) throw new Error('no snapshot was begun');
    return pageOf(this.#snapshot, section, after, limit);
  }

  async endSnapshot(): Promise<void> {
    this.#snapshot = undefined;
  }

  async importRecords(page: RecordPage, note: CopyNote): Promise<void> {
    importInto(this.#state, page, note);
  }

  async unfinishedCopy(): Promise<CopyNote | undefined> {
    return this.#state.copyNote;
  }

  async endImport(): Promise<void> {
    this.#state.setCopyNote(undefined);
  }

  async info(): Promise<StoreInfo> {
    return {
      engine: 'memory',
      format: { version: 1, versionFound: 0 },
      counts: countsOf(this.#state),
      bytes: null,
      lastScanAt: this.#state.log.at(-1)?.at ?? null,
      details: {},
    };
  }

  async checkWritable(): Promise<void> {}

  async close(): Promise<void> {}

  #changed(act: NewTrailEntry | undefined): void {
    this.#state.revision += 1;
    appendTrail(this.#state, act);
  }

  #changeTicket(
    ticketId: string,
    cancelledAt: (ticket: Ticket) => number | null,
    act: NewTrailEntry | undefined,
  ): Ticket {
    const ticket = this.#state.tickets.get(ticketId);
    if (!ticket) throw notFound('ticket', ticketId);
    const changed = { ...ticket, cancelledAt: cancelledAt(ticket) };
    this.#state.tickets.set(ticketId, changed);
    appendTrail(this.#state, act);
    return changed;
  }

  #refuseTakenName(event: EventRecord): void {
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
        throw notFound('event', eventId);
      }
    }
  }
}

function taken(what: string): TicketscanError {
  return new TicketscanError('conflict', `${what} exists already.`);
}
