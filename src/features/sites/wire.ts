import * as z from 'zod';
import { REFUSAL_REASONS, type RefusalReason } from '../../core/outcome-names.ts';
import { LogEntryJson } from '../../core/records.ts';
import { REFUSAL_ROWS_MAX } from '../../core/refusal-counts.ts';

/*
 * What a site and its centre say to each other, as JSON over HTTPS. The site asks, and nothing calls the site. Times are milliseconds since
 * 1970 UTC.
 */

export const SITE_PATHS = {
  feed: '/site/feed',
  rows: '/site/rows',
  tickets: '/site/tickets',
} as const;

/** How many rows of its log a site sends at once: as many as a batch of scans has at most. */
export const ROWS_AT_ONCE = 512;
/** How many tickets come in a page of a copy, and changes in an answer. The gates wait for a large page to be read and written. */
export const TICKETS_AT_ONCE = 150;
/** How many devices a question tells of. */
export const CONTACTS_AT_ONCE = 1000;
/** The longest address of a client that was refused. */
export const ADDRESS_CHARACTERS = 100;
/** How long the centre keeps a question that has no answer yet. */
export const WAIT_SECONDS_MAX = 25;

const count = z.number().int().min(0);
const id = z.string().min(1).max(100);
const incarnation = z.string().regex(/^[0-9a-f]{16}$/);

const HeldEvent = z.strictObject({ event: id, epoch: count, isClosed: z.boolean(), newest: count });

const Contact = z.strictObject({
  keyId: id,
  model: z.string().max(500),
  serial: z.string().max(500),
  address: z.string().max(500),
  firmware: z.string().max(500),
  clock: z.string().max(500).nullable(),
  at: count,
});

const Occurrences = { times: count.min(1), firstAt: count, lastAt: count };

/** What a site has refused before a decision, as its own store counts it. */
const RefusalsTold = z.strictObject({
  rows: z
    .array(
      z.strictObject({
        ...Occurrences,
        reason: z.enum(Object.keys(REFUSAL_REASONS) as RefusalReason[]),
        key: z.string().max(100).nullable(),
        keyId: id.nullable(),
        serial: z.string().max(500).nullable(),
        address: z.string().max(ADDRESS_CHARACTERS),
        endpoint: z.string().max(1000),
      }),
    )
    .max(REFUSAL_ROWS_MAX),
  others: z.strictObject(Occurrences).nullable(),
});
export type RefusalsTold = z.output<typeof RefusalsTold>;

/** A row of the log of a site, and what it is recognised by. */
const LastRow = z.object({ number: count, mark: z.string().max(100) });
export type LastRow = z.output<typeof LastRow>;

/** What a site says, and asks at once: what it has, and what it knows. */
export const FeedQuestion = z.strictObject({
  incarnation,
  /** The site that the store was before; empty for a new one. */
  site: z.string().max(100),
  now: count,
  /** Empty before the first answer. */
  feed: z.string().max(100),
  applied: count,
  digest: z.string().max(100),
  /** When the centre had the records that are in force at the site. */
  recordsAsOf: count.nullable(),
  /** Every event that it has or had. */
  held: z.array(HeldEvent).max(10_000),
  /** Rows of its log that the centre does not have. */
  waiting: count,
  /** Devices that it heard of lately. */
  contacts: z.array(Contact).max(CONTACTS_AT_ONCE),
  /** What it has refused; null where the centre has the counts of this digest. */
  refusals: z.strictObject({ digest: z.string().max(100), counts: RefusalsTold.nullable() }),
  /** How long the answer may wait for something new. */
  waitSeconds: count.max(WAIT_SECONDS_MAX),
});
export type FeedQuestion = z.output<typeof FeedQuestion>;

const VerifyingKey = z.object({
  id: z.string(),
  format: z.enum(['TS1', 'TS2']),
  state: z.enum(['active', 'verify-only', 'retired']),
  key: z.string(),
});

/** A record of the store as it is. */
const AsStored = z.record(z.string(), z.unknown());

const Records = z.object({
  digest: z.string(),
  organisation: AsStored,
  events: z.array(AsStored),
  keys: z.array(AsStored),
  administrative: z.array(AsStored),
  signing: z.array(VerifyingKey),
});

export const FeedAnswer = z.object({
  now: count,
  site: z.object({ id: z.string(), name: z.string() }),
  feed: z.string(),
  /** The last row of the site that the centre has. */
  stored: count,
  /** A row of the site that the centre has, late among them; null where it remembers none of this store. */
  last: LastRow.nullable(),
  /** The digest of the refusals that the centre has of this store. */
  refusals: z.string(),
  wishes: z.array(z.object({ event: id, epoch: count, kind: z.enum(['take', 'close', 'keep']) })),
  /** Null where the site has the newest ones. */
  records: Records.nullable(),
  /** With this answer, the site has the records as they were then. An answer may come later than its records were looked up. */
  recordsAsOf: count,
  changes: z.array(AsStored),
  /** Changes up to this number are in this answer, or were in earlier ones. */
  changesTo: count,
  /** Whether more follow at once. */
  hasMore: z.boolean(),
});
export type FeedAnswer = z.output<typeof FeedAnswer>;

export const RowsSent = z.strictObject({
  incarnation,
  rows: z
    .array(z.strictObject({ after: count, epoch: count, entry: LogEntryJson }))
    .min(1)
    .max(ROWS_AT_ONCE),
  /** Rows of its log that come after these. */
  waiting: count,
  /** The accounts at the site that are named in place of a key. */
  scanners: z.array(z.strictObject({ id, name: z.string().max(200) })).max(ROWS_AT_ONCE),
});
export type RowsSent = z.output<typeof RowsSent>;

export const RowsKept = z.object({ stored: count, last: LastRow.nullable() });
export type RowsKept = z.output<typeof RowsKept>;

export const TicketsQuestion = z.object({
  incarnation,
  event: id,
  epoch: z.coerce.number().int().min(1),
  after: z.string().max(100).optional(),
});

export type TicketsQuestion = z.output<typeof TicketsQuestion>;

export const TicketsAnswer = z.object({
  tickets: z.array(AsStored),
  /** Null on the last page. */
  next: z.string().nullable(),
  /** The newest change at the time of this page. */
  newestChange: count,
  feed: z.string(),
});
