import type { ClientBase } from 'pg';
import type { IncomingTicket } from '../sql/connection.ts';
import { WRITTEN_COLUMNS } from '../ticket-row.ts';

/** Arrays of one statement; more would only cost memory. */
const CHUNK = 5000;

const COLUMNS: readonly (readonly [
  name: string,
  type: string,
  value: (ticket: IncomingTicket) => unknown,
])[] = [
  ...WRITTEN_COLUMNS,
  ['uses_consumed', 'integer', ({ usesConsumed }) => usesConsumed ?? 0],
  ['last_consumed_at', 'bigint', ({ lastConsumedAt }) => lastConsumedAt ?? null],
  [
    'uses_outside_log',
    'integer',
    ({ usesConsumed, usesUnlogged }) => usesUnlogged ?? usesConsumed ?? 0,
  ],
];
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

const INSERT = `
  INSERT INTO ticket (${NAMES}) SELECT ${NAMES} FROM unnest(${ARRAYS}) AS t (${NAMES})
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
      values: COLUMNS.map(([, , value]) => chunk.map(value)),
    });
    // A ticket that is in the same call twice was inserted once.
    const ids = new Set(rows.map(({ id }) => id));
    inserted.push(...chunk.filter(({ id }) => ids.delete(id)));
  }
  return inserted;
}
