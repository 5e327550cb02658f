import { DatabaseSync } from 'node:sqlite';
import type { LogFact, RequestsFact, StoreFacts, TicketFact } from './facts.ts';

const BUSY_TIMEOUT_MS = 10_000;

/**
 * Reads a SQLite store. Opening it recovers what a crash left in the write-ahead log, as the server would.
 * @throws Error when the file is no database or lacks its tables
 */
export function readSqliteFacts(path: string): StoreFacts {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    return {
      tickets: new Map(database.prepare(TICKETS).all().map(ticketFrom)),
      log: database.prepare(LOG).all().map(entryFrom),
      requests: database.prepare(REQUESTS).all() as unknown as RequestsFact[],
      keys: new Map(database.prepare(KEYS).all().map(keyFrom)),
      damage: [...unsoundPages(database), ...staleCounters(database)],
    };
  } finally {
    database.close();
  }
}

const TICKETS = `
  SELECT t.id, t.uses_allowed, n.uses_consumed, coalesce(i.uses_consumed, 0) AS brought,
    t.valid_from, t.valid_until, t.cancelled_at
  FROM ticket t LEFT JOIN ticket_now n ON n.ticket = t.ordinal LEFT JOIN ticket_import i ON i.ticket = t.ordinal`;

const LOG = `
  SELECT l.sequence, l.at, coalesce(k.id, '') AS key, l.operation AS action, l.status,
    coalesce(t.id, l.ticket_text) AS ticket, l.uses_consumed, l.replayed
  FROM scan_log l LEFT JOIN api_key k ON k.ordinal = l.api_key LEFT JOIN ticket t ON t.ordinal = l.ticket ORDER BY l.sequence`;

const REQUESTS = `
  SELECT k.id AS key, u.month, u.requests FROM api_key_usage u JOIN api_key k ON k.ordinal = u.api_key`;

const KEYS = `
  SELECT id, CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN active = 1 THEN 'active' ELSE 'disabled' END AS state
  FROM api_key`;

/**
 * Counters sum the log up to `state.flushed_to`: there they must agree with it, whatever the view adds to them. While they are
 * flushed in steps, some are further, but never further than the whole log.
 */
const STALE_COUNTERS = `
  SELECT t.id, u.uses_consumed, max(CASE WHEN l.sequence <= (SELECT flushed_to FROM state) THEN l.uses_consumed END) AS logged
  FROM scan_log l JOIN ticket_use u ON u.ticket = l.ticket JOIN ticket t ON t.ordinal = l.ticket
  WHERE l.status = 'consumed' AND l.replayed = 0
  GROUP BY l.ticket HAVING u.uses_consumed < logged OR u.uses_consumed > max(l.uses_consumed)`;

type Row = Record<string, unknown>;

function ticketFrom(row: Row): [string, TicketFact] {
  return [
    row['id'] as string,
    {
      usesAllowed: row['uses_allowed'] as number,
      usesConsumed: (row['uses_consumed'] as number | null) ?? Number.NaN,
      usesBrought: row['brought'] as number,
      validFrom: row['valid_from'] as number | null,
      validUntil: row['valid_until'] as number | null,
      cancelled: row['cancelled_at'] !== null,
    },
  ];
}

function keyFrom(row: Row): [string, 'active' | 'disabled' | 'deleted'] {
  return [row['id'] as string, row['state'] as 'active' | 'disabled' | 'deleted'];
}

function entryFrom(row: Row): LogFact {
  return {
    sequence: row['sequence'] as number,
    at: row['at'] as number,
    key: row['key'] as string,
    action: row['action'] as string,
    status: row['status'] as string,
    ticket: row['ticket'] as string | null,
    usesConsumed: row['uses_consumed'] as number | null,
    replayed: row['replayed'] === 1,
  };
}

function unsoundPages(database: DatabaseSync): string[] {
  const found = database.prepare('PRAGMA integrity_check(20)').all();
  return found.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
}

function staleCounters(database: DatabaseSync): string[] {
  const rows = database.prepare(STALE_COUNTERS).all();
  return rows.map(
    (row) => `counter of ${row['id']} is ${row['uses_consumed']}, its flushed log ${row['logged']}`,
  );
}
