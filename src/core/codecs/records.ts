import * as z from 'zod';
import { ROLES } from '../administrative-records.ts';
import { INTEGRATION_TYPES } from '../api-key.ts';
import { ACTIONS, DIRECTIONS, EXIT_RULES } from '../direction.ts';
import { LOG_STATUSES } from '../outcome-names.ts';
import type { LogEntry } from '../records.ts';
import { Time, TimeOrNull, timesFromJson, timesToJson } from './time.ts';

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

export type OrganisationJson = z.output<typeof OrganisationJson>;

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
export type AccountJson = z.output<typeof AccountJson>;

/** Without its value, which is shown once. */
export const AccessTokenJson = z
  .object({ id: z.string(), name: z.string(), role: Role, createdAt: Time, expiresAt: Time })
  .meta({ id: 'AccessToken' });
export type AccessTokenJson = z.output<typeof AccessTokenJson>;

export const LogEntryJson = z
  .object({
    sequence: z.number().int(),
    at: Time,
    /** Of the key (`key_…`), or of the account (`acc_…`) that scanned in the page. */
    keyId: z.string(),
    serial: z.string().nullable(),
    reader: z.string().nullable(),
    operation: z.enum(['validate', 'consume', 'undo']),
    outcome: z.enum(LOG_STATUSES),
    reason: z.string().nullable(),
    ticketId: z.string().nullable(),
    /** The beginning of a forged code. */
    excerpt: z.string().nullable(),
    usesConsumed: z.number().int().nullable(),
    /** True when a stored answer was returned again: no use was registered this time. */
    replayed: z.boolean(),
    /** Of an `undone` entry: the entry that took the use, who took it back, and why. */
    undo: z.object({ sequence: z.number().int(), by: z.string(), reason: z.string() }).optional(),
    /** The entry that took this use back. */
    undoneBy: z.number().int().optional(),
    /** Which way the reader points; absent for a key without directions. */
    direction: z.enum(DIRECTIONS).optional(),
    /** What was done at such a reader; absent when nothing was, also for a repeated answer. */
    done: z.enum(ACTIONS).optional(),
  })
  .meta({ id: 'LogEntry' });
export type LogEntryJson = z.output<typeof LogEntryJson>;

export function logEntryToJson({ operation, status, ...entry }: LogEntry): LogEntryJson {
  return { ...timesToJson(entry), operation, outcome: status };
}

export function logEntryFromJson({ outcome, undo, undoneBy, ...entry }: LogEntryJson): LogEntry {
  return {
    ...timesFromJson(entry),
    status: outcome,
    ...(undo && { undo }),
    ...(undoneBy !== undefined && { undoneBy }),
  };
}
