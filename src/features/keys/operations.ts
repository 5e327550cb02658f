import * as z from 'zod';
import { INTEGRATION_TYPES } from '../../core/api-key.ts';
import { monthOf } from '../../core/clock.ts';
import { DIRECTIONS } from '../../core/direction.ts';
import { KEY_CHOICE_SHAPE } from '../../core/field-shapes.ts';
import { expiresSoon, KEY_STATES, keyStateName } from '../../core/key-terms.ts';
import {
  OPEN_SECONDS_MAX,
  type OrganisationLimits,
  ROTATION_OVERLAP_MS,
  ROTATION_OVERLAP_MS_MAX,
} from '../../core/limits.ts';
import { type ApiKeyRecord, KeyJson, TimeOrNull } from '../../core/records.ts';
import { defined } from '../../kit/defined.ts';
import { asked, Id, KeptTime, ListPage, Name, pagedList, pageOf } from '../../operations/fields.ts';
import type { Frozen } from '../../operations/operation.ts';
import { deviceUrls } from '../../scan/http/scan-paths.ts';
import type { KeyUse } from '../../stores/record-store.ts';
import { type OperationContext, operation } from '../context.ts';
import type { OrganisationScope } from '../scope.ts';
import { InForce, inForceOfKeys, withInForce } from '../sites/in-force.ts';
import { usedUpAt } from './key-watches.ts';
import { checkKnownDevice } from './rules.ts';

const Events = z.union([
  z.literal('all'),
  z.array(z.string()).min(1, 'Choose at least one event, or all.').max(1000),
]);
const Relay = KeyJson.shape.relay;
const OpenSeconds = z.number().int().min(1).max(OPEN_SECONDS_MAX);

const Terms = {
  /** Which way readers point, by the index that the device sends; `*` is all others. */
  readers: z.record(z.string().max(16), z.enum(DIRECTIONS)).optional(),
  ...KEY_CHOICE_SHAPE,
  /** The name of a device file of this server; empty for none. */
  device: z.string().max(40).optional(),
  /** The time of expiry; null for never. */
  expiresAt: KeptTime.nullable().optional(),
};

const Usage = z
  .object({
    requestsThisMonth: z.number().int(),
    quota: z.number().int(),
    /** When the month will be used up at the pace so far; null when it lasts. */
    usedUpAt: TimeOrNull,
    ratePerSecond: z.number(),
    burst: z.number().int(),
  })
  .meta({ id: 'Usage' });

export const Key = KeyJson.extend({
  /** The state of the key; an active key may have expired. */
  state: z.enum(KEY_STATES),
  /** The expiry is near: at most 14 days away. */
  expiresSoon: z.boolean(),
  /** The minute of its latest scan that counted. */
  lastUsedAt: TimeOrNull,
  usage: Usage,
}).meta({ id: 'Key' });
export type Key = Frozen<z.output<typeof Key>>;

const NewKey = z.object({
  name: Name,
  type: z.enum(INTEGRATION_TYPES),
  /** `all`, or ids of events. */
  events: Events,
  relay: Relay.optional(),
  openSeconds: OpenSeconds.optional(),
  ...Terms,
});

const ChangedKey = Key.extend({
  /** Where the change is in force, if sites have keys of the organisation. */
  inForce: InForce.exactOptional(),
}).meta({ id: 'ChangedKey' });

export const CreatedKey = ChangedKey.extend({
  /** Shown this once. */
  key: z.string(),
  cardUrl: z.string().optional(),
  heartUrl: z.string().optional(),
  /** The address for a key with a device file: the device appends its own paths. */
  deviceUrl: z.string().optional(),
}).meta({ id: 'CreatedKey' });
export type CreatedKey = z.output<typeof CreatedKey>;

/** Strict: a member that cannot be changed, such as `type`, is refused instead of ignored. */
const KeyChanges = z.strictObject({
  name: Name.optional(),
  events: Events.optional(),
  active: z.boolean().optional(),
  relay: Relay.optional(),
  openSeconds: OpenSeconds.optional(),
  /** Moves the end of the overlap that is running after a rotation: both values stay valid until then. */
  previousUntil: KeptTime.optional(),
  ...Terms,
});

const OVERLAP_SECONDS_MAX = ROTATION_OVERLAP_MS_MAX / 1000;

const Rotation = z.object({
  /** How long the current value stays valid beside the new one; 0 ends it at once. */
  overlapSeconds: z
    .number()
    .int()
    .min(0)
    .max(OVERLAP_SECONDS_MAX)
    .default(ROTATION_OVERLAP_MS / 1000),
});

const tag = 'Keys';

export const listKeys = operation({
  id: 'listKeys',
  http: 'GET /keys',
  tag,
  role: 'viewer',
  summary: 'List the keys that are not deleted',
  description: 'Values cannot be shown again: only their hashes are kept.',
  query: z.object(ListPage),
  answer: pagedList(Key),
  run: async (context, { after, limit }) => {
    const keys = await context.scope.keys(asked({ after, limit }));
    const { items, next } = pageOf(keys, limit);
    return { items: await allShown(items, context), next };
  },
});

export const findKeyByHash = operation({
  id: 'findKeyByHash',
  http: 'GET /keys/by-hash/:hash',
  tag,
  role: 'viewer',
  summary: 'Find a key by the SHA-256 of its value',
  description: 'Finds a leaked key, to disable it, without sending it again.',
  /** The hash in hex. */
  params: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  answer: Key,
  run: async (context, { hash }) => shown(await context.scope.keyByHash(hash), context),
});

export const createKey = operation({
  id: 'createKey',
  http: 'POST /keys',
  tag,
  role: 'owner',
  summary: 'Create a key',
  description:
    'Only this answer contains the value; for hardware the Card URL and the Heart URL contain it too.',
  body: NewKey,
  status: 201,
  answer: CreatedKey,
  run: async (context, { name, type, events, relay, openSeconds, ...terms }) => {
    const { scope } = context;
    checkDeviceFile(terms.device, context);
    await checkEvents(scope, events);
    const door = { ...(relay && { relay }), ...(openSeconds !== undefined && { openSeconds }) };
    const organisation = scope.organisation?.id;
    const { administration } = scope;
    const made = await administration.keys.create({
      name,
      type,
      events,
      organisation,
      door,
      terms,
    });
    return shownOnce(made, context);
  },
});

export const rotateKey = operation({
  id: 'rotateKey',
  // Under `/keys/` the path could also be read as one of `/keys/by-hash`.
  http: 'POST /key-rotations/:id',
  tag,
  role: 'owner',
  summary: 'Give a key a new value',
  description:
    'The key stays the same: id, events, limits and log. The old value stays valid until `previousUntil`. Only this answer contains the new value.',
  params: Id,
  body: Rotation,
  answer: CreatedKey,
  run: async (context, { id, overlapSeconds }) => {
    const key = await context.scope.key(id);
    const made = await context.scope.administration.keys.rotate(key.id, overlapSeconds * 1000);
    return withInForce(await shownOnce(made, context), whereInForce(key, context));
  },
});

export const changeKey = operation({
  id: 'changeKey',
  http: 'PATCH /keys/:id',
  tag,
  role: 'owner',
  summary: 'Change, enable or disable a key',
  description:
    'Applies to every scan that starts after the answer, in every process on the store; at a site, when that has heard of it: see `inForce`.',
  params: Id,
  body: KeyChanges,
  answer: ChangedKey,
  run: async (context, { id, ...given }) => {
    const key = await context.scope.key(id);
    const changes = defined(given);
    checkDeviceFile(changes.device, context);
    await checkEvents(context.scope, changes.events);
    const changed = await context.scope.administration.keys.edit(key.id, changes);
    return withInForce(await shown(changed, context), whereInForce(key, context));
  },
});

export const deleteKey = operation({
  id: 'deleteKey',
  http: 'DELETE /keys/:id',
  tag,
  role: 'owner',
  summary: 'Delete a key permanently',
  description:
    'Every request with it that starts after the answer gets 401; at a site, when that has heard of it: see `inForce`.',
  params: Id,
  answer: ChangedKey.pick({ inForce: true }).meta({ id: 'DeletedKey' }),
  run: async (context, { id }) => {
    const key = await context.scope.key(id);
    await context.scope.administration.keys.delete(key.id);
    return withInForce({}, whereInForce(key, context));
  },
});

/** Where a change of the key is in force that was just written. */
function whereInForce(
  { organisationId }: ApiKeyRecord,
  { store, clock }: OperationContext,
): Promise<InForce | undefined> {
  return inForceOfKeys(store, clock.now(), organisationId);
}

async function shown(key: ApiKeyRecord, context: OperationContext): Promise<Key> {
  const [only] = await allShown([key], context);
  return only as Key;
}

/** Keys with what each has used of its limits. */
async function allShown(
  keys: readonly ApiKeyRecord[],
  { store, clock, scope }: OperationContext,
): Promise<Key[]> {
  const now = clock.now();
  const uses = await store.keyUses(
    keys.map(({ id }) => id),
    monthOf(now),
  );
  const useOf = new Map(uses.map((use) => [use.keyId, use]));
  return Promise.all(
    keys.map(async (key) => withUse(key, useOf.get(key.id), await scope.limitsOf(key), now)),
  );
}

function withUse(
  key: ApiKeyRecord,
  given: KeyUse | undefined,
  { ratePerSecond, burst, quotaPerMonth }: OrganisationLimits,
  now: number,
): Key {
  const { requests, lastUsedAt } = given ?? { requests: 0, lastUsedAt: null };
  const use = { requestsInMonth: requests, quotaPerMonth, createdAt: key.createdAt };
  return {
    ...key,
    state: keyStateName(key, now),
    expiresSoon: expiresSoon(key, now),
    lastUsedAt,
    usage: {
      requestsThisMonth: requests,
      quota: quotaPerMonth,
      usedUpAt: usedUpAt(use, now),
      ratePerSecond,
      burst,
    },
  };
}

/** Makes the answer that shows a new value; no other answer contains it. */
async function shownOnce(
  { key, value }: { readonly key: ApiKeyRecord; readonly value: string },
  context: OperationContext,
): Promise<Frozen<CreatedKey>> {
  const urls = deviceUrls(key.type, value, context.baseUrl(), key.device);
  return { ...(await shown(key, context)), key: value, ...urls };
}

/** Refuses events that the caller may not reach, by id only. @throws TicketscanError `not_found` */
async function checkEvents(
  scope: OrganisationScope,
  events: 'all' | readonly string[] | undefined,
): Promise<void> {
  if (events === undefined || events === 'all') return;
  for (const id of events) await scope.event(id);
}

/** Refuses a device file that the server does not have. On a store nobody knows which a server has: there, each name is taken. */
function checkDeviceFile(device: string | undefined, { server }: OperationContext): void {
  if (server) checkKnownDevice(device, server.deviceFiles ?? []);
}
