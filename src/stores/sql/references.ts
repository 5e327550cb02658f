import { asCompared } from '../../core/people-texts.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { IncomingTicket, SqlConnection } from './connection.ts';

/**
 * Steps from event to event of each reference, one look into the index each: another organisation may have any number of tickets with
 * the same reference.
 */
function eventsWithReferences(sql: SqlConnection): string {
  const first = 'SELECT id FROM ticket WHERE reference = value ORDER BY id LIMIT 1';
  const next = `SELECT t.id FROM ticket t WHERE t.reference = f.reference AND t.id > 'tkt_' || ${sql.eventOfTicket('f.id')} || '_~'
      ORDER BY t.id LIMIT 1`;
  return `WITH RECURSIVE found (reference, id) AS (
    SELECT value, (${first}) FROM ${sql.each('$1')}
    UNION ALL SELECT f.reference, (${next}) FROM found f WHERE f.id IS NOT NULL
  )`;
}

/** Those of the references that a ticket of the organisation has. Tickets of an event that is being deleted are not there any more. */
export async function knownReferences(
  sql: SqlConnection,
  organisationId: string,
  references: readonly string[],
): Promise<string[]> {
  const rows = await sql.rows<{ reference: string }>(
    `${eventsWithReferences(sql)}
     SELECT DISTINCT f.reference FROM found f JOIN event e ON e.id = ${sql.eventOfTicket('f.id')}
     WHERE e.organisation_id = $2 AND e.id NOT IN (SELECT id FROM document WHERE kind = 'deletion')`,
    [[...new Set(references.map(asCompared))], organisationId],
  );
  return rows.map(({ reference }) => reference);
}

/**
 * Returns the tickets whose reference their organisation does not know yet, and those without one. Call it in a transaction: whoever asks
 * about the same organisation waits until this transaction has ended, so that of two who bring the same reference one finds it.
 */
export async function withoutKnownReferences(
  sql: SqlConnection,
  tickets: readonly IncomingTicket[],
): Promise<readonly IncomingTicket[]> {
  const owners = await ownersOf(sql, tickets);
  const known = new Set<string>();
  const of = (ticket: IncomingTicket) => `${owners.get(ticket.eventId)} ${ticket.reference}`;
  for (const organisationId of [...new Set(owners.values())].sort()) {
    await sql.takeTurn(`references ${organisationId}`);
    const references = tickets.flatMap(({ eventId, reference }) =>
      reference !== undefined && owners.get(eventId) === organisationId ? [reference] : [],
    );
    for (const one of await knownReferences(sql, organisationId, references))
      known.add(`${organisationId} ${one}`);
  }
  return tickets.filter((ticket) => ticket.reference === undefined || !known.has(of(ticket)));
}

/** The organisation of each event of the tickets. */
async function ownersOf(
  sql: SqlConnection,
  tickets: readonly IncomingTicket[],
): Promise<Map<string, string>> {
  const events = new Set(tickets.map(({ id }) => eventOfTicketId(id) ?? ''));
  const rows = await sql.rows<{ id: string; owner: string }>(
    `SELECT id, organisation_id AS owner FROM event WHERE ${sql.anyOf('id', '$1')}`,
    [[...events]],
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
