import * as z from 'zod';
import { LogEntryJson } from '../../../core/codecs/log-entry.ts';
import { OUTCOME_NAMES } from '../../../core/outcome-names.ts';
import { FileWriting, GivenTime, PageLimit } from '../../../operations/fields.ts';

/** `admitted` is a consumed use; `denied` everything that kept somebody out. */
const OUTCOMES = ['admitted', 'denied', ...OUTCOME_NAMES, 'undone'] as const;

export const LogConditions = z.object({
  ticket: z.string().max(100).optional(),
  key: z.string().max(100).optional(),
  event: z.string().max(100).optional(),
  /** Of the device. */
  serial: z.string().max(100).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  /** Entries of this time and later. */
  from: GivenTime.optional(),
  /** Entries of this time and earlier. */
  until: GivenTime.optional(),
});

export type LogConditions = z.output<typeof LogConditions>;

const Sequence = z.coerce.number().int().min(0);

export const LogQuery = LogConditions.extend({
  /** Newest first, among the entries before this number. */
  before: Sequence.optional(),
  /** Oldest first, among the entries after this number. */
  after: Sequence.optional(),
  limit: PageLimit,
});

/** With `after`: the entries after that number that no longer exist. Continue after `goOnAfter`. */
const LogGap = z.object({
  fromSequence: z.number().int().nullable(),
  toSequence: z.number().int().nullable(),
  reason: z.enum(['pruned', 'log_replaced']),
  goOnAfter: z.number().int(),
});

/**
 * One answer examines a limited number of entries: a page may be short, even empty, and yet have a `next`, which
 * goes into `before` (or `after`) of the next request. `searchedBackTo` is the last entry that was looked at.
 */
export const LogList = z.object({
  items: z.array(LogEntryJson),
  next: z.number().int().nullable(),
  searchedBackTo: z.number().int(),
  gap: LogGap.exactOptional(),
});
export type LogList = z.output<typeof LogList>;

export const LiveQuery = LogConditions.extend({
  /** As the header `Last-Event-ID`, for clients that cannot set it. */
  after: Sequence.optional(),
});

export const LogExportQuery = LogConditions.extend({
  ...FileWriting,
  after: Sequence.optional(),
});

export const EntryNumber = z.object({ sequence: z.coerce.number().int().min(1) });
export const Undo = z.object({
  /** Why, in one line of 1 to 200 characters: the log keeps it. */
  reason: z.string(),
});
