import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import { hashApiKey, type IntegrationType, makeApiKey } from '../../core/api-key.ts';
import { type Clock, isoTime } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { termsFrom } from '../../core/key-terms.ts';
import {
  DEFAULT_LIMITS,
  OPEN_SECONDS_DEFAULT,
  type OrganisationLimits,
  ROTATION_OVERLAP_MS,
} from '../../core/limits.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  DoorSettings,
  EventRecord,
  NewEventRecord,
  Organisation,
} from '../../core/records.ts';
import { makeEventId } from '../../core/ticket-id.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { BASE36, type RandomBytes, randomText } from '../../kit/random.ts';
import type { LogStore } from '../stores/log-store.ts';
import type { RecordStore } from '../stores/record-store.ts';
import { notEmpty } from '../stores/store-errors.ts';
import type { AccountRecord } from './accounts/account-records.ts';
import { endCredentials } from './accounts/end-credentials.ts';
import {
  accountsOf,
  type LeavingAccounts,
  leavingAccounts,
} from './accounts/organisation-accounts.ts';
import { type Actor, auditEntryOf, COMMAND_LINE } from './actor.ts';
import { findKey } from './find-key.ts';
import { checkedOverlap, checkedTerms, type GivenTerms } from './key-checks.ts';
import {
  checkedName,
  checkedOpenSeconds,
  checkLimits,
  findNamed,
  listed,
  unknownNamed,
} from './record-checks.ts';
import { refuseLogged } from './refuse-logged.ts';
import { isSampleNeighbour } from './sample-neighbour.ts';

const NO_ACCOUNTS: LeavingAccounts = { accounts: [], unchanged: [] };
const RECORD_ID_CHARACTERS = 10;
const DEFAULT_ORGANISATION = 'Default';

export interface NewKey {
  readonly name: string;
  readonly type: IntegrationType;
  /** `all`, or ids or unique names of events. */
  readonly events: 'all' | readonly string[];
  /** An id or name; not needed if only one exists, or where the events tell. */
  readonly organisation?: string | undefined;
  readonly door?: Partial<DoorSettings>;
  readonly terms?: GivenTerms;
}

/** What the administration needs of a store; only what is deleted must be searched for in the log. */
export type AdministeredStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** What people do in a dashboard or on the command line: organisations, events and keys (section 2.1). */
export class Administration {
  readonly #store: AdministeredStore;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #actor: Actor;

  constructor(
    store: AdministeredStore,
    clock: Clock,
    random: RandomBytes,
    actor: Actor = COMMAND_LINE,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#actor = actor;
  }

  /** @throws TicketscanError `conflict` when the name is taken, `usage` for a name or limit that cannot be */
  async createOrganisation(
    name: string,
    limits: OrganisationLimits = DEFAULT_LIMITS,
  ): Promise<Organisation> {
    checkLimits(limits);
    const organisation: Organisation = {
      id: this.#recordId('org'),
      name: checkedName(name),
      limits,
      createdAt: this.#clock.now(),
    };
    const { id, name: chosen } = organisation;
    await this.#store.createOrganisation(
      organisation,
      this.#auditEntry('organisation.create', id, id, { name: chosen, limits }),
    );
    return organisation;
  }

  /** Changes some limits. @throws TicketscanError `not_found`, `usage` */
  async editLimits(
    nameOrId: string | undefined,
    changes: Partial<OrganisationLimits>,
  ): Promise<Organisation> {
    const organisation = await this.findOrganisation(nameOrId, 'Give its name after the command.');
    const limits = { ...organisation.limits, ...changes };
    checkLimits(limits);
    const { id } = organisation;
    await this.#store.setOrganisationLimits(
      id,
      limits,
      this.#auditEntry('organisation.limits', id, id, changes),
    );
    return { ...organisation, limits };
  }

  /** Sets where its gates are. @param timeZone an IANA name; null for none @throws TicketscanError `not_found`, `usage` */
  async editTimeZone(nameOrId: string | undefined, timeZone: string | null): Promise<Organisation> {
    const { timeZone: _before, ...organisation } = await this.findOrganisation(nameOrId);
    const { id } = organisation;
    const zone = timeZone === null ? null : checkTimeZone(timeZone);
    const auditEntry = this.#auditEntry('organisation.time_zone', id, id, { timeZone: zone });
    await this.#store.setOrganisationTimeZone(id, zone, auditEntry);
    return zone === null ? organisation : { ...organisation, timeZone: zone };
  }

  /** @throws TicketscanError `not_found`, `conflict` for a taken name, `usage` */
  async renameOrganisation(nameOrId: string | undefined, name: string): Promise<Organisation> {
    const organisation = await this.findOrganisation(nameOrId, 'Give its name after the command.');
    const { id, name: from } = organisation;
    const auditEntry = this.#auditEntry('organisation.rename', id, id, { from, to: name });
    await this.#store.renameOrganisation(id, checkedName(name), auditEntry);
    return { ...organisation, name };
  }

  /** Who could no longer sign in without the organisation. */
  async accountsOf({ id }: Organisation): Promise<AccountRecord[]> {
    return accountsOf(this.#store, id);
  }

  /**
   * Only an empty one: no events, keys or log entries.
   * @param withAccounts deletes its accounts too; otherwise it must have none
   * @throws TicketscanError `conflict` that says what it has, or that nobody could sign in as an owner afterwards
   */
  async deleteOrganisation({ id, name }: Organisation, withAccounts = false): Promise<void> {
    const { accounts, unchanged } = withAccounts
      ? await leavingAccounts(this.#store, id)
      : NO_ACCOUNTS;
    const searchedTo = await refuseLogged(this.#store, 'organisation', { organisationId: id });
    const names = accounts.map((account) => account.name);
    const details = { name, ...(names.length > 0 && { accounts: names }) };
    // The organisation is gone afterwards: the entry belongs to the store as a whole.
    const auditEntry = this.#auditEntry('organisation.delete', id, null, details);
    await this.#store.deleteOrganisation(id, searchedTo, auditEntry, unchanged);
    for (const account of accounts) await endCredentials(this.#store, account.id);
  }

  /** The organisation with that id or name, or the only one. @throws TicketscanError `not_found`, `usage` when unclear */
  async findOrganisation(
    nameOrId: string | undefined,
    how = 'Add --organisation NAME.',
  ): Promise<Organisation> {
    const all = await this.#store.listOrganisations();
    if (nameOrId !== undefined) {
      const found = all.find(({ id, name }) => id === nameOrId || name === nameOrId);
      if (found) return found;
      throw unknownNamed('organisation', nameOrId, all);
    }
    const own = all.filter((one) => !isSampleNeighbour(one));
    const [only, ...others] = own.length > 0 ? own : all;
    if (!only)
      throw new TicketscanError(
        'not_found',
        'No organisation exists yet. The first event creates one: ticketscan events create --name NAME',
      );
    if (others.length > 0) {
      throw new TicketscanError('usage', `Which organisation? ${how}${listed(all)}`);
    }
    return only;
  }

  /** The only organisation; in an empty store it is made. @throws TicketscanError `usage` when there are several */
  onlyOrganisation(): Promise<Organisation> {
    return this.#ownerNamed(undefined);
  }

  /** The oldest organisation; in an empty store it is made. */
  async firstOrganisation(): Promise<Organisation> {
    const [first] = await this.#store.listOrganisations();
    return first ?? this.createOrganisation(DEFAULT_ORGANISATION);
  }

  /** In a store without organisations, the first event brings one. @throws as `findOrganisation`, `conflict` for a taken name */
  async createEvent(name: string, organisation?: string): Promise<EventRecord> {
    const owner = await this.#ownerNamed(organisation);
    const event: NewEventRecord = {
      id: makeEventId(this.#random),
      organisationId: owner.id,
      name: checkedName(name),
      createdAt: this.#clock.now(),
    };
    const { id, name: chosen } = event;
    await this.#store.createEvent(
      event,
      this.#auditEntry('event.create', id, owner.id, { name: chosen }),
    );
    return { ...event, archivedAt: null };
  }

  /** @throws TicketscanError `not_found`, `conflict` for a taken name, `usage` */
  async renameEvent(event: EventRecord, name: string): Promise<EventRecord> {
    const { id, organisationId } = event;
    const auditEntry = this.#auditEntry('event.rename', id, organisationId, {
      from: event.name,
      to: name,
    });
    return this.#store.renameEvent(id, checkedName(name), auditEntry);
  }

  /** Lists and choices no longer show it; its tickets scan as before. @throws TicketscanError `not_found` */
  archiveEvent({ id, organisationId }: EventRecord): Promise<EventRecord> {
    const auditEntry = this.#auditEntry('event.archive', id, organisationId);
    return this.#store.archiveEvent(id, this.#clock.now(), auditEntry);
  }

  /** Undoes `archiveEvent`. @throws TicketscanError `not_found` */
  unarchiveEvent({ id, organisationId }: EventRecord): Promise<EventRecord> {
    return this.#store.archiveEvent(
      id,
      null,
      this.#auditEntry('event.unarchive', id, organisationId),
    );
  }

  /** Only an empty one: no tickets, no log entries. Keys lose it from their scope. @throws TicketscanError `conflict` */
  async deleteEvent({ id, organisationId, name }: EventRecord): Promise<void> {
    if ((await this.#store.countTickets(id)) > 0) throw notEmpty('event', 'tickets');
    const searchedTo = await refuseLogged(this.#store, 'event', { eventId: id });
    const auditEntry = this.#auditEntry('event.delete', id, organisationId, { name });
    await this.#store.deleteEvent(id, searchedTo, auditEntry);
  }

  /** The event with that id or unique name. @throws TicketscanError `not_found`, `usage` when several have the name */
  async findEvent(nameOrId: string): Promise<EventRecord> {
    return findNamed('event', nameOrId, await this.#store.listEvents());
  }

  /** The value is in the answer and nowhere else: only its hash is kept. @throws as the finders do, `limit_reached` */
  async createKey(options: NewKey): Promise<{ key: ApiKeyRecord; value: string }> {
    const events = await this.#resolveEvents(options.events);
    const owner = await this.#ownerOf(events, options.organisation);
    const value = makeApiKey(options.type, this.#random);
    const key: ApiKeyRecord = {
      id: this.#recordId('key'),
      organisationId: owner,
      name: checkedName(options.name),
      type: options.type,
      events: events === 'all' ? 'all' : events.map(({ id }) => id),
      active: true,
      relay: options.door?.relay ?? 'auto',
      openSeconds: checkedOpenSeconds(options.door?.openSeconds ?? OPEN_SECONDS_DEFAULT),
      createdAt: this.#clock.now(),
      ...termsFrom(checkedTerms(options.terms ?? {}, options.type, this.#clock.now())),
    };
    const { name, type, events: scope } = key;
    const auditEntry = this.#auditEntry('key.create', key.id, owner, { name, type, events: scope });
    await this.#store.createKey(key, hashApiKey(value), auditEntry);
    return { key, value };
  }

  /** Holds for every scan that starts after this resolves. @param given value, id or name @throws as `findKey` does, `usage` */
  async editKey(
    given: string,
    changes: Omit<ApiKeyChanges, 'events'> & { events?: 'all' | readonly string[] },
  ): Promise<ApiKeyRecord> {
    const { id, organisationId, type } = await findKey(this.#store, given);
    checkedTerms(changes, type, this.#clock.now());
    if (changes.name !== undefined) checkedName(changes.name);
    if (changes.openSeconds !== undefined) checkedOpenSeconds(changes.openSeconds);
    const { events: wanted, ...others } = changes;
    const events = wanted && (await this.#resolveEvents(wanted));
    const resolved: ApiKeyChanges = {
      ...others,
      ...(events && { events: events === 'all' ? 'all' : events.map((event) => event.id) }),
    };
    const auditEntry = this.#auditEntry('key.change', id, organisationId, resolved);
    return this.#store.updateKey(id, resolved, auditEntry);
  }

  /**
   * A new value for the same key; the value that it had holds for a while longer, the one before that ends.
   * @param given value, id or name
   * @param overlapMs how long; 0 ends it now
   * @throws as `findKey` does, `usage`
   */
  async rotateKey(
    given: string,
    overlapMs = ROTATION_OVERLAP_MS,
  ): Promise<{ key: ApiKeyRecord; value: string }> {
    const { id, organisationId, type } = await findKey(this.#store, given);
    const value = makeApiKey(type, this.#random);
    const previousUntil = this.#clock.now() + checkedOverlap(overlapMs);
    const details = { previousUntil: isoTime(previousUntil) };
    const auditEntry = this.#auditEntry('key.rotate', id, organisationId, details);
    const key = await this.#store.rotateKey(id, hashApiKey(value), previousUntil, auditEntry);
    return { key, value };
  }

  /** Nobody is inside at the event from now on. @throws TicketscanError `not_found` */
  async resetInside({ id, organisationId, name }: EventRecord): Promise<number> {
    const at = this.#clock.now();
    const auditEntry = this.#auditEntry('event.reset_inside', id, organisationId, { name });
    await this.#store.resetOccupancy(id, at, auditEntry);
    return at;
  }

  /** Holds for every scan that starts after this resolves. @param given value, id or name @throws as `findKey` does */
  async deleteKey(given: string): Promise<ApiKeyRecord> {
    const key = await findKey(this.#store, given);
    const { id, name, organisationId } = key;
    const auditEntry = this.#auditEntry('key.delete', id, organisationId, { name });
    await this.#store.deleteKey(id, this.#clock.now(), auditEntry);
    return key;
  }

  async #resolveEvents(events: NewKey['events']): Promise<'all' | EventRecord[]> {
    if (events === 'all') return 'all';
    if (events.length === 0)
      throw new TicketscanError('usage', 'Name at least one event, or "all".', {
        reason: 'no_event_chosen',
      });
    return Promise.all(events.map((event) => this.findEvent(event)));
  }

  async #ownerOf(events: 'all' | EventRecord[], organisation: string | undefined): Promise<string> {
    if (events === 'all' || organisation !== undefined) {
      return (await this.#ownerNamed(organisation)).id;
    }
    const owners = new Set(events.map(({ organisationId }) => organisationId));
    const [only] = owners;
    if (only === undefined || owners.size > 1) {
      throw new TicketscanError(
        'usage',
        'The events belong to several organisations, but a key belongs to one. Choose events of one organisation.',
        { reason: 'event_elsewhere' },
      );
    }
    return only;
  }

  /** In a store without organisations, the first event or key brings one. */
  async #ownerNamed(organisation: string | undefined): Promise<Organisation> {
    const isFirst =
      organisation === undefined && (await this.#store.listOrganisations()).length === 0;
    return isFirst
      ? this.createOrganisation(DEFAULT_ORGANISATION)
      : this.findOrganisation(organisation);
  }

  #auditEntry(
    act: string,
    subject: string,
    organisationId: string | null,
    details: Readonly<Record<string, unknown>> = {},
  ): NewAuditLogEntry {
    return auditEntryOf(this.#actor, this.#clock, { act, subject, organisationId, details });
  }

  #recordId(prefix: string): string {
    return `${prefix}_${randomText(BASE36, RECORD_ID_CHARACTERS, this.#random)}`;
  }
}
