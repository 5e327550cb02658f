import { createHash } from 'node:crypto';
import { asCompared } from '../../core/people-texts.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { IncomingTicket, SqlConnection } from './connection.ts';
import { insert } from './rows.ts';
import { ERASED_REFERENCES } from './tables.ts';

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

function digestOf(organisationId: string, reference: string): string {
  return createHash('sha256').update(`${organisationId} ${reference}`).digest('hex');
}

/**
 * Those of the references that a ticket of the organisation has, or had until it was erased. Tickets of an event that is being deleted
 * are not there any more. The erased ones are looked for last: a reference that is erased meanwhile is found in one place or the other.
 */
export async function knownReferences(
  sql: SqlConnection,
  organisationId: string,
  references: readonly string[],
): Promise<string[]> {
  const asked = [...new Set(references.map(asCompared))];
  const rows = await sql.rows<{ reference: string }>(
    `${eventsWithReferences(sql)}
     SELECT DISTINCT f.reference FROM found f JOIN event e ON e.id = ${sql.eventOfTicket('f.id')}
     WHERE e.organisation_id = $2 AND e.id NOT IN (SELECT id FROM administrative_record WHERE kind = 'deletion')`,
    [asked, organisationId],
  );
  const known = new Set(rows.map(({ reference }) => reference));
  const others = asked.filter((reference) => !known.has(reference));
  return [...known, ...(await erasedAmong(sql, organisationId, others))];
}

async function erasedAmong(
  sql: SqlConnection,
  organisationId: string,
  references: readonly string[],
): Promise<string[]> {
  const byDigest = new Map(references.map((one) => [digestOf(organisationId, one), one]));
  const rows = await sql.rows<{ digest: string }>(
    `SELECT digest FROM erased_reference WHERE organisation_id = $1 AND ${sql.anyOf('digest', '$2')}`,
    [organisationId, [...byDigest.keys()]],
  );
  return rows.flatMap(({ digest }) => byDigest.get(digest) ?? []);
}

/**
 * Keeps the references of tickets that are about to be erased, so that a list with them is not sold again. The tickets stay locked until the
 * transaction of the caller ends.
 */
export async function keepErasedReferences(
  sql: SqlConnection,
  ticketIds: readonly string[],
): Promise<void> {
  const tickets = await sql.rows<{ id: string; reference: string }>(
    `SELECT id, reference FROM ticket WHERE ${sql.anyOf('id', '$1')} AND reference IS NOT NULL
     ORDER BY id${sql.forUpdate}`,
    [ticketIds],
  );
  const owners = await ownersOf(sql, tickets);
  const kept = tickets.flatMap(({ id, reference }) => {
    const organisationId = owners.get(eventOfTicketId(id) ?? '');
    return organisationId === undefined
      ? []
      : [{ organisationId, digest: digestOf(organisationId, reference) }];
  });
  // They are written in one order, so that two transactions never wait in a circle.
  for (const one of kept.toSorted((a, b) => (a.digest < b.digest ? -1 : 1)))
    await insert(sql, ERASED_REFERENCES, one, 'ON CONFLICT DO NOTHING');
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
  tickets: readonly { readonly id: string }[],
): Promise<Map<string, string>> {
  const events = new Set(tickets.map(({ id }) => eventOfTicketId(id) ?? ''));
  const rows = await sql.rows<{ id: string; owner: string }>(
    `SELECT id, organisation_id AS owner FROM event WHERE ${sql.anyOf('id', '$1')}`,
    [[...events]],
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
