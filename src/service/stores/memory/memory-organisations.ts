import type {
  AdministrativeDocument,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import { changedOrganisation } from '../../../core/changed-organisation.ts';
import type {
  EventRecord,
  NewEventRecord,
  Occupancy,
  Organisation,
  OrganisationChanges,
} from '../../../core/records.ts';
import type { DeletionRequest } from '../deletion.ts';
import { notFound, taken } from '../store-errors.ts';
import { appendAuditEntry, putDocument, refuseChanged } from './memory-audit-log.ts';
import { deleteEvent, deleteOrganisation } from './memory-delete-empty.ts';
import { beginDeletion, continueDeletion } from './memory-deletion.ts';
import type { MemoryState } from './memory-state.ts';

/** Organisations and events. */
export class MemoryOrganisations {
  protected readonly state: MemoryState;

  constructor(state: MemoryState) {
    this.state = state;
  }

  async createOrganisation(
    organisation: Organisation,
    auditEntry: NewAuditLogEntry,
  ): Promise<void> {
    this.#refuseTakenOrganisation(organisation.name);
    this.state.organisations.set(organisation.id, organisation);
    this.changed(auditEntry);
  }

  async listOrganisations(): Promise<Organisation[]> {
    return [...this.state.organisations.values()];
  }

  async editOrganisation(
    id: string,
    changes: OrganisationChanges,
    auditEntries: readonly NewAuditLogEntry[],
    documents: readonly AdministrativeDocument[] = [],
  ): Promise<Organisation> {
    const changed = changedOrganisation(this.state.organisation(id), changes);
    this.#refuseTakenOrganisation(changed.name, id);
    refuseChanged(this.state, documents);
    this.state.organisations.set(id, changed);
    for (const document of documents) putDocument(this.state, document);
    for (const auditEntry of auditEntries) this.changed(auditEntry);
    return changed;
  }

  async deleteOrganisation(
    id: string,
    searchedTo: number,
    auditEntry: NewAuditLogEntry,
    accounts: readonly DocumentRevision[] = [],
  ): Promise<void> {
    deleteOrganisation(this.state, id, searchedTo, accounts);
    this.changed(auditEntry);
  }

  async createEvent(event: NewEventRecord, auditEntry: NewAuditLogEntry): Promise<void> {
    this.state.organisation(event.organisationId);
    this.refuseTakenName(event);
    this.state.events.set(event.id, { ...event, archivedAt: null });
    this.changed(auditEntry);
  }

  async archiveEvent(
    eventId: string,
    at: number | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<EventRecord> {
    const before = this.state.events.get(eventId);
    if (!before) throw notFound('event', eventId);
    const event = { ...before, archivedAt: at };
    this.state.events.set(eventId, event);
    this.changed(auditEntry);
    return event;
  }

  async deleteEvent(
    eventId: string,
    searchedTo: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<void> {
    deleteEvent(this.state, eventId, searchedTo);
    this.changed(auditEntry);
  }

  async beginDeletion(request: DeletionRequest, auditEntry: NewAuditLogEntry): Promise<void> {
    beginDeletion(this.state, request);
    this.changed(auditEntry);
  }

  async continueDeletion(id: string, now: number): Promise<boolean> {
    return continueDeletion(this.state, id, now);
  }

  async renameEvent(
    eventId: string,
    name: string,
    auditEntry: NewAuditLogEntry,
  ): Promise<EventRecord> {
    const before = this.state.events.get(eventId);
    if (!before) throw notFound('event', eventId);
    const event = { ...before, name };
    this.refuseTakenName(event);
    this.state.events.set(eventId, event);
    this.changed(auditEntry);
    return event;
  }

  async listEvents(): Promise<EventRecord[]> {
    return [...this.state.events.values()];
  }

  async listOccupancy(): Promise<Occupancy[]> {
    return [...this.state.occupancy.values()].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  }

  async resetOccupancy(eventId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void> {
    if (!this.state.events.has(eventId)) throw notFound('event', eventId);
    this.state.occupancy.set(eventId, { eventId, entered: 0, exited: 0, resetAt: at });
    appendAuditEntry(this.state, auditEntry);
  }

  protected changed(auditEntry: NewAuditLogEntry): void {
    this.state.revision += 1;
    appendAuditEntry(this.state, auditEntry);
  }

  /** @param owner the organisation that may have the name */
  #refuseTakenOrganisation(wanted: string, owner?: string): void {
    for (const { id, name } of this.state.organisations.values()) {
      if (name === wanted && id !== owner) throw taken(`An organisation named "${name}"`);
    }
  }

  protected refuseTakenName(event: NewEventRecord): void {
    for (const { id, name, organisationId } of this.state.events.values()) {
      if (name === event.name && organisationId === event.organisationId && id !== event.id) {
        throw taken(`An event named "${name}"`);
      }
    }
  }
}
