import * as z from 'zod';
import { OUTCOME_NAMES, SCAN_STATUSES } from '../../../core/outcome-names.ts';
import { GivenTime, PageLimit, Time } from './common.ts';
import { FileFormat } from './tickets.ts';

/** `admitted` is a consumed use; `denied` everything that kept somebody out. */
const OUTCOMES = ['admitted', 'denied', ...OUTCOME_NAMES] as const;

export const LogEntry = z
  .object({
    sequence: z.number().int(),
    at: Time,
    keyId: z.string(),
    serial: z.string().nullable(),
    reader: z.string().nullable(),
    operation: z.enum(['validate', 'consume']),
    outcome: z.enum(SCAN_STATUSES),
    reason: z.string().nullable(),
    ticketId: z.string().nullable(),
    /** The beginning of a forged code. */
    excerpt: z.string().nullable(),
    usesConsumed: z.number().int().nullable(),
    /** True when a stored answer was given again: no use was registered this time. */
    replayed: z.boolean(),
  })
  .meta({ id: 'LogEntry' });
export type LogEntry = z.output<typeof LogEntry>;

export const LogConditions = z.object({
  ticket: z.string().max(100).optional(),
  key: z.string().max(100).optional(),
  event: z.string().max(100).optional(),
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

/**
 * Only so many entries are looked at for one answer: a page may be short, even empty, and yet have a `next`, which
 * goes into `before` (or `after`) of the next request. `searchedBackTo` is the last entry that was looked at.
 */
export const LogList = z.object({
  items: z.array(LogEntry),
  next: z.number().int().nullable(),
  searchedBackTo: z.number().int(),
});
export type LogList = z.output<typeof LogList>;

export const LiveQuery = LogConditions.extend({
  /** As the header `Last-Event-ID`, for who cannot set one. */
  after: Sequence.optional(),
});

export const LogExportQuery = LogConditions.extend({
  format: FileFormat.default('csv'),
  after: Sequence.optional(),
});
