import type { ClientBase } from 'pg';
import type { IncomingTicket } from '../sql/connection.ts';

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

/** Inside a transaction. @returns those whose id did not exist */
export async function insertTickets(
  client: ClientBase,
  tickets: readonly IncomingTicket[],
): Promise<IncomingTicket[]> {
  const inserted: IncomingTicket[] = [];
  for (let from = 0; from < tickets.length; from += CHUNK) {
    const chunk = tickets.slice(from, from + CHUNK);
    const { rows } = await client.query<{ id: string }>({
      name: 'insert-tickets',
      text: INSERT,
      values: columnsOf(chunk),
    });
    // A ticket that stands twice in the same call was inserted once.
    const ids = new Set(rows.map(({ id }) => id));
    inserted.push(...chunk.filter(({ id }) => ids.delete(id)));
  }
  return inserted;
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
    tickets.map(({ usesConsumed, usesUnlogged }) => usesUnlogged ?? usesConsumed ?? 0),
  ];
}
