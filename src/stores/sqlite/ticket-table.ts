import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { NewTrailEntry } from '../../core/administrative-records.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { TicketFilter, TicketPage, TicketSearch } from '../store.ts';
import { misnamedTicket, notFound, taken } from '../store-errors.ts';
import { cursorOf, placeOf } from '../ticket-cursor.ts';
import { inTransaction } from './open-database.ts';
import { TICKET_COLUMNS, type TicketRow, ticketFrom } from './ticket-rows.ts';
import { recordAct } from './trail-table.ts';

const SELECT = `SELECT ${TICKET_COLUMNS} FROM ticket t JOIN ticket_now u ON u.ticket = t.id`;

type IncomingTicket = NewTicket & Partial<TicketHistory>;

export function insertTickets(
  database: DatabaseSync,
  tickets: readonly IncomingTicket[],
  act: NewTrailEntry,
): void {
  inTransaction(database, () => {
    refuseUnknownEvents(database, tickets);
    const inserts = prepareTicketInserts(database);
    // In the order of the index, so that a large load fills its pages one after another.
    const ordered =
      tickets.length > 1 ? [...tickets].sort((a, b) => (a.id < b.id ? -1 : 1)) : tickets;
    for (const ticket of ordered) insertTicket(inserts, ticket, ticket.usesConsumed ?? 0);
    recordAct(database, act);
  });
}

interface TicketInserts {
  readonly ticket: StatementSync;
  readonly use: StatementSync;
  readonly unlogged: StatementSync;
}

export function prepareTicketInserts(database: DatabaseSync): TicketInserts {
  return {
    ticket: database.prepare(
      'INSERT INTO ticket VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    use: database.prepare('INSERT INTO ticket_use VALUES (?, ?, ?)'),
    unlogged: database.prepare('INSERT INTO ticket_import VALUES (?, ?)'),
  };
}

/**
 * @param usesUnlogged those of its uses that this store's log does not hold and will not get
 * @throws TicketscanError `conflict` for an id that exists
 */
export function insertTicket(
  inserts: TicketInserts,
  ticket: IncomingTicket,
  usesUnlogged: number,
): void {
  const { usesConsumed = 0, lastConsumedAt = null, cancelledAt = null } = ticket;
  const { changes, lastInsertRowid } = inserts.ticket.run(
    ticket.id,
    ticket.ticketType,
    ticket.usesAllowed,
    ticket.holder?.firstName ?? null,
    ticket.holder?.lastName ?? null,
    ticket.validFrom,
    ticket.validUntil,
    cancelledAt,
    ticket.createdAt,
  );
  if (changes !== 1) throw taken(`Ticket ${ticket.id}`);
  inserts.use.run(lastInsertRowid, usesConsumed, lastConsumedAt);
  if (usesUnlogged > 0) inserts.unlogged.run(lastInsertRowid, usesUnlogged);
}

function refuseUnknownEvents(database: DatabaseSync, tickets: readonly NewTicket[]): void {
  const find = database.prepare('SELECT 1 FROM event WHERE public_id = ?');
  for (const eventId of new Set(tickets.map((ticket) => ticket.eventId))) {
    if (!find.get(eventId)) throw notFound('event', eventId);
  }
  const misnamed = tickets.find((ticket) => eventOfTicketId(ticket.id) !== ticket.eventId);
  if (misnamed) throw misnamedTicket(misnamed.id, misnamed.eventId);
}

export function findTicket(database: DatabaseSync, ticketId: string): Ticket | undefined {
  const row = database.prepare(`${SELECT} WHERE t.public_id = ?`).get(ticketId);
  return row ? ticketFrom(row as unknown as TicketRow) : undefined;
}

const STATE_CONDITIONS = {
  valid: 't.cancelled_at IS NULL AND u.uses_consumed < t.uses_allowed',
  cancelled: 't.cancelled_at IS NOT NULL',
  used: 'u.uses_consumed >= t.uses_allowed',
} as const;

export function listTickets(database: DatabaseSync, filter: TicketFilter): Ticket[] {
  const events = filter.eventId === undefined ? undefined : [filter.eventId];
  const first = rowOf(database, filter.afterId) + 1;
  return ticketsBetween(database, first, Number.MAX_SAFE_INTEGER, { ...filter, events });
}

export function searchTickets(database: DatabaseSync, search: TicketSearch): TicketPage {
  const after = rowOf(database, search.afterId);
  const end = database
    .prepare('SELECT id FROM ticket WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?')
    .get(after, search.searchMax - 1);
  const last = (end?.['id'] as number | undefined) ?? Number.MAX_SAFE_INTEGER;
  const tickets = ticketsBetween(database, after + 1, last, { ...search, events: search.eventIds });
  const isFull = tickets.length >= search.limit;
  const next = isFull ? rowOf(database, tickets.at(-1)?.id) : (end?.['id'] as number | undefined);
  const isLast = next === undefined || next === newestRow(database);
  return { tickets, next: isLast ? null : cursorOf(next) };
}

interface TicketConditions extends Pick<TicketFilter, 'state' | 'search' | 'limit'> {
  readonly events: readonly string[] | undefined;
}

function ticketsBetween(
  database: DatabaseSync,
  first: number,
  last: number,
  { events, state, search, limit }: TicketConditions,
): Ticket[] {
  const conditions = ['t.id BETWEEN ? AND ?'];
  const values: (string | number)[] = [first, last];
  const [eventCondition, eventValues] = eventsCondition(events);
  conditions.push(eventCondition);
  values.push(...eventValues);
  if (state) conditions.push(STATE_CONDITIONS[state]);
  if (search) {
    conditions.push(
      "instr(lower(t.public_id || ' ' || coalesce(t.first_name, '') || ' ' || coalesce(t.last_name, '')), lower(?)) > 0",
    );
    values.push(search);
  }
  const sql = `${SELECT} WHERE ${conditions.join(' AND ')} ORDER BY t.id LIMIT ?`;
  const rows = database.prepare(sql).all(...values, limit) as unknown as TicketRow[];
  return rows.map(ticketFrom);
}

/** One event is a range of the index; of several, the name is taken out of each id, in the order of creation. */
function eventsCondition(events: readonly string[] | undefined): [string, string[]] {
  if (!events) return ['TRUE', []];
  const [only, ...others] = events;
  if (only !== undefined && others.length === 0) {
    return ['t.public_id > ? AND t.public_id < ?', [`tkt_${only}_`, `tkt_${only}_~`]];
  }
  const event = "substr(t.public_id, 5, instr(substr(t.public_id, 5), '_') - 1)";
  return [`${event} IN (SELECT value FROM json_each(?))`, [JSON.stringify(events)]];
}

function rowOf(database: DatabaseSync, ticketId: string | undefined): number {
  if (ticketId === undefined) return 0;
  const place = placeOf(ticketId);
  if (place !== undefined) return place;
  const row = database.prepare('SELECT id FROM ticket WHERE public_id = ?').get(ticketId);
  return (row?.['id'] as number | undefined) ?? 0;
}

function newestRow(database: DatabaseSync): number {
  return database.prepare('SELECT max(id) AS id FROM ticket').get()?.['id'] as number;
}

export function countTickets(database: DatabaseSync, eventId?: string | null): number {
  const row = eventId
    ? database
        .prepare('SELECT count(*) AS tickets FROM ticket WHERE public_id > ? AND public_id < ?')
        .get(`tkt_${eventId}_`, `tkt_${eventId}_~`)
    : database.prepare('SELECT count(*) AS tickets FROM ticket').get();
  return row?.['tickets'] as number;
}

export function cancelTicket(
  database: DatabaseSync,
  ticketId: string,
  at: number,
  act: NewTrailEntry,
): Ticket {
  const sql = 'UPDATE ticket SET cancelled_at = coalesce(cancelled_at, ?) WHERE public_id = ?';
  return changeTicket(database, ticketId, act, () => database.prepare(sql).run(at, ticketId));
}

export function reinstateTicket(
  database: DatabaseSync,
  ticketId: string,
  act: NewTrailEntry,
): Ticket {
  const sql = 'UPDATE ticket SET cancelled_at = NULL WHERE public_id = ?';
  return changeTicket(database, ticketId, act, () => database.prepare(sql).run(ticketId));
}

function changeTicket(
  database: DatabaseSync,
  ticketId: string,
  act: NewTrailEntry,
  change: () => unknown,
): Ticket {
  return inTransaction(database, () => {
    change();
    const ticket = findTicket(database, ticketId);
    if (!ticket) throw notFound('ticket', ticketId);
    recordAct(database, act);
    return ticket;
  });
}
