import type { ClientBase, PoolClient } from 'pg';
import type { TrailEntry } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import type { RecordPage, Section, StoreRecords } from '../transfer/records.ts';
import type { Connections } from './connections.ts';
import { KEY_COLUMNS, type KeyRow, keyFrom } from './key-rows.ts';
import { DEVICE_COLUMNS, deviceFrom, LOG_COLUMNS, logEntryFrom } from './log-table.ts';
import { EVENT_COLUMNS, ORGANISATION_COLUMNS, organisationFrom } from './organisation-rows.ts';
import { TICKET_COLUMNS, type TicketRow, ticketFrom } from './ticket-rows.ts';
import { TRAIL_COLUMNS } from './trail-table.ts';

/** How a section is listed: by one value that stays with its row, so that a page can begin behind any of them. */
interface Listing {
  readonly columns: string;
  readonly from: string;
  /** Text or number; unique. */
  readonly place: string;
  readonly type: 'bigint' | 'text';
  // biome-ignore lint/suspicious/noExplicitAny: each listing knows the row of its own columns
  readonly record: (row: any) => StoreRecords[Section];
}

const LISTINGS: Readonly<Record<Section, Listing>> = {
  organisations: {
    columns: ORGANISATION_COLUMNS,
    from: 'organisation o',
    place: 'o.ordinal',
    type: 'bigint',
    record: organisationFrom,
  },
  events: {
    columns: EVENT_COLUMNS,
    from: 'event',
    place: 'ordinal',
    type: 'bigint',
    record: ({ place: _, ...event }) => event,
  },
  keys: {
    columns: `${KEY_COLUMNS}, k.hash, k.deleted_at`,
    from: 'api_key k',
    place: 'k.ordinal',
    type: 'bigint',
    record: (row: KeyRow & { hash: string; deleted_at: number | null }) => ({
      record: keyFrom(row),
      hash: row.hash,
      deletedAt: row.deleted_at,
    }),
  },
  tickets: {
    columns: `${TICKET_COLUMNS}, uses_outside_log + coalesce(p.uses, 0) AS unlogged`,
    from: 'ticket LEFT JOIN pruned_use p ON p.ticket_id = id',
    place: 'ordinal',
    type: 'bigint',
    record: (row: TicketRow & { unlogged: number }) => ({
      ...ticketFrom(row),
      usesUnlogged: row.unlogged,
    }),
  },
  log: {
    columns: LOG_COLUMNS,
    from: 'scan_log',
    place: 'sequence',
    type: 'bigint',
    record: withoutPlace(logEntryFrom),
  },
  requests: {
    columns: 'key_id AS "keyId", month, requests',
    from: '(SELECT key_id, month, sum(requests)::bigint AS requests FROM api_key_usage GROUP BY key_id, month) AS q',
    place: "(key_id || ' ' || month)",
    type: 'text',
    record: ({ place: _, ...requests }) => requests,
  },
  answers: {
    columns:
      'key_id AS "keyId", name, body_hash AS "bodyHash", decision, expires_at AS "expiresAt"',
    from: "(SELECT * FROM stored_answer WHERE decision <> '') AS a",
    place: "(key_id || ' ' || name)",
    type: 'text',
    record: ({ place: _, decision, ...answer }) => ({
      ...answer,
      decision: JSON.parse(decision) as StoredAnswer['decision'],
    }),
  },
  devices: {
    columns: DEVICE_COLUMNS,
    from: 'device d',
    place: "(d.key_id || ' ' || d.serial)",
    type: 'text',
    record: withoutPlace(deviceFrom),
  },
  documents: {
    columns: 'kind, id, revision, value',
    from: 'document',
    place: "(kind || ' ' || id)",
    type: 'text',
    record: ({ place: _, value, ...document }) => ({
      ...document,
      value: JSON.parse(value) as unknown,
    }),
  },
  trail: {
    columns: TRAIL_COLUMNS,
    from: 'trail',
    place: 'sequence',
    type: 'bigint',
    record: ({ place: _, details, ...entry }) => ({
      ...entry,
      details: JSON.parse(details) as TrailEntry['details'],
    }),
  },
};

function withoutPlace<Row, Result>(
  record: (row: Row) => Result,
): (row: Row & { place: unknown }) => Result {
  return ({ place: _, ...row }) => record(row as unknown as Row);
}

/** The state of the database at one moment, read in a transaction that sees nothing later while others write. */
export class PostgresSnapshot {
  readonly #connections: Connections;
  #client: PoolClient | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async begin(): Promise<void> {
    await this.end();
    const client = await this.#connections.take();
    this.#client = client;
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // What it sees is fixed by its first read.
    await client.query('SELECT revision FROM state');
  }

  async page(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    if (!this.#client)
      throw new TicketscanError('store_unavailable', 'No snapshot of the store has been begun.');
    return readPage(this.#client, section, after, limit);
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // Its transaction ends with it.
    client?.release(true);
  }
}

async function readPage(
  client: ClientBase,
  section: Section,
  after: string | null,
  limit: number,
): Promise<RecordPage> {
  const { columns, from, place, type, record } = LISTINGS[section];
  const bytewise = type === 'text' ? `${place} COLLATE "C"` : place;
  const { rows } = await client.query<{ place: string | number }>(
    `SELECT ${bytewise} AS place, ${columns} FROM ${from} WHERE ${bytewise} > $1::${type} ORDER BY 1 LIMIT $2`,
    [after ?? (type === 'text' ? '' : -1), limit],
  );
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    section,
    records: rows.map(record),
    next: last ? String(last.place) : null,
  } as RecordPage;
}
