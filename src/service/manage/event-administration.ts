import type { EventRecord, NewEventRecord } from '../../core/records.ts';
import { makeEventId } from '../../core/ticket-id.ts';
import { notEmpty } from '../stores/store-errors.ts';
import { type DeletionFacts, deletionFacts } from './deletions.ts';
import { refuseLogged } from './log-reader.ts';
import { OrganisationAdministration } from './organisation-administration.ts';
import { checkedName, findNamed } from './record-checks.ts';

/** What people do with organisations and events. */
export class EventAdministration extends OrganisationAdministration {
  /** In a store without organisations, the first event creates one. @throws as `findOrganisation`, `conflict` for a taken name */
  async createEvent(name: string, organisation?: string): Promise<EventRecord> {
    const owner = await this.ownerNamed(organisation);
    const event: NewEventRecord = {
      id: makeEventId(this.random),
      organisationId: owner.id,
      name: checkedName(name),
      createdAt: this.clock.now(),
    };
    const { id, name: chosen } = event;
    await this.store.createEvent(
      event,
      this.auditEntry('event.create', id, owner.id, { name: chosen }),
    );
    return { ...event, archivedAt: null };
  }

  /** @throws TicketscanError `not_found`, `conflict` for a taken name, `usage` */
  async renameEvent(event: EventRecord, name: string): Promise<EventRecord> {
    const { id, organisationId } = event;
    const auditEntry = this.auditEntry('event.rename', id, organisationId, {
      from: event.name,
      to: name,
    });
    return this.store.renameEvent(id, checkedName(name), auditEntry);
  }

  /** Lists and choices no longer show it; its tickets scan as before. @throws TicketscanError `not_found` */
  archiveEvent({ id, organisationId }: EventRecord): Promise<EventRecord> {
    const auditEntry = this.auditEntry('event.archive', id, organisationId);
    return this.store.archiveEvent(id, this.clock.now(), auditEntry);
  }

  /** Undoes `archiveEvent`. @throws TicketscanError `not_found` */
  unarchiveEvent({ id, organisationId }: EventRecord): Promise<EventRecord> {
    return this.store.archiveEvent(
      id,
      null,
      this.auditEntry('event.unarchive', id, organisationId),
    );
  }

  /** Deletes an empty event: no tickets, no log entries. Keys are then no longer valid for it. @throws TicketscanError `conflict` */
  async deleteEvent({ id, organisationId, name }: EventRecord): Promise<void> {
    if ((await this.store.countTickets(id)) > 0) throw notEmpty('event', 'tickets');
    const searchedTo = await refuseLogged(this.store, 'event', { eventId: id });
    const auditEntry = this.auditEntry('event.delete', id, organisationId, { name });
    await this.store.deleteEvent(id, searchedTo, auditEntry);
  }

  /** What would be deleted with it. */
  deletionFacts({ id }: EventRecord): Promise<DeletionFacts> {
    return deletionFacts(this.store, this.clock, id);
  }

  /**
   * Deletes an event with its tickets: from now on no scan of them is admitted. `finishDeletions` removes what is left of it.
   * @throws TicketscanError `not_found`
   */
  async deleteEventWithTickets({ id, organisationId, name }: EventRecord): Promise<void> {
    const organisations = await this.store.listOrganisations();
    const owner = organisations.find((one) => one.id === organisationId);
    const ended = this.auditEntry('event.deleted', id, organisationId, { name });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const auditEntry = this.auditEntry('event.delete_with_tickets', id, organisationId, { name });
    await this.store.beginDeletion(
      { what: 'event', id, name, timeZone: owner?.timeZone ?? timeZone, accounts: [], ended },
      auditEntry,
    );
  }

  /**
   * The event with that id or unique name.
   * @param organisationId looks for events of it only
   * @throws TicketscanError `not_found`, `usage` when several have the name
   */
  async findEvent(nameOrId: string, organisationId?: string): Promise<EventRecord> {
    const all = await this.store.listEvents();
    const own = all.filter((event) => event.organisationId === organisationId);
    return findNamed('event', nameOrId, organisationId === undefined ? all : own);
  }

  /** Nobody is inside at the event from now on. @throws TicketscanError `not_found` */
  async resetInside({ id, organisationId, name }: EventRecord): Promise<number> {
    const at = this.clock.now();
    const auditEntry = this.auditEntry('event.reset_inside', id, organisationId, { name });
    await this.store.resetOccupancy(id, at, auditEntry);
    return at;
  }
}
