import * as z from 'zod';
import { ACTIONS, DIRECTIONS } from '../direction.ts';
import { LOG_STATUSES } from '../outcome-names.ts';
import type { LogEntry } from '../records.ts';
import { Time } from './time.ts';

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
export type LogEntryJson = z.input<typeof LogEntryJson>;

/** As the API shows an entry: `outcome` is the status under its public name. */
export function logEntryView({
  operation,
  status,
  ...entry
}: LogEntry): z.output<typeof LogEntryJson> {
  return { ...entry, operation, outcome: status };
}

export function logEntryToJson(entry: LogEntry): LogEntryJson {
  return z.encode(LogEntryJson, logEntryView(entry));
}

export function logEntryFromView({
  outcome,
  undo,
  undoneBy,
  direction,
  done,
  ...entry
}: z.output<typeof LogEntryJson>): LogEntry {
  return {
    ...entry,
    status: outcome,
    ...(undo && { undo }),
    ...(undoneBy !== undefined && { undoneBy }),
    ...(direction && { direction }),
    ...(done && { done }),
  };
}
