import { checkedName } from '../../core/checked-name.ts';
import type { EventRecord } from '../../core/records.ts';
import { makeEventId } from '../../core/ticket-id.ts';
import { notEmpty, notFound } from '../../stores/store-errors.ts';
import { refuseLogged } from '../log/log-reader.ts';
import { OrganisationAdministration } from '../organisations/administration.ts';
import { again, findNamed, refuseSameName } from '../record-checks.ts';
import { type DeletionFacts, deletionFacts } from './deletions.ts';

/** What people do with organisations and events. */
export class EventAdministration extends OrganisationAdministration {
  /** In a store without organisations, the first event creates one. @throws as `findOrganisation`, `conflict` for a taken name */
  async createEvent(name: string, organisation?: string): Promise<EventRecord> {
    const owner = await this.ownerNamed(organisation);
    const event: EventRecord = {
      id: makeEventId(this.random),
      organisationId: owner.id,
      name: checkedName(name),
      createdAt: this.clock.now(),
      archivedAt: null,
    };
    await this.#refuseSameName(event);
    const audit = [this.auditEntry('event.create', event.id, owner.id, { name: event.name })];
    await this.store.write({ records: [{ kind: 'event', before: null, after: event }], audit });
    return event;
  }

  /** @throws TicketscanError `not_found`, `conflict` for a taken name, `usage` */
  async renameEvent(event: EventRecord, wanted: string): Promise<EventRecord> {
    const name = checkedName(wanted);
    await this.#refuseSameName({ ...event, name });
    return this.#change(event, 'rename', { name }, { from: event.name, to: name });
  }

  /** @throws TicketscanError `conflict` when another event of the organisation has that name to a person */
  async #refuseSameName(event: EventRecord): Promise<void> {
    const { organisationId } = event;
    refuseSameName('event', event, await this.store.list('event', { organisationId }));
  }

  /** Lists and choices no longer show it; its tickets scan as before. @throws TicketscanError `not_found` */
  archiveEvent(event: EventRecord): Promise<EventRecord> {
    return this.#change(event, 'archive', { archivedAt: this.clock.now() });
  }

  /** Undoes `archiveEvent`. @throws TicketscanError `not_found` */
  unarchiveEvent(event: EventRecord): Promise<EventRecord> {
    return this.#change(event, 'unarchive', { archivedAt: null });
  }

  #change(
    { id, organisationId }: EventRecord,
    act: string,
    changes: Partial<Pick<EventRecord, 'name' | 'archivedAt'>>,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<EventRecord> {
    const audit = [this.auditEntry(`event.${act}`, id, organisationId, details)];
    return again(async () => {
      const before = await this.store.read('event', id);
      if (!before) throw notFound('event', id);
      const after = { ...before, ...changes };
      await this.store.write({ records: [{ kind: 'event', before, after }], audit });
      return after;
    });
  }

  /** Deletes an empty event: no tickets, no log entries. Keys are then no longer valid for it. @throws TicketscanError `conflict` */
  async deleteEvent({ id, organisationId, name }: EventRecord): Promise<void> {
    if ((await this.store.countTickets(id)) > 0) throw notEmpty('event', 'tickets');
    const searchedTo = await refuseLogged(this.store, 'event', { eventId: id });
    const audit = [this.auditEntry('event.delete', id, organisationId, { name })];
    await again(async () => {
      const before = await this.store.read('event', id);
      if (!before) throw notFound('event', id);
      const records = [{ kind: 'event', before, after: null }] as const;
      await this.store.write({ records, searchedTo, audit });
    });
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
    const owner = await this.store.read('organisation', organisationId);
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
    const filter = organisationId === undefined ? {} : { organisationId };
    return findNamed('event', nameOrId, await this.store.list('event', filter));
  }

  /** Nobody is inside at the event from now on. @throws TicketscanError `not_found` */
  async resetInside({ id, organisationId, name }: EventRecord): Promise<number> {
    const at = this.clock.now();
    const auditEntry = this.auditEntry('event.reset_inside', id, organisationId, { name });
    await this.store.resetOccupancy(id, at, auditEntry);
    return at;
  }
}
