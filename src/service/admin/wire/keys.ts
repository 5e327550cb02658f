import * as z from 'zod';
import { INTEGRATION_TYPES } from '../../../core/api-key.ts';
import { KeyJson } from '../../../core/codecs/records.ts';
import { TimeOrNull } from '../../../core/codecs/time.ts';
import { DIRECTIONS, EXIT_RULES } from '../../../core/direction.ts';
import { KEY_STATES } from '../../../core/key-terms.ts';
import {
  OPEN_SECONDS_MAX,
  ROTATION_OVERLAP_MS,
  ROTATION_OVERLAP_MS_MAX,
} from '../../../core/limits.ts';
import { KeptTime, Name, wholeList } from './common.ts';

const Events = z.union([
  z.literal('all'),
  z.array(z.string()).min(1, 'Choose at least one event, or all.').max(1000),
]);
const Relay = KeyJson.shape.relay;
const OpenSeconds = z.number().int().min(1).max(OPEN_SECONDS_MAX);

const Terms = {
  /** Which way readers point, by the index that the device sends; `*` is all others. */
  readers: z.record(z.string().max(16), z.enum(DIRECTIONS)).optional(),
  onExit: z.enum(EXIT_RULES).optional(),
  /** The name of a device file of this server; empty for none. */
  device: z.string().max(40).optional(),
  /** Null for never. */
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
  /** Also of an active key that has expired. */
  state: z.enum(KEY_STATES),
  /** The expiry is near: at most 14 days away. */
  expiresSoon: z.boolean(),
  /** The minute of its latest scan that counted. */
  lastUsedAt: TimeOrNull,
  usage: Usage,
}).meta({ id: 'Key' });
export type Key = z.output<typeof Key>;
export const KeyList = wholeList(Key);

/** SHA-256 of a key's value, in hex. */
export const KeyHash = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

export const NewKey = z.object({
  name: Name,
  type: z.enum(INTEGRATION_TYPES),
  /** `all`, or ids of events. */
  events: Events,
  relay: Relay.optional(),
  openSeconds: OpenSeconds.optional(),
  ...Terms,
});

export const CreatedKey = Key.extend({
  /** Shown this once. */
  key: z.string(),
  cardUrl: z.string().optional(),
  heartUrl: z.string().optional(),
  /** Of a key with a device file: the device appends its own paths. */
  deviceUrl: z.string().optional(),
}).meta({ id: 'CreatedKey' });
export type CreatedKey = z.output<typeof CreatedKey>;

/** Strict: a member that cannot be changed, such as `type`, is refused instead of ignored. */
export const KeyChanges = z.strictObject({
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

export const Rotation = z.object({
  /** How long the current value stays valid beside the new one; 0 ends it at once. */
  overlapSeconds: z
    .number()
    .int()
    .min(0)
    .max(OVERLAP_SECONDS_MAX)
    .default(ROTATION_OVERLAP_MS / 1000),
});
