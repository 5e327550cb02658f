import { hashApiKey, type IntegrationType, makeApiKey } from '../core/api-key.ts';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { DEFAULT_LIMITS, OPEN_SECONDS_DEFAULT, type OrganisationLimits } from '../core/limits.ts';
import { BASE36, type RandomBytes, randomText } from '../core/random.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  DoorSettings,
  EventRecord,
  Organisation,
} from '../core/records.ts';
import { makeEventId } from '../core/ticket-id.ts';
import type { Store } from '../stores/store.ts';
import {
  checkedName,
  checkedOpenSeconds,
  checkLimits,
  findNamed,
  listed,
} from './record-checks.ts';

const RECORD_ID_CHARACTERS = 10;
const DEFAULT_ORGANISATION = 'Default';

export interface NewKey {
  readonly name: string;
  readonly type: IntegrationType;
  /** `all`, or ids or unique names of events. */
  readonly events: 'all' | readonly string[];
  /** An id or name; not needed where there is only one, or where the events tell. */
  readonly organisation?: string | undefined;
  readonly door?: Partial<DoorSettings>;
}

/** What people do in a dashboard or on the command line: organisations, events and keys (section 2.1). */
export class Administration {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;

  constructor(store: Store, clock: Clock, random: RandomBytes) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
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
    await this.#store.createOrganisation(organisation);
    return organisation;
  }

  /** Changes some limits. @throws TicketscanError `not_found`, `usage` */
  async editLimits(
    nameOrId: string | undefined,
    changes: Partial<OrganisationLimits>,
  ): Promise<Organisation> {
    const organisation = await this.findOrganisation(nameOrId);
    const limits = { ...organisation.limits, ...changes };
    checkLimits(limits);
    await this.#store.setOrganisationLimits(organisation.id, limits);
    return { ...organisation, limits };
  }

  /** The organisation with that id or name, or the only one. @throws TicketscanError `not_found`, `usage` when unclear */
  async findOrganisation(nameOrId: string | undefined): Promise<Organisation> {
    const all = await this.#store.listOrganisations();
    if (nameOrId !== undefined) {
      const found = all.find(({ id, name }) => id === nameOrId || name === nameOrId);
      if (found) return found;
      throw new TicketscanError(
        'not_found',
        `There is no organisation "${nameOrId}".${listed(all)}`,
      );
    }
    const [only, ...others] = all;
    if (!only)
      throw new TicketscanError(
        'not_found',
        'There is no organisation yet. The first event brings one: ticketscan events create --name NAME',
      );
    if (others.length > 0) {
      throw new TicketscanError('usage', `Say which organisation (--organisation).${listed(all)}`);
    }
    return only;
  }

  /** In a store without organisations, the first event brings one. @throws as `findOrganisation`, `conflict` for a taken name */
  async createEvent(name: string, organisation?: string): Promise<EventRecord> {
    const owner = await this.#ownerNamed(organisation);
    const event: EventRecord = {
      id: makeEventId(this.#random),
      organisationId: owner.id,
      name: checkedName(name),
      createdAt: this.#clock.now(),
    };
    await this.#store.createEvent(event);
    return event;
  }

  /** The event with that id or unique name. @throws TicketscanError `not_found`, `usage` when several have the name */
  async findEvent(nameOrId: string): Promise<EventRecord> {
    return findNamed('event', nameOrId, await this.#store.listEvents());
  }

  /** The value is in the answer and nowhere else: only its hash is kept. @throws as the finders do, `limit_reached` */
  async createKey(wish: NewKey): Promise<{ key: ApiKeyRecord; value: string }> {
    const events = await this.#resolveEvents(wish.events);
    const owner = await this.#ownerOf(events, wish.organisation);
    const value = makeApiKey(wish.type, this.#random);
    const key: ApiKeyRecord = {
      id: this.#recordId('key'),
      organisationId: owner,
      name: checkedName(wish.name),
      type: wish.type,
      events: events === 'all' ? 'all' : events.map(({ id }) => id),
      active: true,
      relay: wish.door?.relay ?? 'auto',
      openSeconds: checkedOpenSeconds(wish.door?.openSeconds ?? OPEN_SECONDS_DEFAULT),
      createdAt: this.#clock.now(),
    };
    await this.#store.createKey(key, hashApiKey(value));
    return { key, value };
  }

  /** The key with that id or unique name. @throws TicketscanError `not_found`, `usage` when several have the name */
  async findKey(nameOrId: string): Promise<ApiKeyRecord> {
    return findNamed('key', nameOrId, await this.#store.listKeys());
  }

  /** Holds for every scan that starts after this resolves. @throws as `findKey` does, `usage` */
  async editKey(
    nameOrId: string,
    changes: Omit<ApiKeyChanges, 'events'> & { events?: 'all' | readonly string[] },
  ): Promise<ApiKeyRecord> {
    const { id } = await this.findKey(nameOrId);
    if (changes.name !== undefined) checkedName(changes.name);
    if (changes.openSeconds !== undefined) checkedOpenSeconds(changes.openSeconds);
    const { events: wanted, ...others } = changes;
    if (wanted === undefined) return this.#store.updateKey(id, others);
    const events = await this.#resolveEvents(wanted);
    return this.#store.updateKey(id, {
      ...others,
      events: events === 'all' ? 'all' : events.map((event) => event.id),
    });
  }

  /** Holds for every scan that starts after this resolves. @throws as `findKey` does */
  async deleteKey(nameOrId: string): Promise<ApiKeyRecord> {
    const key = await this.findKey(nameOrId);
    await this.#store.deleteKey(key.id, this.#clock.now());
    return key;
  }

  async #resolveEvents(events: NewKey['events']): Promise<'all' | EventRecord[]> {
    if (events === 'all') return 'all';
    if (events.length === 0)
      throw new TicketscanError('usage', 'Name at least one event, or "all".');
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
        'The events belong to several organisations; a key belongs to one.',
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

  #recordId(prefix: string): string {
    return `${prefix}_${randomText(BASE36, RECORD_ID_CHARACTERS, this.#random)}`;
  }
}
