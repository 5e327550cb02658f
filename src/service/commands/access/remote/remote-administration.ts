import { isoTime } from '../../../../core/clock.ts';
import { OrganisationJson } from '../../../../core/codecs/records.ts';
import { timesFromJson } from '../../../../core/codecs/time.ts';
import { TicketscanError } from '../../../../core/errors.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  EventRecord,
  Organisation,
  OrganisationEdit,
} from '../../../../core/records.ts';
import { Done } from '../../../admin/wire/common.ts';
import { CreatedKey, Key } from '../../../admin/wire/keys.ts';
import { DeletionFacts, Event } from '../../../admin/wire/organisation.ts';
import type { NewKey } from '../../../manage/administration.ts';
import type { DeletionFacts as Facts } from '../../../manage/deletions.ts';
import { findKey } from '../../../manage/find-key.ts';
import { findNamed } from '../../../manage/record-checks.ts';
import type { AdminClient } from './admin-client.ts';
import { eventFrom, keyFrom } from './remote-records.ts';
import type { RemoteStore } from './remote-store.ts';

/** The operations of `Administration` at a server; names are looked up here, the server takes ids. */
export class RemoteAdministration {
  readonly #client: AdminClient;
  readonly #store: RemoteStore;

  constructor(client: AdminClient, store: RemoteStore) {
    this.#client = client;
    this.#store = store;
  }

  async createOrganisation(): Promise<Organisation> {
    throw new TicketscanError(
      'usage',
      'Organisations can be created only on the store: an account belongs to one organisation. Use --store.',
    );
  }

  /** Limits but the number of keys are refused before anything is sent, and the rest is one request. */
  async editOrganisation(
    nameOrId: string | undefined,
    { limits = {}, sheets, ...changes }: OrganisationEdit,
  ): Promise<Organisation> {
    const { keysMax, ...others } = limits;
    if (Object.keys(others).length > 0) {
      throw new TicketscanError(
        'usage',
        'Limits can be changed only on the store, by the operator of the service. Use --store.',
      );
    }
    await this.findOrganisation(nameOrId);
    const body = { ...changes, ...(keysMax !== undefined && { keysMax }), sheets };
    return timesFromJson(await this.#client.patch('/organisation', OrganisationJson, body));
  }

  async accountsOf(): Promise<never> {
    throw notAtAServer();
  }

  async deleteOrganisation(): Promise<never> {
    throw notAtAServer();
  }

  async findOrganisation(nameOrId: string | undefined): Promise<Organisation> {
    const [own] = await this.#store.list('organisation');
    if (!own) throw new Error('a server always has an organisation');
    return nameOrId === undefined ? own : findNamed('organisation', nameOrId, [own]);
  }

  async createEvent(name: string, organisation?: string): Promise<EventRecord> {
    await this.findOrganisation(organisation);
    return eventFrom(await this.#client.post('/events', Event, { name }));
  }

  async renameEvent({ id }: EventRecord, name: string): Promise<EventRecord> {
    return eventFrom(await this.#client.patch(`/events/${id}`, Event, { name }));
  }

  async archiveEvent({ id }: EventRecord): Promise<EventRecord> {
    return eventFrom(await this.#client.post(`/events/${id}/archive`, Event, {}));
  }

  async unarchiveEvent({ id }: EventRecord): Promise<EventRecord> {
    return eventFrom(await this.#client.post(`/events/${id}/unarchive`, Event, {}));
  }

  async deleteEvent({ id }: EventRecord): Promise<void> {
    await this.#client.delete(`/events/${id}`, Done);
  }

  async deletionFacts({ id }: EventRecord): Promise<Facts> {
    const facts = await this.#client.get(`/events/${id}/deletion`, DeletionFacts);
    return {
      ...facts,
      lastScanAt: facts.lastScanAt === null ? null : Date.parse(facts.lastScanAt),
    };
  }

  async deleteEventWithTickets({ id }: EventRecord): Promise<void> {
    await this.#client.delete(`/events/${id}?withTickets=true`, Done);
  }

  async deleteOrganisationWithTickets(): Promise<never> {
    throw notAtAServer();
  }

  async findEvent(nameOrId: string): Promise<EventRecord> {
    return findNamed('event', nameOrId, await this.#store.list('event'));
  }

  async createKey({
    name,
    type,
    events,
    organisation,
    door,
    terms,
  }: NewKey): Promise<{ key: ApiKeyRecord; value: string }> {
    await this.findOrganisation(organisation);
    const options = {
      name,
      type,
      events: await this.#eventIds(events),
      ...door,
      ...terms,
      ...wireTerms(terms ?? {}),
    };
    return shownKeyFrom(await this.#client.post('/keys', CreatedKey, options));
  }

  async editKey(
    given: string,
    changes: Omit<ApiKeyChanges, 'events'> & { events?: 'all' | readonly string[] },
  ): Promise<ApiKeyRecord> {
    const { id } = await findKey(this.#store, given);
    const { events, ...others } = changes;
    const body = {
      ...others,
      ...wireTerms(others),
      ...(events && { events: await this.#eventIds(events) }),
    };
    return keyFrom(await this.#client.patch(`/keys/${id}`, Key, body));
  }

  async rotateKey(
    given: string,
    overlapMs?: number,
  ): Promise<{ key: ApiKeyRecord; value: string }> {
    const { id } = await findKey(this.#store, given);
    const body = overlapMs === undefined ? {} : { overlapSeconds: Math.round(overlapMs / 1000) };
    return shownKeyFrom(await this.#client.post(`/key-rotations/${id}`, CreatedKey, body));
  }

  async resetInside({ id }: EventRecord): Promise<number> {
    const { inside } = await this.#client.post(`/events/${id}/reset-inside`, Event, {});
    return Date.parse(inside.resetAt ?? '');
  }

  async deleteKey(given: string): Promise<ApiKeyRecord> {
    const key = await findKey(this.#store, given);
    await this.#client.delete(`/keys/${key.id}`, Done);
    return key;
  }

  async #eventIds(events: 'all' | readonly string[]): Promise<'all' | string[]> {
    if (events === 'all') return 'all';
    if (events.length === 0)
      throw new TicketscanError('usage', 'Name at least one event, or "all".');
    const known = await this.#store.list('event');
    return events.map((event) => findNamed('event', event, known).id);
  }
}

function shownKeyFrom({ key: value, cardUrl: _, heartUrl: __, ...key }: CreatedKey): {
  key: ApiKeyRecord;
  value: string;
} {
  return { key: keyFrom(key), value };
}

function wireTerms({
  expiresAt,
  previousUntil,
}: Pick<ApiKeyChanges, 'expiresAt' | 'previousUntil'>): Record<string, string | null> {
  return {
    ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt) }),
    ...(previousUntil !== undefined && { previousUntil: isoTime(previousUntil) }),
  };
}

function notAtAServer(): TicketscanError {
  return new TicketscanError(
    'usage',
    'Organisations can be deleted only on the store: an account belongs to one organisation. Use --store.',
  );
}
