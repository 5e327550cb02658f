import { TicketscanError } from '../../core/errors.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
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
import type { SnapshotStore } from '../snapshot-store.ts';
import type { AuditReport, KeyLookup, LogFilter, ScanBatchResult, TicketFilter } from '../store.ts';
import { notFound, tooManyKeys } from '../store-errors.ts';
import { auditMemory } from './memory-audit.ts';
import { MemoryScanState } from './memory-scan-state.ts';
import { takeMemorySnapshot } from './memory-snapshot.ts';
import { MemoryState } from './memory-state.ts';

/** A store that lasts as long as the process: for trials and tests. */
export class MemoryStore implements SnapshotStore {
  readonly #state = new MemoryState();
  readonly #scans = new MemoryScanState(this.#state);

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

  async createOrganisation(organisation: Organisation): Promise<void> {
    for (const { name } of this.#state.organisations.values()) {
      if (name === organisation.name) throw taken(`An organisation named "${name}"`);
    }
    this.#state.organisations.set(organisation.id, organisation);
    this.#state.revision += 1;
  }

  async listOrganisations(): Promise<Organisation[]> {
    return [...this.#state.organisations.values()];
  }

  async setOrganisationLimits(organisationId: string, limits: OrganisationLimits): Promise<void> {
    const organisation = this.#state.organisation(organisationId);
    this.#state.organisations.set(organisationId, { ...organisation, limits });
    this.#state.revision += 1;
  }

  async createEvent(event: EventRecord): Promise<void> {
    this.#state.organisation(event.organisationId);
    for (const { name, organisationId } of this.#state.events.values()) {
      if (name === event.name && organisationId === event.organisationId) {
        throw taken(`An event named "${name}"`);
      }
    }
    this.#state.events.set(event.id, event);
    this.#state.revision += 1;
  }

  async listEvents(): Promise<EventRecord[]> {
    return [...this.#state.events.values()];
  }

  async createKey(key: ApiKeyRecord, hash: string): Promise<void> {
    const { keysMax } = this.#state.organisation(key.organisationId).limits;
    const siblings = (await this.listKeys()).filter(
      (one) => one.organisationId === key.organisationId,
    );
    if (siblings.length >= keysMax) throw tooManyKeys(keysMax);
    this.#checkEvents(key);
    this.#state.keys.set(key.id, { record: key, hash });
    this.#state.revision += 1;
  }

  async listKeys(): Promise<ApiKeyRecord[]> {
    return [...this.#state.keys.values()].map((key) => key.record);
  }

  async updateKey(keyId: string, changes: ApiKeyChanges): Promise<ApiKeyRecord> {
    const before = this.#state.keys.get(keyId);
    if (!before) throw notFound('key', keyId);
    const record = { ...before.record, ...changes };
    this.#checkEvents(record);
    this.#state.keys.set(keyId, { ...before, record });
    this.#state.revision += 1;
    return record;
  }

  async deleteKey(keyId: string): Promise<void> {
    if (!this.#state.keys.delete(keyId)) throw notFound('key', keyId);
    this.#state.revision += 1;
  }

  async requestsInMonth(keyId: string, month: number): Promise<number> {
    return this.#scans.requestsInMonth(keyId, month);
  }

  async insertTickets(tickets: readonly (NewTicket & Partial<TicketHistory>)[]): Promise<void> {
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
  }

  async findTicket(ticketId: string): Promise<Ticket | undefined> {
    return this.#state.tickets.get(ticketId);
  }

  async listTickets(filter: TicketFilter): Promise<Ticket[]> {
    const tickets = [...this.#state.tickets.values()];
    const after = filter.afterId;
    const start = after === undefined ? 0 : tickets.findIndex((ticket) => ticket.id === after) + 1;
    return tickets
      .slice(start)
      .filter((ticket) => matches(ticket, filter))
      .slice(0, filter.limit);
  }

  async countTickets(): Promise<number> {
    return this.#state.tickets.size;
  }

  async cancelTicket(ticketId: string, at: number): Promise<Ticket> {
    const ticket = this.#state.tickets.get(ticketId);
    if (!ticket) throw notFound('ticket', ticketId);
    const cancelled = { ...ticket, cancelledAt: ticket.cancelledAt ?? at };
    this.#state.tickets.set(ticketId, cancelled);
    return cancelled;
  }

  async readLog({ afterSequence, ticketId, limit }: LogFilter): Promise<LogEntry[]> {
    const entries = this.#state.log
      .slice(afterSequence ?? 0)
      .filter((entry) => ticketId === undefined || entry.ticketId === ticketId);
    return afterSequence === undefined ? entries.slice(-limit) : entries.slice(0, limit);
  }

  async listDevices(): Promise<DeviceRecord[]> {
    return [...this.#state.devices.values()];
  }

  async audit(): Promise<AuditReport> {
    return auditMemory(this.#state);
  }

  takeSnapshot(): () => void {
    return takeMemorySnapshot(this.#state);
  }

  async checkWritable(): Promise<void> {}

  async close(): Promise<void> {}

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

function matches(ticket: Ticket, { eventId, state, search }: TicketFilter): boolean {
  if (eventId !== undefined && ticket.eventId !== eventId) return false;
  if (state !== undefined && !isInState(ticket, state)) return false;
  if (!search) return true;
  const { firstName = '', lastName = '' } = ticket.holder ?? {};
  const text = `${ticket.id} ${firstName} ${lastName}`.toLowerCase();
  return text.includes(search.toLowerCase());
}

function isInState(ticket: Ticket, state: NonNullable<TicketFilter['state']>): boolean {
  if (state === 'cancelled') return ticket.cancelledAt !== null;
  const used = ticket.usesConsumed >= ticket.usesAllowed;
  return state === 'used' ? used : !used && ticket.cancelledAt === null;
}
