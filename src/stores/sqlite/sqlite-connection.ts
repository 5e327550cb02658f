import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { LogEntry } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { IncomingTicket, SqlConnection, SqlValue } from '../sql/connection.ts';
import { logEnds } from '../sql/prune.ts';
import { storedIn, writersOf } from '../sql/rows.ts';
import { TICKETS } from '../ticket-row.ts';
import { isSqliteUniqueViolation } from './failures.ts';
import { bound, entryValues, INSERT_ENTRY, TEXTS } from './log-values.ts';
import { beginWriting } from './open-database.ts';
import { INDEXED_VIEW, type UseIndex, withUseIndex } from './pending-uses.ts';

/** A connection to SQLite. It works in the thread that calls it: each promise is settled when it is returned. */
export class SqliteConnection implements SqlConnection {
  readonly key = { column: 'api_key', target: 'ordinal' };
  readonly loggedTicket = { column: 'ticket', target: 'ordinal' };
  readonly unlogged = { table: 'ticket_import', uses: 'uses_consumed' };
  readonly counters = COUNTERS;
  readonly countKey = 'quarter, api_key, event_id, kind, serial, operation, outcome, direction';
  /** The words that lock rows: none, because there is only one write transaction at a time. */
  readonly forUpdate = '';
  readonly forKeyShare = '';
  readonly bytewise = (expression: string) => expression;
  readonly memberOf = (expression: string, name: string) =>
    `json_extract(${expression}, '$.${name}')`;
  readonly anyOf = (expression: string, value: string) =>
    `${expression} IN (SELECT value FROM json_each(${value}))`;
  readonly each = (value: string) => `json_each(${value})`;
  readonly contains = (expression: string, value: string) => `instr(${expression}, ${value}) > 0`;
  readonly eventOfTicket = (expression: string) =>
    `CASE WHEN ${expression} GLOB 'tkt_*_*' THEN substr(${expression}, 5, instr(substr(${expression}, 5), '_') - 1) END`;
  readonly isLoggedTicket = (value: string) =>
    `(ticket = (SELECT ordinal FROM ticket WHERE id = ${value}) OR ticket_text = ${value})`;
  readonly storedText = TEXTS.storedText;
  readonly textFrom = TEXTS.textFrom;
  readonly isUniqueViolation = isSqliteUniqueViolation;
  readonly #database: DatabaseSync;
  readonly #index: UseIndex | undefined;

  /** @param index the index if `createIndexedViews` was called for this database */
  constructor(database: DatabaseSync, index?: UseIndex) {
    this.#database = database;
    this.#index = index;
  }

  async rows<Row>(statement: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    const read = () => this.#prepare(statement).all(...values.map(bound)) as Row[];
    const index = statement.includes(INDEXED_VIEW) ? this.#index : undefined;
    return index ? withUseIndex(this.#database, index, read) : read();
  }

  async run(statement: string, values: readonly SqlValue[] = []): Promise<number> {
    return Number(this.#prepare(statement).run(...values.map(bound)).changes);
  }

  async inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const transaction = beginWriting(this.#database);
    try {
      const result = await work();
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollBack();
      this.#index?.forget();
      throw error;
    }
  }

  async addKeyState(): Promise<void> {}
  async removeKeyState(): Promise<void> {}
  async takeTurn(): Promise<void> {}
  async keepScansOut(): Promise<void> {}
  async awaitLogGaps(): Promise<void> {}
  async continueAuditLog(): Promise<void> {}

  async insertTickets(tickets: readonly IncomingTicket[]): Promise<IncomingTicket[]> {
    const newest = this.#database
      .prepare('SELECT coalesce(max(ordinal), 0) AS ordinal FROM ticket')
      .get();
    const before = newest?.['ordinal'] as number;
    const inserted = this.#insertRows(tickets, before);
    this.#database
      .prepare('INSERT INTO ticket_use SELECT ordinal, 0, NULL FROM ticket WHERE ordinal > ?')
      .run(before);
    this.#insertHistory(inserted);
    return inserted;
  }

  /** Inserts several rows with each statement: running a statement costs as much as writing a row. @returns the new tickets */
  #insertRows(tickets: readonly IncomingTicket[], before: number): IncomingTicket[] {
    const full = this.#database.prepare(insertOf(ROWS_AT_ONCE));
    let changes = 0;
    for (let from = 0; from < tickets.length; from += ROWS_AT_ONCE) {
      const some = tickets.slice(from, from + ROWS_AT_ONCE);
      const insert =
        some.length === ROWS_AT_ONCE ? full : this.#database.prepare(insertOf(some.length));
      changes += Number(insert.run(...some.flatMap(ticketValues)).changes);
    }
    if (changes === tickets.length) return [...tickets];
    const found = this.#database.prepare('SELECT id FROM ticket WHERE ordinal > ?').all(before);
    const ids = new Set(found.map(({ id }) => id));
    // A ticket that is twice in the same call was inserted once.
    return tickets.filter(({ id }) => ids.delete(id));
  }

  /** Sets the counters of tickets that were used in another store. */
  #insertHistory(tickets: readonly IncomingTicket[]): void {
    const use = this.#database.prepare(
      `UPDATE ticket_use SET uses_consumed = ?, last_consumed_at = ?
       WHERE ticket = (SELECT ordinal FROM ticket WHERE id = ?)`,
    );
    const unlogged = this.#database.prepare(
      'INSERT INTO ticket_import SELECT ordinal, ? FROM ticket WHERE id = ?',
    );
    for (const { id, usesConsumed = 0, lastConsumedAt = null, ...ticket } of tickets) {
      if (usesConsumed > 0 || lastConsumedAt !== null) use.run(usesConsumed, lastConsumedAt, id);
      const { usesUnlogged = usesConsumed } = ticket;
      if (usesUnlogged > 0) unlogged.run(usesUnlogged, id);
    }
  }

  async insertLog(entries: readonly LogEntry[]): Promise<void> {
    const ordinalOf = this.#database.prepare('SELECT ordinal FROM ticket WHERE id = ?');
    const keyOf = this.#database.prepare('SELECT ordinal FROM api_key WHERE id = ?');
    const insert = this.#database.prepare(INSERT_ENTRY);
    for (const entry of entries) {
      const { keyId, ticketId, usesConsumed } = entry;
      const key = keyOf.get(keyId)?.['ordinal'] as number;
      // The entry is as a scan writes it: without a ticket it keeps the text, even if a ticket of that name existed and was deleted.
      const found = usesConsumed === null ? undefined : ordinalOf.get(ticketId);
      const ticket = (found?.['ordinal'] as number | undefined) ?? null;
      insert.run(...entryValues(entry, key, ticket));
    }
    // The counters were imported with the tickets.
    this.#database.exec(
      'UPDATE state SET flushed_to = (SELECT coalesce(max(sequence), 0) FROM scan_log)',
    );
  }

  async deleteTickets(ticketIds: readonly string[]): Promise<void> {
    const rows = 'SELECT ordinal FROM ticket WHERE id IN (SELECT value FROM json_each($1))';
    await this.run(`DELETE FROM ticket_import WHERE ticket IN (${rows})`, [ticketIds]);
    await this.run(`DELETE FROM ticket_use WHERE ticket IN (${rows})`, [ticketIds]);
    await this.run(`DELETE FROM ticket WHERE ordinal IN (${rows})`, [ticketIds]);
  }

  async flushUses(): Promise<void> {
    this.#database.exec(FLUSH);
  }

  async appendLogEntry(entry: Omit<LogEntry, 'sequence'>): Promise<number> {
    const sequence = (await logEnds(this)).newest + 1;
    await this.insertLog([{ ...entry, sequence }]);
    return sequence;
  }

  async takeBackUse(ticketId: string): Promise<number | undefined> {
    await this.flushUses();
    const left = this.#database
      .prepare(
        `UPDATE ticket_use SET uses_consumed = uses_consumed - 1
         WHERE ticket = (SELECT ordinal FROM ticket WHERE id = ?) RETURNING uses_consumed`,
      )
      .get(ticketId);
    return left?.['uses_consumed'] as number | undefined;
  }

  /** Writes `$1` as `?1`: SQLite would take `$1` for a name. */
  #prepare(statement: string): StatementSync {
    return this.#database.prepare(statement.replaceAll(/\$(\d+)/g, '?$1'));
  }
}

const ROWS_AT_ONCE = 32;

const TICKET_WRITERS = writersOf(TICKETS);

function ticketValues(ticket: IncomingTicket): SQLInputValue[] {
  return TICKET_WRITERS.map(([column, memberOf]) =>
    bound(storedIn(TEXTS, column, memberOf(ticket as Ticket))),
  );
}

function insertOf(rows: number): string {
  const row = `(${TICKET_WRITERS.map(() => '?').join(', ')})`;
  return `INSERT INTO ticket (${TICKET_WRITERS.map(([{ name }]) => name).join(', ')})
    VALUES ${Array.from({ length: rows }, () => row).join(', ')} ON CONFLICT DO NOTHING`;
}

/** Writes the counters like `PendingUses`, but from the log itself. */
const FLUSH = `
  UPDATE ticket_use SET uses_consumed = later.uses_consumed, last_consumed_at = later.at FROM (
    SELECT ticket, max(uses_consumed) AS uses_consumed, max(at) AS at FROM scan_log
    WHERE sequence > (SELECT flushed_to FROM state) AND status = 'consumed' AND replayed = 0 GROUP BY ticket
  ) AS later WHERE later.ticket = ticket_use.ticket;
  UPDATE state SET flushed_to = (SELECT coalesce(max(sequence), flushed_to) FROM scan_log)`;

/** Reads the counters from the file, not from the memory of this process. */
const COUNTERS = `
  SELECT t.ordinal AS ticket, t.id, t.uses_allowed, u.uses_consumed, coalesce(i.uses_consumed, 0) AS earlier
  FROM ticket t LEFT JOIN main.ticket_now u ON u.ticket = t.ordinal LEFT JOIN ticket_import i ON i.ticket = t.ordinal`;
