import type { ClientBase } from 'pg';
import { TicketscanError } from '../../core/errors.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { TicketFilter } from '../store.ts';
import { notFound } from '../store-errors.ts';
import { TICKET_COLUMNS, type TicketRow, ticketFrom } from './ticket-rows.ts';
import { inTransaction } from './transaction.ts';

type IncomingTicket = NewTicket & Partial<TicketHistory>;

/** Arrays of one statement; more would only cost memory. */
const CHUNK = 5000;

const INSERT = `
  INSERT INTO ticket (id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at,
    uses_consumed, last_consumed_at, uses_outside_log)
  SELECT id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at,
    uses_consumed, last_consumed_at, uses_consumed
  FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::integer[], $11::bigint[])
    AS t (id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at,
      uses_consumed, last_consumed_at)
  ON CONFLICT (id) DO NOTHING RETURNING id`;

export async function insertTickets(
  client: ClientBase,
  tickets: readonly IncomingTicket[],
): Promise<void> {
  await inTransaction(client, async () => {
    await refuseUnknownEvents(client, tickets);
    for (let from = 0; from < tickets.length; from += CHUNK) {
      const chunk = tickets.slice(from, from + CHUNK);
      const { rows } = await client.query<{ id: string }>({
        name: 'insert-tickets',
        text: INSERT,
        values: columnsOf(chunk),
      });
      if (rows.length === chunk.length) continue;
      // A ticket that stands twice in the same call was inserted once.
      const inserted = new Set(rows.map(({ id }) => id));
      const taken = chunk.find(({ id }) => !inserted.delete(id));
      throw new TicketscanError('conflict', `Ticket ${taken?.id} exists already.`);
    }
  });
}

function columnsOf(tickets: readonly IncomingTicket[]): unknown[][] {
  return [
    tickets.map(({ id }) => id),
    tickets.map(({ ticketType }) => ticketType),
    tickets.map(({ usesAllowed }) => usesAllowed),
    tickets.map(({ holder }) => holder?.firstName ?? null),
    tickets.map(({ holder }) => holder?.lastName ?? null),
    tickets.map(({ validFrom }) => validFrom),
    tickets.map(({ validUntil }) => validUntil),
    tickets.map(({ cancelledAt }) => cancelledAt ?? null),
    tickets.map(({ createdAt }) => createdAt),
    tickets.map(({ usesConsumed }) => usesConsumed ?? 0),
    tickets.map(({ lastConsumedAt }) => lastConsumedAt ?? null),
  ];
}

async function refuseUnknownEvents(
  client: ClientBase,
  tickets: readonly NewTicket[],
): Promise<void> {
  const wanted = [...new Set(tickets.map(({ eventId }) => eventId))];
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM event WHERE id = ANY($1::text[])',
    [wanted],
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = wanted.find((eventId) => !known.has(eventId));
  if (unknown !== undefined) throw notFound('event', unknown);
  const misnamed = tickets.find(({ id, eventId }) => eventOfTicketId(id) !== eventId);
  if (misnamed) {
    throw new TicketscanError(
      'usage',
      `${misnamed.id} is not an identifier of event ${misnamed.eventId}.`,
    );
  }
}

export async function findTicket(
  client: ClientBase,
  ticketId: string,
): Promise<Ticket | undefined> {
  const { rows } = await client.query<TicketRow>(
    `SELECT ${TICKET_COLUMNS} FROM ticket WHERE id = $1`,
    [ticketId],
  );
  return rows[0] && ticketFrom(rows[0]);
}

const STATE_CONDITIONS = {
  valid: 'cancelled_at IS NULL AND uses_consumed < uses_allowed',
  cancelled: 'cancelled_at IS NOT NULL',
  used: 'uses_consumed >= uses_allowed',
} as const;

export async function listTickets(client: ClientBase, filter: TicketFilter): Promise<Ticket[]> {
  const values: unknown[] = [];
  const value = (one: unknown) => `$${values.push(one)}`;
  const conditions = ['true'];
  if (filter.afterId !== undefined) {
    conditions.push(
      `ordinal > coalesce((SELECT ordinal FROM ticket WHERE id = ${value(filter.afterId)}), 0)`,
    );
  }
  if (filter.eventId !== undefined) {
    conditions.push(
      `id > ${value(`tkt_${filter.eventId}_`)} AND id < ${value(`tkt_${filter.eventId}_~`)}`,
    );
  }
  if (filter.state) conditions.push(STATE_CONDITIONS[filter.state]);
  if (filter.search) {
    const text = "lower(id || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''))";
    conditions.push(`position(lower(${value(filter.search)}) IN ${text}) > 0`);
  }
  const { rows } = await client.query<TicketRow>(
    `SELECT ${TICKET_COLUMNS} FROM ticket WHERE ${conditions.join(' AND ')} ORDER BY ordinal LIMIT ${value(filter.limit)}`,
    values,
  );
  return rows.map(ticketFrom);
}

export async function countTickets(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ tickets: number }>(
    'SELECT count(*) AS tickets FROM ticket',
  );
  return rows[0]?.tickets ?? 0;
}

export async function cancelTicket(
  client: ClientBase,
  ticketId: string,
  at: number,
): Promise<Ticket> {
  return inTransaction(client, async () => {
    const { rows } = await client.query<TicketRow>(
      `UPDATE ticket SET cancelled_at = coalesce(cancelled_at, $2) WHERE id = $1 RETURNING ${TICKET_COLUMNS}`,
      [ticketId, at],
    );
    const [row] = rows;
    if (!row) throw notFound('ticket', ticketId);
    return ticketFrom(row);
  });
}
