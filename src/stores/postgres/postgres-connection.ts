import type { ClientBase } from 'pg';
import type { LogEntry } from '../../core/records.ts';
import type { IncomingTicket, SqlConnection, SqlValue } from '../sql/connection.ts';
import { TICKETS } from '../ticket-row.ts';
import { isUniqueViolation } from './failures.ts';
import { appendLogEntry, awaitLogGaps, insertLog } from './scan-log.ts';
import {
  arraysOf,
  type Columns,
  columnsFor,
  insertRows,
  storedText,
  textFrom,
} from './statement-values.ts';
import { inTransaction } from './transaction.ts';

const KEEP_OUT_WAIT_MS = 1000;

/** One connection to the server, behind the interface that every SQL database shares. */
export class PostgresConnection implements SqlConnection {
  readonly key = { column: 'key_id', target: 'id' };
  readonly loggedTicket = { column: 'ticket_id', target: 'id' };
  readonly unlogged = { table: 'pruned_use', uses: 'uses' };
  readonly counters =
    'SELECT id AS ticket, id, uses_allowed, uses_consumed, uses_unlogged AS earlier FROM ticket_record';
  readonly countKey =
    'quarter, key_id, event_id, kind, serial, operation, outcome, direction, shard';
  readonly forUpdate = ' FOR UPDATE';
  readonly forKeyShare = ' FOR KEY SHARE';
  /** Columns of type `id` are ordered by their bytes already, other texts by the language of the server. */
  readonly bytewise = (expression: string) => `${expression} COLLATE "C"`;
  readonly memberOf = (expression: string, name: string) => `(${expression}::json ->> '${name}')`;
  readonly anyOf = (expression: string, value: string) => `${expression} = ANY(${value}::text[])`;
  readonly each = (value: string) => `unnest(${value}::text[]) AS each (value)`;
  readonly contains = (expression: string, value: string) =>
    `position(${value} IN ${expression}) > 0`;
  readonly eventOfTicket = (expression: string) => `substring(${expression} FROM '^tkt_([^_]*)_')`;
  readonly isLoggedTicket = (value: string) => `ticket_id = ${value}`;
  readonly storedText = storedText;
  readonly textFrom = textFrom;
  readonly isUniqueViolation = isUniqueViolation;
  readonly #client: ClientBase;

  constructor(client: ClientBase) {
    this.#client = client;
  }

  async rows<Row>(statement: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    const { rows } = await this.#client.query(statement, [...values]);
    return rows as Row[];
  }

  async run(statement: string, values: readonly SqlValue[] = []): Promise<number> {
    const { rowCount } = await this.#client.query(statement, [...values]);
    return rowCount ?? 0;
  }

  inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTransaction(this.#client, work);
  }

  /** Adds a full token bucket, written as an empty one that was last filled in 1970. */
  async addKeyState(keyId: string): Promise<void> {
    await this.run('INSERT INTO rate_bucket VALUES ($1, 0, 0)', [keyId]);
  }

  async removeKeyState(keyIds: string, value: SqlValue): Promise<void> {
    await this.run(`DELETE FROM rate_bucket WHERE key_id IN (${keyIds})`, [value]);
  }

  async takeTurn(what: string): Promise<void> {
    await this.rows('SELECT pg_advisory_xact_lock(hashtext($1), hashtext(current_schema()))', [
      what,
    ]);
  }

  /**
   * Waits for the batches in progress: a validate locks no row of the tickets that it reads, but locks this table in a mode that conflicts. New scans
   * queue behind the wait, which is short even if something else, such as a vacuum, holds the table for long.
   */
  async keepScansOut(): Promise<void> {
    await this.run(`SET LOCAL lock_timeout = ${KEEP_OUT_WAIT_MS}`);
    await this.run('LOCK TABLE ticket IN EXCLUSIVE MODE');
  }

  awaitLogGaps(afterSequence: number, upTo: number, limit: number): Promise<void> {
    return awaitLogGaps(this.#client, { afterSequence, upTo, limit });
  }

  insertTickets(tickets: readonly IncomingTicket[]): Promise<IncomingTicket[]> {
    return insertTickets(this.#client, tickets);
  }

  insertLog(entries: readonly LogEntry[]): Promise<void> {
    return insertLog(this.#client, entries);
  }

  async deleteTickets(ticketIds: readonly string[]): Promise<void> {
    await this.run('DELETE FROM pruned_use WHERE ticket_id = ANY($1::text[])', [ticketIds]);
    await this.run('DELETE FROM ticket WHERE id = ANY($1::text[])', [ticketIds]);
  }

  async flushUses(): Promise<void> {}

  appendLogEntry(entry: Omit<LogEntry, 'sequence'>): Promise<number> {
    return appendLogEntry(this.#client, entry);
  }

  async takeBackUse(ticketId: string): Promise<number | undefined> {
    const [left] = await this.rows<{ uses: number }>(
      'UPDATE ticket SET uses_consumed = uses_consumed - 1 WHERE id = $1 RETURNING uses_consumed AS uses',
      [ticketId],
    );
    return left?.uses;
  }

  async continueAuditLog(): Promise<void> {
    await this.rows(
      "SELECT setval(pg_get_serial_sequence('audit_log', 'sequence'), (SELECT max(sequence) FROM audit_log))",
    );
  }
}

/** Tickets per statement; more would only cost memory. */
const CHUNK = 5000;

const COLUMNS: Columns<IncomingTicket> = [
  ...(columnsFor(TICKETS) as Columns<IncomingTicket>),
  ['uses_consumed', 'integer', ({ usesConsumed }) => usesConsumed ?? 0],
  ['last_consumed_at', 'bigint', ({ lastConsumedAt }) => lastConsumedAt ?? null],
  ['uses_outside_log', 'integer', (ticket) => ticket.usesUnlogged ?? ticket.usesConsumed ?? 0],
];

const INSERT = `
  ${insertRows('ticket', COLUMNS)}
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** Inserts tickets; the caller holds a transaction. @returns the tickets whose id did not exist */
async function insertTickets(
  client: ClientBase,
  tickets: readonly IncomingTicket[],
): Promise<IncomingTicket[]> {
  const inserted: IncomingTicket[] = [];
  for (let from = 0; from < tickets.length; from += CHUNK) {
    const chunk = tickets.slice(from, from + CHUNK);
    const { rows } = await client.query<{ id: string }>({
      name: 'insert-tickets',
      text: INSERT,
      values: arraysOf(COLUMNS, chunk),
    });
    // A ticket that is twice in the same call was inserted once.
    const ids = new Set(rows.map(({ id }) => id));
    inserted.push(...chunk.filter(({ id }) => ids.delete(id)));
  }
  return inserted;
}
