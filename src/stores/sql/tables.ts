import type { AdministrativeRecord, AuditLogEntry } from '../../core/administrative-records.ts';
import { readersIn, readersText } from '../../core/direction.ts';
import { type KeyChoiceName, ofEachChoice } from '../../core/key-settings.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type {
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Occupancy,
  Organisation,
} from '../../core/records.ts';
import type { ScanCount } from '../../core/scan-count.ts';
import type { ErasedReference, NamedAnswer, StoredKey, StoreRecords } from '../transfer/records.ts';
import {
  bigint,
  type Column,
  type Columns,
  derived,
  double,
  flag,
  id,
  identifier,
  integer,
  json,
  key,
  nullable,
  onlyTrue,
  optional,
  said,
  sequence,
  text,
} from './columns.ts';
import type { Table } from './rows.ts';

/**
 * The tables of a database and their columns, each described once. Ids are compared byte by byte, so that every server locks
 * tickets in the same order, whatever its language. Times are milliseconds since 1970 UTC. `ticket-row.ts` has the tickets.
 */

export const LIMITS: Columns<OrganisationLimits> = {
  ratePerSecond: double('rate_per_second'),
  burst: bigint('burst'),
  quotaPerMonth: bigint('quota_per_month'),
  keysMax: integer('keys_max'),
};

export const ORGANISATIONS: Table<Organisation> = {
  table: 'organisation',
  columns: {
    id: identifier(),
    name: text('name', 'UNIQUE'),
    limits: { members: LIMITS },
    timeZone: optional(text('time_zone'), null),
    sampleNeighbour: optional(onlyTrue('sample_neighbour'), false),
    createdAt: bigint('created_at'),
  },
};

export const EVENTS: Table<EventRecord> = {
  table: 'event',
  columns: {
    id: identifier(),
    organisationId: id('organisation_id', 'REFERENCES organisation (id)'),
    name: text('name'),
    createdAt: bigint('created_at'),
    archivedAt: nullable(bigint('archived_at')),
  },
  keys: 'UNIQUE (organisation_id, name)',
};

/** The events of a key are rows of `api_key_event`; the column says whether the key is for all events. No identifier holds a blank. */
const SCOPE: Column<ApiKeyRecord['events']> = {
  name: 'all_events',
  type: 'boolean',
  expression: (rows) => `CASE WHEN ${rows}.all_events THEN 'all' ELSE coalesce(
    (SELECT string_agg(e.id, ' ' ORDER BY e.ordinal) FROM api_key_event s JOIN event e ON e.id = s.event_id
     WHERE s.key_id = ${rows}.id), '') END`,
  read: (stored) => {
    if (stored === 'all') return 'all';
    return stored === '' ? [] : String(stored).split(' ');
  },
  write: (events) => events === 'all',
};

/** The readers of a key as a text, such as `0=in,1=out`. */
const READERS: Column<NonNullable<ApiKeyRecord['readers']>> = {
  name: 'readers',
  type: 'text',
  read: (stored) => readersIn(String(stored)) ?? {},
  write: (readers) => readersText({ readers }),
};

const CHOICES = ofEachChoice(({ column, usual }) => optional(text(column), usual)) as Pick<
  Columns<ApiKeyRecord>,
  KeyChoiceName
>;

/** The keys. The accounts that scan are among them, see `record-rules.ts`. */
export const KEYS: Table<ApiKeyRecord> = {
  table: 'api_key',
  columns: {
    id: identifier(),
    organisationId: id('organisation_id', 'REFERENCES organisation (id)'),
    name: text('name'),
    type: text('type', "CHECK (type IN ('api', 'hardware'))"),
    events: SCOPE,
    active: flag('active'),
    relay: text('relay'),
    openSeconds: integer('open_seconds'),
    createdAt: bigint('created_at'),
    readers: optional(READERS, ''),
    ...CHOICES,
    expiresAt: optional(bigint('expires_at'), null),
    rotations: optional(integer('rotations'), 0),
    previousUntil: optional(bigint('previous_until'), null),
    device: optional(text('device'), ''),
  },
};

export const STORED_KEYS: Table<StoredKey> = {
  table: 'api_key',
  columns: {
    record: { members: KEYS.columns },
    hash: id('hash', 'UNIQUE'),
    previousHash: nullable(id('previous_hash', 'UNIQUE')),
    deletedAt: nullable(bigint('deleted_at')),
  },
};

/** The requests of a key in a month, in several rows where the engine has shards. */
export const REQUESTS: Table<StoreRecords['requests']> = {
  table: 'api_key_usage',
  rows: (keyColumn) =>
    `SELECT ${keyColumn}, month, CAST(sum(requests) AS bigint) AS requests, max(last_used_at) AS last_used_at FROM api_key_usage GROUP BY 1, 2`,
  columns: {
    keyId: key(),
    month: integer('month'),
    requests: bigint('requests'),
    lastUsedAt: nullable(bigint('last_used_at')),
  },
  keys: 'PRIMARY KEY ({key}, month{shard})',
  end: 'inOrder',
};

export const DEVICES: Table<DeviceRecord> = {
  table: 'device',
  columns: {
    keyId: key(),
    model: said('model'),
    serial: said('serial'),
    address: said('address'),
    firmware: said('firmware'),
    clock: nullable(said('clock')),
    lastContactAt: nullable(bigint('last_contact_at')),
    lastScanAt: nullable(bigint('last_scan_at')),
    firstAt: nullable(bigint('first_at')),
  },
  keys: 'PRIMARY KEY ({key}, serial)',
  end: 'inOrder',
};

export const ERASED_REFERENCES: Table<ErasedReference> = {
  table: 'erased_reference',
  columns: {
    organisationId: id('organisation_id', 'REFERENCES organisation (id)'),
    digest: id('digest'),
  },
  keys: 'PRIMARY KEY (organisation_id, digest)',
  end: 'inOrder',
};

/** The columns of why a use was taken back. What people typed is converted like texts of devices: a server may refuse some characters. */
const UNDO: Columns<NonNullable<LogEntry['undo']>> = {
  sequence: bigint('undoes'),
  by: said('by_name'),
  reason: said('reason'),
};

/** The entries of the log that take back a use, by their numbers. */
export const UNDONE_USES: Table<NonNullable<LogEntry['undo']> & { readonly entry: number }> = {
  table: 'undone_use',
  columns: { entry: { ...bigint('sequence'), rule: 'PRIMARY KEY' }, ...UNDO },
  keys: 'UNIQUE (undoes)',
};

/** The site of an entry as a text, such as `st_abc.1f2e 17`, with ` late` at its end where it takes no use. */
const SITE_OF_ENTRY: Column<NonNullable<LogEntry['site']>> = {
  name: 'site',
  type: 'text',
  read: (stored) => {
    const [id = '', number, late] = String(stored).split(' ');
    return { id, number: Number(number), late: late !== undefined };
  },
  write: siteText,
};

/** The stored form of the site of an entry. */
export function siteText({ id: site, number, late }: NonNullable<LogEntry['site']>): string {
  return `${site} ${number}${late ? ' late' : ''}`;
}

/**
 * The log, read from the view `log_record`, which adds why an entry takes back a use. It has no foreign keys and no secondary index,
 * because every scan pays for them.
 */
export const LOG: Table<LogEntry> = {
  table: 'scan_log',
  columns: {
    sequence: sequence('logSequence'),
    at: bigint('at'),
    keyId: { ...key(), expression: (rows) => `${rows}.key_id` },
    serial: nullable(said('serial')),
    reader: nullable(said('reader')),
    operation: text('operation'),
    status: text('status'),
    reason: nullable(text('reason')),
    ticketId: nullable({ ...id('ticket_id'), own: 'loggedTicket' }),
    excerpt: nullable(said('excerpt')),
    usesConsumed: nullable(integer('uses_consumed')),
    replayed: flag('replayed'),
    direction: optional(text('direction'), null),
    done: optional(text('done'), null),
    byHand: optional(onlyTrue('by_hand'), null),
    site: optional(SITE_OF_ENTRY, null),
    undo: {
      members: {
        sequence: derived(bigint('undoes')),
        by: derived(said('undo_by')),
        reason: derived(said('undo_reason')),
      },
      without: 'absent',
    },
    undoneBy: derived(optional(bigint('undone_by'), null)),
  },
  end: 'log',
};

/** The counters of the statistics. A text is empty if a scan has none; `pruned` scans are no longer in the log. */
export const COUNTS: Table<ScanCount> = {
  table: 'scan_count',
  columns: {
    quarter: bigint('quarter'),
    keyId: key(),
    eventId: id('event_id'),
    kind: id('kind'),
    serial: { ...said('serial'), type: 'id' },
    operation: id('operation'),
    outcome: id('outcome'),
    direction: id('direction'),
    scans: bigint('scans'),
    pruned: bigint('pruned'),
  },
  keys: 'PRIMARY KEY (quarter, {key}, event_id, kind, serial, operation, outcome, direction{shard})',
  end: 'counters',
};

/** The people inside, by event. The counts of an event may lie in several rows. */
export const OCCUPANCY: Table<Occupancy> = {
  table: 'event_occupancy',
  rows: () => `SELECT event_id, CAST(sum(entered) AS bigint) AS entered, CAST(sum(exited) AS bigint) AS exited,
    max(reset_at) AS reset_at FROM event_occupancy GROUP BY event_id`,
  columns: {
    eventId: id('event_id'),
    entered: bigint('entered'),
    exited: bigint('exited'),
    resetAt: nullable(bigint('reset_at')),
  },
  others: [{ name: 'shard', type: 'integer', rule: 'DEFAULT 0' }],
  keys: 'PRIMARY KEY (event_id, shard)',
  end: 'inOrder',
};

export const ANSWERS: Table<NamedAnswer> = {
  table: 'stored_answer',
  // A row without a decision is only a lock.
  rows: () => "SELECT * FROM stored_answer WHERE decision <> ''",
  columns: {
    keyId: key(),
    name: id('name'),
    bodyHash: text('body_hash'),
    decision: json('decision'),
    expiresAt: bigint('expires_at'),
  },
  keys: '{unique} ({key}, name)',
};

export const ADMINISTRATIVE_RECORDS: Table<AdministrativeRecord> = {
  table: 'administrative_record',
  columns: {
    kind: id('kind'),
    id: id('id'),
    revision: integer('revision'),
    value: json('value'),
  },
  keys: 'PRIMARY KEY (kind, id)',
  end: 'inOrder',
};

/** A ticket that was changed while its event was at a site, which hears of it in this order. */
export interface SiteChange {
  readonly sequence: number;
  readonly eventId: string;
  readonly ticketId: string;
  /** When it was changed. */
  readonly at: number;
  /** When the site said that it is in force there; null until then. */
  readonly inForceAt: number | null;
}

/** These rows are not copied with a store: the sites of a new one ask for all of their tickets again. */
export const SITE_CHANGES: Table<SiteChange> = {
  table: 'site_change',
  columns: {
    sequence: sequence(),
    eventId: id('event_id'),
    ticketId: id('ticket_id'),
    at: bigint('at'),
    inForceAt: nullable(bigint('in_force_at')),
  },
};

/** The audit log names objects by text: it outlives them. */
export const AUDIT_LOG: Table<AuditLogEntry> = {
  table: 'audit_log',
  columns: {
    sequence: sequence(),
    at: bigint('at'),
    organisationId: nullable(id('organisation_id')),
    accountId: nullable(id('account_id')),
    by: text('by_name'),
    act: text('act'),
    subject: text('subject'),
    details: json('details'),
  },
};
