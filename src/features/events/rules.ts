import { checkedName } from '../../core/checked-name.ts';
import type { EventRecord } from '../../core/records.ts';
import { makeEventId } from '../../core/ticket-id.ts';
import { notEmpty, notFound } from '../../stores/store-errors.ts';
import { auditEntryBy, type RuleDeps } from '../actor.ts';
import { refuseLogged } from '../log/log-reader.ts';
import { OrganisationRules } from '../organisations/rules.ts';
import { again, findNamed, refuseSameName } from '../record-checks.ts';
import { type DeletionFacts, deletionFacts } from './deletions.ts';

/** The actions of people on events. */
export class EventRules {
  readonly #deps: RuleDeps;
  readonly #organisations: OrganisationRules;

  constructor(deps: RuleDeps) {
    this.#deps = deps;
    this.#organisations = new OrganisationRules(deps);
  }

  /** In a store without organisations, the first event creates one. @throws as `OrganisationRules.find`, `conflict` for a taken name */
  async create(name: string, organisation?: string): Promise<EventRecord> {
    const owner = await this.#organisations.ownerNamed(organisation);
    const event: EventRecord = {
      id: makeEventId(this.#deps.random),
      organisationId: owner.id,
      name: checkedName(name),
      createdAt: this.#deps.clock.now(),
      archivedAt: null,
    };
    await this.#refuseSameName(event);
    const audit = [
      auditEntryBy(this.#deps, 'event.create', event.id, owner.id, { name: event.name }),
    ];
    await this.#deps.store.write({
      records: [{ kind: 'event', before: null, after: event }],
      audit,
    });
    return event;
  }

  /** @throws TicketscanError `not_found`, `conflict` for a taken name, `usage` */
  async rename(event: EventRecord, wanted: string): Promise<EventRecord> {
    const name = checkedName(wanted);
    await this.#refuseSameName({ ...event, name });
    return this.#change(event, 'rename', { name }, { from: event.name, to: name });
  }

  /** @throws TicketscanError `conflict` when another event of the organisation has that name to a person */
  async #refuseSameName(event: EventRecord): Promise<void> {
    const { organisationId } = event;
    refuseSameName('event', event, await this.#deps.store.list('event', { organisationId }));
  }

  /** Lists and choices no longer show it; its tickets scan as before. @throws TicketscanError `not_found` */
  archive(event: EventRecord): Promise<EventRecord> {
    return this.#change(event, 'archive', { archivedAt: this.#deps.clock.now() });
  }

  /** Undoes `archive`. @throws TicketscanError `not_found` */
  unarchive(event: EventRecord): Promise<EventRecord> {
    return this.#change(event, 'unarchive', { archivedAt: null });
  }

  #change(
    { id, organisationId }: EventRecord,
    act: string,
    changes: Partial<Pick<EventRecord, 'name' | 'archivedAt'>>,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<EventRecord> {
    const audit = [auditEntryBy(this.#deps, `event.${act}`, id, organisationId, details)];
    return again(async () => {
      const before = await this.#deps.store.read('event', id);
      if (!before) throw notFound('event', id);
      const after = { ...before, ...changes };
      await this.#deps.store.write({ records: [{ kind: 'event', before, after }], audit });
      return after;
    });
  }

  /** Deletes an empty event: no tickets, no log entries. Keys are then no longer valid for it. @throws TicketscanError `conflict` */
  async delete({ id, organisationId, name }: EventRecord): Promise<void> {
    if ((await this.#deps.store.countTickets(id)) > 0) throw notEmpty('event', 'tickets');
    const searchedTo = await refuseLogged(this.#deps.store, 'event', { eventId: id });
    const audit = [auditEntryBy(this.#deps, 'event.delete', id, organisationId, { name })];
    await again(async () => {
      const before = await this.#deps.store.read('event', id);
      if (!before) throw notFound('event', id);
      const records = [{ kind: 'event', before, after: null }] as const;
      await this.#deps.store.write({ records, searchedTo, audit });
    });
  }

  /** Returns what would be deleted with an event. */
  deletionFacts({ id }: EventRecord): Promise<DeletionFacts> {
    return deletionFacts(this.#deps.store, this.#deps.clock, id);
  }

  /**
   * Deletes an event with its tickets: from now on no scan of them is admitted. `finishDeletions` removes what is left of it.
   * @throws TicketscanError `not_found`
   */
  async deleteWithTickets({ id, organisationId, name }: EventRecord): Promise<void> {
    const owner = await this.#deps.store.read('organisation', organisationId);
    const ended = auditEntryBy(this.#deps, 'event.deleted', id, organisationId, { name });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const auditEntry = auditEntryBy(this.#deps, 'event.delete_with_tickets', id, organisationId, {
      name,
    });
    await this.#deps.store.beginDeletion(
      { what: 'event', id, name, timeZone: owner?.timeZone ?? timeZone, accounts: [], ended },
      auditEntry,
    );
  }

  /**
   * The event with that id or unique name.
   * @param organisationId looks for events of it only
   * @throws TicketscanError `not_found`, `usage` when several have the name
   */
  async find(nameOrId: string, organisationId?: string): Promise<EventRecord> {
    const filter = organisationId === undefined ? {} : { organisationId };
    return findNamed('event', nameOrId, await this.#deps.store.list('event', filter));
  }

  /** Sets the number of people inside to 0. @throws TicketscanError `not_found` */
  async resetInside({ id, organisationId, name }: EventRecord): Promise<number> {
    const at = this.#deps.clock.now();
    const auditEntry = auditEntryBy(this.#deps, 'event.reset_inside', id, organisationId, { name });
    await this.#deps.store.resetOccupancy(id, at, auditEntry);
    return at;
  }
}
