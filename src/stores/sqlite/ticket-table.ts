import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { TicketscanError } from '../../core/errors.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { TicketFilter } from '../store.ts';
import { notFound } from '../store-errors.ts';
import { inTransaction } from './open-database.ts';
import { TICKET_COLUMNS, type TicketRow, ticketFrom } from './ticket-rows.ts';

const SELECT = `SELECT ${TICKET_COLUMNS} FROM ticket t JOIN ticket_now u ON u.ticket = t.id`;

type IncomingTicket = NewTicket & Partial<TicketHistory>;

export function insertTickets(database: DatabaseSync, tickets: readonly IncomingTicket[]): void {
  inTransaction(database, () => {
    refuseUnknownEvents(database, tickets);
    const inserts = prepareTicketInserts(database);
    // In the order of the index, so that a large load fills its pages one after another.
    const ordered =
      tickets.length > 1 ? [...tickets].sort((a, b) => (a.id < b.id ? -1 : 1)) : tickets;
    for (const ticket of ordered) insertTicket(inserts, ticket, ticket.usesConsumed ?? 0);
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
  if (changes !== 1) throw new TicketscanError('conflict', `Ticket ${ticket.id} exists already.`);
  inserts.use.run(lastInsertRowid, usesConsumed, lastConsumedAt);
  if (usesUnlogged > 0) inserts.unlogged.run(lastInsertRowid, usesUnlogged);
}

function refuseUnknownEvents(database: DatabaseSync, tickets: readonly NewTicket[]): void {
  const find = database.prepare('SELECT 1 FROM event WHERE public_id = ?');
  for (const eventId of new Set(tickets.map((ticket) => ticket.eventId))) {
    if (!find.get(eventId)) throw notFound('event', eventId);
  }
  const misnamed = tickets.find((ticket) => eventOfTicketId(ticket.id) !== ticket.eventId);
  if (misnamed) {
    throw new TicketscanError(
      'usage',
      `${misnamed.id} is not an identifier of event ${misnamed.eventId}.`,
    );
  }
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
  const conditions = ['t.id > coalesce((SELECT id FROM ticket WHERE public_id = ?), 0)'];
  const values: (string | number)[] = [filter.afterId ?? ''];
  if (filter.eventId !== undefined) {
    conditions.push('t.public_id > ? AND t.public_id < ?');
    values.push(`tkt_${filter.eventId}_`, `tkt_${filter.eventId}_~`);
  }
  if (filter.state) conditions.push(STATE_CONDITIONS[filter.state]);
  if (filter.search) {
    conditions.push(
      "instr(lower(t.public_id || ' ' || coalesce(t.first_name, '') || ' ' || coalesce(t.last_name, '')), lower(?)) > 0",
    );
    values.push(filter.search);
  }
  const sql = `${SELECT} WHERE ${conditions.join(' AND ')} ORDER BY t.id LIMIT ?`;
  const rows = database.prepare(sql).all(...values, filter.limit) as unknown as TicketRow[];
  return rows.map(ticketFrom);
}

export function countTickets(database: DatabaseSync): number {
  return database.prepare('SELECT count(*) AS tickets FROM ticket').get()?.['tickets'] as number;
}

export function cancelTicket(database: DatabaseSync, ticketId: string, at: number): Ticket {
  return inTransaction(database, () => {
    database
      .prepare('UPDATE ticket SET cancelled_at = coalesce(cancelled_at, ?) WHERE public_id = ?')
      .run(at, ticketId);
    const ticket = findTicket(database, ticketId);
    if (!ticket) throw notFound('ticket', ticketId);
    return ticket;
  });
}
