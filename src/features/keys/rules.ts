import { hashApiKey, type IntegrationType, makeApiKey } from '../../core/api-key.ts';
import { checkedName } from '../../core/checked-name.ts';
import { isGivenTime, isoTime } from '../../core/clock.ts';
import { areReaders, type Direction, READERS_MAX, readersIn } from '../../core/direction.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import {
  KEY_CHOICE_NAMES,
  KEY_CHOICES,
  type KeyChoiceName,
  USUAL_DOOR,
} from '../../core/key-settings.ts';
import { type KeyTerms, overlapEnd, withoutUnset } from '../../core/key-terms.ts';
import {
  NAME_CHARACTERS_MAX,
  ROTATION_OVERLAP_MS,
  ROTATION_OVERLAP_MS_MAX,
} from '../../core/limits.ts';
import type { ApiKeyChanges, ApiKeyRecord, DoorSettings, EventRecord } from '../../core/records.ts';
import { defined } from '../../kit/defined.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { auditEntryBy, type RuleDeps } from '../actor.ts';
import { explainedRefusal } from '../organisations/owners-limits.ts';
import { OrganisationRules } from '../organisations/rules.ts';
import { again, checkedOpenSeconds, findNamed, makeRecordId } from '../record-checks.ts';

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

/** The actions of people on API keys (section 2.1). */
export class KeyRules {
  readonly #deps: RuleDeps;
  readonly #organisations: OrganisationRules;

  constructor(deps: RuleDeps) {
    this.#deps = deps;
    this.#organisations = new OrganisationRules(deps);
  }

  /** Only the result contains the value: the store keeps its hash. @throws as the finders do, `limit_reached` */
  async create(options: NewKey): Promise<{ key: ApiKeyRecord; value: string }> {
    const { organisation } = options;
    const named =
      organisation === undefined
        ? undefined
        : (await this.#organisations.ownerNamed(organisation)).id;
    const events = await this.#resolveEvents(options.events, named);
    const owner = named ?? (await this.#ownerOf(events));
    const ids: ApiKeyRecord['events'] = events === 'all' ? 'all' : events.map(({ id }) => id);
    const value = makeApiKey(options.type, this.#deps.random);
    const key: ApiKeyRecord = withoutUnset({
      id: makeRecordId('key', this.#deps.random),
      organisationId: owner,
      name: checkedName(options.name),
      type: options.type,
      events: ids,
      active: true,
      relay: options.door?.relay ?? USUAL_DOOR.relay,
      openSeconds: checkedOpenSeconds(options.door?.openSeconds ?? USUAL_DOOR.openSeconds),
      createdAt: this.#deps.clock.now(),
      ...checkedTerms(options.terms ?? {}, options.type, this.#deps.clock.now()),
    });
    const { name, type, events: scope } = key;
    const auditEntry = auditEntryBy(this.#deps, 'key.create', key.id, owner, {
      name,
      type,
      events: scope,
    });
    const record = { kind: 'key', before: null, after: key, hash: hashApiKey(value) } as const;
    await this.#deps.store
      .write({ records: [record], audit: [auditEntry] })
      .catch(async (error) => {
        throw await explainedRefusal(this.#deps.store, owner, error);
      });
    return { key, value };
  }

  /** Applies to every scan that starts after this resolves. @param given value, id or name @throws as `findKey` does, `usage` */
  edit(
    given: string,
    changes: Omit<ApiKeyChanges, 'events'> & { events?: 'all' | readonly string[] },
  ): Promise<ApiKeyRecord> {
    return again(async () => {
      const before = await this.#keyGiven(given);
      const { id, organisationId, type } = before;
      checkedTerms(changes, type, this.#deps.clock.now());
      if (changes.previousUntil !== undefined) {
        checkMovedOverlap(before, changes.previousUntil, this.#deps.clock.now());
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
          previousUntil: lastingEnd(changes.previousUntil, this.#deps.clock.now()),
        }),
      });
      const audit = [
        auditEntryBy(this.#deps, 'key.change', id, organisationId, detailsOf(resolved)),
      ];
      await this.#deps.store.write({ records: [{ kind: 'key', before, after }], audit });
      return (await this.#deps.store.read('key', id)) ?? after;
    });
  }

  /** Gives a key a new value. The old value stays valid for this time; the value before that ends. It applies like `edit`. */
  rotate(
    given: string,
    overlapMs = ROTATION_OVERLAP_MS,
  ): Promise<{ key: ApiKeyRecord; value: string }> {
    return again(async () => {
      const before = await this.#keyGiven(given);
      const { id, organisationId, type, rotations = 0 } = before;
      const value = makeApiKey(type, this.#deps.random);
      const now = this.#deps.clock.now();
      const end = now + checkedOverlap(overlapMs);
      const key: ApiKeyRecord = withoutUnset({
        ...before,
        rotations: rotations + 1,
        previousUntil: lastingEnd(end, now),
      });
      const details = { previousUntil: isoTime(end) };
      const audit = [auditEntryBy(this.#deps, 'key.rotate', id, organisationId, details)];
      const record = { kind: 'key', before, after: key, hash: hashApiKey(value) } as const;
      await this.#deps.store.write({ records: [record], audit });
      return { key: { ...key, previousUntil: end }, value };
    });
  }

  /** Applies to every scan that starts after this resolves. @param given value, id or name @throws as `findKey` does */
  delete(given: string): Promise<ApiKeyRecord> {
    return again(async () => {
      const key = await this.#keyGiven(given);
      const { id, name, organisationId } = key;
      const audit = [auditEntryBy(this.#deps, 'key.delete', id, organisationId, { name })];
      await this.#deps.store.write({ records: [{ kind: 'key', before: key, after: null }], audit });
      return key;
    });
  }

  /** An id is looked up first: the list has the keys of every organisation. @throws as `findKey` does */
  async #keyGiven(given: string): Promise<ApiKeyRecord> {
    return (await this.#deps.store.read('key', given)) ?? findKey(this.#deps.store, given);
  }

  async #resolveEvents(
    events: NewKey['events'],
    organisationId?: string,
  ): Promise<'all' | EventRecord[]> {
    if (events === 'all') return 'all';
    if (events.length === 0) throw refuse('no_event_chosen');
    const filter = organisationId === undefined ? {} : { organisationId };
    const known = await this.#deps.store.list('event', filter);
    return [...new Set(events.map((event) => findNamed('event', event, known)))];
  }

  async #ownerOf(events: 'all' | EventRecord[]): Promise<string> {
    if (events === 'all') return (await this.#organisations.ownerNamed(undefined)).id;
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

/** The end of an overlap; null if it is over: a clock that is set back, or that of another server, must not bring the old value back. */
function lastingEnd(end: number, now: number): number | null {
  return end > now ? end : null;
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

/** The settings of a key besides its name, events and door. */
type GivenTerms = Pick<ApiKeyChanges, KeyChoiceName | 'readers' | 'expiresAt' | 'device'>;

/** @throws TicketscanError `usage` for directions of a key that no device uses, and an expiry in the past */
function checkedTerms<Given extends GivenTerms>(
  given: Given,
  type: IntegrationType,
  now: number,
): Given {
  const { readers, expiresAt } = given;
  checkDevice(given, type);
  if (!areReaders(Object.keys(readers ?? {}))) throw wrongReaders();
  if (type === 'api') refuseForSoftware(given);
  if (expiresAt == null) return given;
  if (!isGivenTime(expiresAt)) throw refuse('time_range', {}, { of: 'expires' });
  if (expiresAt > now) return given;
  throw refuse('expiry_past');
}

/** @throws TicketscanError `usage` for what only a device has */
function refuseForSoftware(given: GivenTerms): void {
  const hasReaders = Object.keys(given.readers ?? {}).length > 0;
  const chosen = KEY_CHOICE_NAMES.find((name) => {
    const { usual } = KEY_CHOICES[name];
    return (given[name] ?? usual) !== usual;
  });
  const wrong = hasReaders ? 'onExit' : chosen;
  if (wrong) throw new TicketscanError('usage', KEY_CHOICES[wrong].onlyHardware);
}

const DEVICE_NAME = /^[a-z0-9-]{0,40}$/;

function checkDevice({ device = '' }: GivenTerms, type: IntegrationType): void {
  if (type === 'api' && device !== '') {
    throw new TicketscanError(
      'usage',
      'Only hardware keys have devices: own software calls /scan/validate and /scan/consume.',
    );
  }
  if (!DEVICE_NAME.test(device)) {
    throw new TicketscanError(
      'usage',
      `"${device}" is not the name of a device file: those have a-z, 0-9 and - only, such as control-id.`,
    );
  }
}

/** Refuses an unknown device file where a server knows its files: it would deny every request of the key. @throws TicketscanError `usage` */
export function checkKnownDevice(device: string | undefined, known: readonly string[]): void {
  if (!device || known.includes(device)) return;
  const names = known.join(', ') || 'none';
  throw refuse(
    'device_unknown',
    { name: device, known: names },
    { detail: 'The operator loads one with serve --device-file FILE.' },
  );
}

/** The directions of `0=in,1=out`; `none` takes them back. @throws TicketscanError `usage` */
export function parseReaders(text: string): Record<string, Direction> {
  const readers = readersIn(text);
  if (readers) return readers;
  throw wrongReaders(`"${text}" is not a list of readers`);
}

function wrongReaders(of?: string): TicketscanError {
  const detail = 'A reader is the index that the device sends (at most 16 letters and digits).';
  return refuse('readers_invalid', { max: READERS_MAX }, { of, detail });
}

const DAYS_MAX = ROTATION_OVERLAP_MS_MAX / DAY_MS;

/** @throws TicketscanError `usage` */
function checkedOverlap(overlapMs: number): number {
  if (Number.isFinite(overlapMs) && overlapMs >= 0 && overlapMs <= ROTATION_OVERLAP_MS_MAX) {
    return Math.round(overlapMs);
  }
  throw new TicketscanError('usage', `The overlap must be 0 to ${DAYS_MAX} days.`);
}

/** @throws TicketscanError `conflict` where no overlap is running, `usage` */
function checkMovedOverlap(key: KeyTerms, previousUntil: number, now: number): void {
  if (overlapEnd(key, now) === undefined) {
    throw refuse('no_overlap');
  }
  checkedOverlap(previousUntil - now);
}

/** A source of keys: a store, or a server that has one. */
interface KeySource {
  findKeyByHash(hash: string): Promise<{ readonly key: ApiKeyRecord } | undefined>;
  list(kind: 'key'): Promise<readonly ApiKeyRecord[]>;
}

/**
 * The key that is given by its value, its id or its unique name.
 * @throws TicketscanError `not_found`, `usage` when several have the name; what may be a value is never in the message
 */
export async function findKey(store: KeySource, given: string): Promise<ApiKeyRecord> {
  const byValue = await store.findKeyByHash(hashApiKey(given));
  if (byValue) return byValue.key;
  // A whole file may have been given for a key: what is too long for a name is not repeated either.
  if (given.includes('tscn_') || given.length > NAME_CHARACTERS_MAX) {
    throw new TicketscanError(
      'not_found',
      'No key has that value: it was deleted, belongs to another store, or is mistyped. Requests with it get 401.',
    );
  }
  return findNamed('key', given, await store.list('key'));
}
