import * as z from 'zod';
import { ROLES } from '../administrative-records.ts';
import { INTEGRATION_TYPES } from '../api-key.ts';
import { DIRECTIONS, EXIT_RULES } from '../direction.ts';
import { REFUSAL_REASONS, type RefusalReason } from '../refusal-counts.ts';
import { Time, TimeOrNull } from './time.ts';

export const OrganisationJson = z
  .object({
    id: z.string(),
    name: z.string(),
    limits: z
      .object({
        ratePerSecond: z.number().positive(),
        burst: z.number().int().min(1),
        quotaPerMonth: z.number().int().min(1),
        keysMax: z.number().int().min(1),
      })
      .meta({ id: 'Limits' }),
    /** Such as Europe/Berlin; missing where none was set. */
    timeZone: z.string().exactOptional(),
    /** Made by `seed` beside its sample; missing for every other organisation. */
    sampleNeighbour: z.literal(true).exactOptional(),
    createdAt: Time,
  })
  .meta({ id: 'Organisation' });

export type OrganisationJson = z.input<typeof OrganisationJson>;

export const EventJson = z.object({
  id: z.string(),
  organisationId: z.string(),
  name: z.string(),
  createdAt: Time,
  archivedAt: TimeOrNull,
});

/** Section 2.1. The value is not here: it is shown once, in the answer to its creation. */
export const KeyJson = z.object({
  id: z.string(),
  organisationId: z.string(),
  name: z.string(),
  type: z.enum(INTEGRATION_TYPES),
  events: z.union([z.literal('all'), z.array(z.string())]),
  active: z.boolean(),
  relay: z.enum(['auto', 'in', 'out']),
  openSeconds: z.number().int(),
  /** Which way readers point, by the index that the device sends; `*` is all others. Absent when nothing is configured. */
  readers: z.record(z.string(), z.enum(DIRECTIONS)).optional(),
  /** What a read outwards at the consume endpoint does; `consume` when absent. */
  onExit: z.enum(EXIT_RULES).optional(),
  /** The device file that is asked first; absent where the known models alone are. */
  device: z.string().optional(),
  createdAt: Time,
  /** From then on the key is as if disabled; absent for never. */
  expiresAt: Time.optional(),
  /** How often the key got a new value; absent for never. */
  rotations: z.number().int().optional(),
  /** Until when the value before the last rotation holds as well. */
  previousUntil: Time.optional(),
});

export type KeyJson = z.input<typeof KeyJson>;

export const Role = z.enum(ROLES).meta({ id: 'Role' });
export type Role = z.output<typeof Role>;

/** Never the hash of the password, nor the key of its devices. */
export const AccountJson = z
  .object({
    id: z.string(),
    name: z.string(),
    role: Role,
    /** Whose tickets a scanner may scan; `all` for every other role. */
    events: z.union([z.literal('all'), z.array(z.string())]),
    createdAt: Time,
    lastSignInAt: TimeOrNull,
  })
  .meta({ id: 'Account' });
export type AccountJson = z.input<typeof AccountJson>;

/** Without its value, which is shown once. */
export const AccessTokenJson = z
  .object({ id: z.string(), name: z.string(), role: Role, createdAt: Time, expiresAt: Time })
  .meta({ id: 'AccessToken' });
export type AccessTokenJson = z.input<typeof AccessTokenJson>;

const Occurrences = z.object({ times: z.number().int(), firstAt: Time, lastAt: Time });

const RefusalJson = Occurrences.extend({
  reason: z.enum(Object.keys(REFUSAL_REASONS) as RefusalReason[]),
  /** The prefix of a key, or the length of another text; null when none was sent. */
  key: z.string().nullable(),
  keyId: z.string().nullable(),
  serial: z.string().nullable(),
  /** Of the client. */
  address: z.string(),
  /** The path of the endpoint. */
  endpoint: z.string(),
}).meta({ id: 'Refusal' });

export const RefusalListJson = z.object({
  /** The latest first. */
  items: z.array(RefusalJson),
  /** More than are listed one by one; null when all are. */
  others: Occurrences.nullable(),
  /** Whether unknown and mistyped keys are among them: for an owner, while the store has one organisation. */
  unknownKeys: z.boolean(),
});
