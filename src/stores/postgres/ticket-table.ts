import type { ClientBase } from 'pg';
import type { NewTrailEntry } from '../../core/administrative-records.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { TicketFilter, TicketPage, TicketSearch } from '../store.ts';
import { misnamedTicket, notFound, taken } from '../store-errors.ts';
import { cursorOf, placeOf } from '../ticket-cursor.ts';
import { TICKET_COLUMNS, type TicketRow, ticketFrom } from './ticket-rows.ts';
import { recordAct } from './trail-table.ts';
import { inTransaction } from './transaction.ts';

type IncomingTicket = NewTicket &
  Partial<TicketHistory> & {
    /** Those of its uses that this store's log does not hold and will not get; all of them when it is missing. */
    readonly usesOutsideLog?: number;
  };

/** Arrays of one statement; more would only cost memory. */
const CHUNK = 5000;

const INSERT = `
  INSERT INTO ticket (id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at,
    uses_consumed, last_consumed_at, uses_outside_log)
  SELECT id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at,
    uses_consumed, last_consumed_at, uses_outside_log
  FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::integer[], $11::bigint[], $12::integer[])
    AS t (id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at,
      uses_consumed, last_consumed_at, uses_outside_log)
  ON CONFLICT (id) DO NOTHING RETURNING id`;

export async function insertTickets(
  client: ClientBase,
  tickets: readonly IncomingTicket[],
  act: NewTrailEntry,
): Promise<void> {
  await inTransaction(client, async () => {
    await refuseUnknownEvents(client, tickets);
    await insertIncoming(client, tickets);
    await recordAct(client, act);
  });
}

/** Inside a transaction. @throws TicketscanError `conflict` for an id that exists */
export async function insertIncoming(
  client: ClientBase,
  tickets: readonly IncomingTicket[],
): Promise<void> {
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
    throw taken(`Ticket ${chunk.find(({ id }) => !inserted.delete(id))?.id}`);
  }
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
    tickets.map(({ usesConsumed, usesOutsideLog }) => usesOutsideLog ?? usesConsumed ?? 0),
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
  if (misnamed) throw misnamedTicket(misnamed.id, misnamed.eventId);
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
  const events = filter.eventId === undefined ? undefined : [filter.eventId];
  const first = (await ordinalOf(client, filter.afterId)) + 1;
  return ticketsBetween(client, first, Number.MAX_SAFE_INTEGER, { ...filter, events });
}

export async function searchTickets(client: ClientBase, search: TicketSearch): Promise<TicketPage> {
  const after = await ordinalOf(client, search.afterId);
  const { rows } = await client.query<{ ordinal: number }>(
    'SELECT ordinal FROM ticket WHERE ordinal > $1 ORDER BY ordinal LIMIT 1 OFFSET $2',
    [after, search.searchMax - 1],
  );
  const [end] = rows;
  const last = end?.ordinal ?? Number.MAX_SAFE_INTEGER;
  const tickets = await ticketsBetween(client, after + 1, last, {
    ...search,
    events: search.eventIds,
  });
  const next =
    tickets.length >= search.limit ? await ordinalOf(client, tickets.at(-1)?.id) : end?.ordinal;
  if (next === undefined) return { tickets, next: null };
  const newest = await client.query<{ ordinal: number }>(
    'SELECT ordinal FROM ticket ORDER BY ordinal DESC LIMIT 1',
  );
  return { tickets, next: newest.rows[0]?.ordinal === next ? null : cursorOf(next) };
}

interface TicketConditions extends Pick<TicketFilter, 'state' | 'search' | 'limit'> {
  readonly events: readonly string[] | undefined;
}

async function ticketsBetween(
  client: ClientBase,
  first: number,
  last: number,
  { events, state, search, limit }: TicketConditions,
): Promise<Ticket[]> {
  const values: unknown[] = [first, last, limit];
  const value = (one: unknown) => `$${values.push(one)}`;
  const conditions = ['ordinal BETWEEN $1 AND $2'];
  if (events) conditions.push(eventsCondition(events, value));
  if (state) conditions.push(STATE_CONDITIONS[state]);
  if (search) {
    const text = "lower(id || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''))";
    conditions.push(`position(lower(${value(search)}) IN ${text}) > 0`);
  }
  const { rows } = await client.query<TicketRow>(
    `SELECT ${TICKET_COLUMNS} FROM ticket WHERE ${conditions.join(' AND ')} ORDER BY ordinal LIMIT $3`,
    values,
  );
  return rows.map(ticketFrom);
}

/** One event is a range of the index; of several, the name is taken out of each id, in the order of creation. */
function eventsCondition(events: readonly string[], value: (one: unknown) => string): string {
  const [only, ...others] = events;
  if (only !== undefined && others.length === 0) {
    return `id > ${value(`tkt_${only}_`)} AND id < ${value(`tkt_${only}_~`)}`;
  }
  return `split_part(id, '_', 2) = ANY(${value(events)}::text[])`;
}

async function ordinalOf(client: ClientBase, ticketId: string | undefined): Promise<number> {
  if (ticketId === undefined) return 0;
  const place = placeOf(ticketId);
  if (place !== undefined) return place;
  const { rows } = await client.query<{ ordinal: number }>(
    'SELECT ordinal FROM ticket WHERE id = $1',
    [ticketId],
  );
  return rows[0]?.ordinal ?? 0;
}

export async function countTickets(client: ClientBase, eventId?: string | null): Promise<number> {
  const ofEvent = eventId ? 'WHERE id > $1 AND id < $2' : '';
  const values = eventId ? [`tkt_${eventId}_`, `tkt_${eventId}_~`] : [];
  const { rows } = await client.query<{ tickets: number }>(
    `SELECT count(*) AS tickets FROM ticket ${ofEvent}`,
    values,
  );
  return rows[0]?.tickets ?? 0;
}

export function cancelTicket(
  client: ClientBase,
  ticketId: string,
  at: number,
  act: NewTrailEntry,
): Promise<Ticket> {
  return changeTicket(client, 'coalesce(cancelled_at, $2)', [ticketId, at], act);
}

export function reinstateTicket(
  client: ClientBase,
  ticketId: string,
  act: NewTrailEntry,
): Promise<Ticket> {
  return changeTicket(client, 'NULL', [ticketId], act);
}

function changeTicket(
  client: ClientBase,
  cancelledAt: string,
  values: [ticketId: string, at?: number],
  act: NewTrailEntry,
): Promise<Ticket> {
  return inTransaction(client, async () => {
    const { rows } = await client.query<TicketRow>(
      `UPDATE ticket SET cancelled_at = ${cancelledAt} WHERE id = $1 RETURNING ${TICKET_COLUMNS}`,
      values,
    );
    const [row] = rows;
    if (!row) throw notFound('ticket', values[0]);
    await recordAct(client, act);
    return ticketFrom(row);
  });
}
