import * as z from 'zod';
import { LogEntryJson } from '../../../core/codecs/log-entry.ts';
import { Time, TimeOrNull } from '../../../core/codecs/time.ts';
import { STATISTICS_MINUTES_MAX } from '../../../core/limits.ts';
import { PageLimit, wholeList } from '../../../operations/fields.ts';

export const DEVICE_SCANS_SHOWN = 5;

export const Device = z
  .object({
    serial: z.string(),
    model: z.string(),
    keyId: z.string(),
    address: z.string(),
    firmware: z.string(),
    lastHeartbeatAt: TimeOrNull,
    lastScanAt: TimeOrNull,
    online: z.boolean(),
    /** How far its clock was ahead at the last heartbeat, to the nearest quarter of an hour; null when it does not say. */
    clockDriftMs: z.number().int().nullable(),
    /** Newest first, among the latest entries of the log. */
    lastScans: z.array(LogEntryJson),
  })
  .meta({ id: 'Device' });
export type Device = z.output<typeof Device>;
export const DeviceList = wholeList(Device);

export const StatisticsQuery = z.object({
  minutes: z.coerce.number().int().min(1).max(STATISTICS_MINUTES_MAX).default(60),
});

const Counts = { admitted: z.number().int(), denied: z.number().int() };

/** Consume operations only: a validate lets nobody in. Repeated answers are not counted. */
export const Statistics = z
  .object({
    /** One for each minute, oldest first; the last is the current one. */
    minutes: z.array(z.object({ at: Time, ...Counts })),
    /** A gate is a device by its serial, or a key where no device says its serial; in those minutes. */
    byGate: z.array(
      z.object({ gate: z.string(), keyId: z.string(), serial: z.string().nullable(), ...Counts }),
    ),
    byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    /** Since midnight UTC. */
    today: z.object(Counts),
    /** False while the log of these minutes is still being counted: their numbers are then too small. */
    complete: z.boolean(),
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.output<typeof Statistics>;

export const AuditQuery = z.object({
  before: z.coerce.number().int().min(1).optional(),
  limit: PageLimit,
});
export const AuditEntry = z
  .object({
    sequence: z.number().int(),
    at: Time,
    /** The account, or `command line`. */
    by: z.string(),
    /** Distinguishes an account from the command line, whatever its name is. */
    byKind: z.enum(['account', 'command_line']),
    accountId: z.string().nullable(),
    act: z.string(),
    /** What it was done to. */
    subject: z.string(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;
export const AuditList = z.object({
  items: z.array(AuditEntry),
  next: z.number().int().nullable(),
});

export const Server = z
  .object({
    version: z.string(),
    engine: z.enum(['sqlite', 'memory', 'json', 'postgres']),
    /** Whether this server has controls that only tests want. */
    testControls: z.boolean(),
    /** The address at which devices reach the service, if it was set. */
    baseUrl: z.string().nullable(),
    /** The names of the device files that this server has. */
    deviceFiles: z.array(z.string()).optional(),
    /** The last backup; null for whom it does not concern. */
    backup: z.object({ at: TimeOrNull, overdue: z.boolean() }).nullable(),
  })
  .meta({ id: 'Server' });
export type Server = z.output<typeof Server>;
