import { randomBytes } from 'node:crypto';
import { hashApiKey, type IntegrationType, makeApiKey } from '../../core/api-key.ts';
import { checkedName } from '../../core/checked-name.ts';
import { type Clock, isoTime } from '../../core/clock.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { withoutUnset } from '../../core/key-terms.ts';
import { OPEN_SECONDS_DEFAULT, ROTATION_OVERLAP_MS } from '../../core/limits.ts';
import type { ApiKeyChanges, ApiKeyRecord, DoorSettings, EventRecord } from '../../core/records.ts';
import { defined } from '../../kit/defined.ts';
import type { Store } from '../../stores/store.ts';
import { EventAdministration } from '../events/administration.ts';
import { explainedRefusal } from '../organisations/owners-limits.ts';
import { again, checkedOpenSeconds, findNamed } from '../record-checks.ts';
import {
  checkedOverlap,
  checkedTerms,
  checkMovedOverlap,
  findKey,
  type GivenTerms,
} from './key-checks.ts';

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

/** What people do in a dashboard or on the command line: organisations, events and keys (section 2.1). */
export class Administration extends EventAdministration {
  /** Only the result contains the value: the store keeps its hash. @throws as the finders do, `limit_reached` */
  async createKey(options: NewKey): Promise<{ key: ApiKeyRecord; value: string }> {
    const { organisation } = options;
    const named = organisation === undefined ? undefined : (await this.ownerNamed(organisation)).id;
    const events = await this.#resolveEvents(options.events, named);
    const owner = named ?? (await this.#ownerOf(events));
    const ids: ApiKeyRecord['events'] = events === 'all' ? 'all' : events.map(({ id }) => id);
    const value = makeApiKey(options.type, this.random);
    const key: ApiKeyRecord = withoutUnset({
      id: this.recordId('key'),
      organisationId: owner,
      name: checkedName(options.name),
      type: options.type,
      events: ids,
      active: true,
      relay: options.door?.relay ?? 'auto',
      openSeconds: checkedOpenSeconds(options.door?.openSeconds ?? OPEN_SECONDS_DEFAULT),
      createdAt: this.clock.now(),
      ...checkedTerms(options.terms ?? {}, options.type, this.clock.now()),
    });
    const { name, type, events: scope } = key;
    const auditEntry = this.auditEntry('key.create', key.id, owner, { name, type, events: scope });
    const record = { kind: 'key', before: null, after: key, hash: hashApiKey(value) } as const;
    await this.store.write({ records: [record], audit: [auditEntry] }).catch(async (error) => {
      throw await explainedRefusal(this.store, owner, error);
    });
    return { key, value };
  }

  /** Applies to every scan that starts after this resolves. @param given value, id or name @throws as `findKey` does, `usage` */
  editKey(
    given: string,
    changes: Omit<ApiKeyChanges, 'events'> & { events?: 'all' | readonly string[] },
  ): Promise<ApiKeyRecord> {
    return again(async () => {
      const before = await this.#keyGiven(given);
      const { id, organisationId, type } = before;
      checkedTerms(changes, type, this.clock.now());
      if (changes.previousUntil !== undefined) {
        checkMovedOverlap(before, changes.previousUntil, this.clock.now());
      }
      if (changes.name !== undefined) checkedName(changes.name);
      if (changes.openSeconds !== undefined) checkedOpenSeconds(changes.openSeconds);
      const { events: wanted, ...others } = changes;
      const events = wanted && (await this.#resolveEvents(wanted, organisationId));
      const resolved: ApiKeyChanges = {
        ...others,
        ...(events && { events: events === 'all' ? 'all' : events.map((event) => event.id) }),
      };
      const after: ApiKeyRecord = withoutUnset({
        ...before,
        ...defined(resolved),
        ...(changes.previousUntil !== undefined && {
          previousUntil: lastingEnd(changes.previousUntil, this.clock.now()),
        }),
      });
      const audit = [this.auditEntry('key.change', id, organisationId, detailsOf(resolved))];
      await this.store.write({ records: [{ kind: 'key', before, after }], audit });
      return (await this.store.read('key', id)) ?? after;
    });
  }

  /** The value that it had holds as well for so long; one before that ends. Applies as `editKey` does. */
  rotateKey(
    given: string,
    overlapMs = ROTATION_OVERLAP_MS,
  ): Promise<{ key: ApiKeyRecord; value: string }> {
    return again(async () => {
      const before = await this.#keyGiven(given);
      const { id, organisationId, type, rotations = 0 } = before;
      const value = makeApiKey(type, this.random);
      const now = this.clock.now();
      const end = now + checkedOverlap(overlapMs);
      const key: ApiKeyRecord = withoutUnset({
        ...before,
        rotations: rotations + 1,
        previousUntil: lastingEnd(end, now),
      });
      const details = { previousUntil: isoTime(end) };
      const audit = [this.auditEntry('key.rotate', id, organisationId, details)];
      const record = { kind: 'key', before, after: key, hash: hashApiKey(value) } as const;
      await this.store.write({ records: [record], audit });
      return { key: { ...key, previousUntil: end }, value };
    });
  }

  /** Applies to every scan that starts after this resolves. @param given value, id or name @throws as `findKey` does */
  deleteKey(given: string): Promise<ApiKeyRecord> {
    return again(async () => {
      const key = await this.#keyGiven(given);
      const { id, name, organisationId } = key;
      const audit = [this.auditEntry('key.delete', id, organisationId, { name })];
      await this.store.write({ records: [{ kind: 'key', before: key, after: null }], audit });
      return key;
    });
  }

  /** An id is looked up first: the list has the keys of every organisation. @throws as `findKey` does */
  async #keyGiven(given: string): Promise<ApiKeyRecord> {
    return (await this.store.read('key', given)) ?? findKey(this.store, given);
  }

  async #resolveEvents(
    events: NewKey['events'],
    organisationId?: string,
  ): Promise<'all' | EventRecord[]> {
    if (events === 'all') return 'all';
    if (events.length === 0) throw refuse('no_event_chosen');
    const filter = organisationId === undefined ? {} : { organisationId };
    const known = await this.store.list('event', filter);
    return [...new Set(events.map((event) => findNamed('event', event, known)))];
  }

  async #ownerOf(events: 'all' | EventRecord[]): Promise<string> {
    if (events === 'all') return (await this.ownerNamed(undefined)).id;
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
}

/** Null for an overlap that is over: a clock that is set back, or that of another server, must not bring the old value back. */
function lastingEnd(end: number, now: number): number | null {
  return end > now ? end : null;
}

/** What a command does on a store that it has opened. */
export function administrationOn({ store, clock }: { store: Store; clock: Clock }): Administration {
  return new Administration(store, clock, randomBytes);
}

/** The changes with times as the audit log has them. */
function detailsOf({
  expiresAt,
  previousUntil,
  ...others
}: ApiKeyChanges): Readonly<Record<string, unknown>> {
  return {
    ...others,
    ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt) }),
    ...(previousUntil !== undefined && { previousUntil: isoTime(previousUntil) }),
  };
}
