import type { StoredHome } from '../../core/event-home.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { awayFrom, onlyAtCentre } from '../store-errors.ts';
import { readAdministrative } from './administrative-records.ts';
import type { SqlConnection } from './connection.ts';

/*
 * What other changes ask and tell because of sites: whether this store is one, whether an event is away, and that tickets of such an event
 * changed.
 */

/** Reads the home of an event. */
export async function homeIn(sql: SqlConnection, eventId: string): Promise<StoredHome | undefined> {
  return (await readAdministrative(sql, 'event-home', eventId))?.value as StoredHome | undefined;
}

async function isSite(sql: SqlConnection): Promise<boolean> {
  const found = "SELECT 1 AS one FROM administrative_record WHERE kind = 'site-of'";
  return (await sql.rows(found)).length > 0;
}

/** Refuses what is administered at the centre only. @throws TicketscanError `conflict` */
export async function refuseAtSite(sql: SqlConnection): Promise<void> {
  if (await isSite(sql)) throw onlyAtCentre();
}

/**
 * Refuses what only the home of an event may do. Call it when the transaction holds the ticket or the event: its home does not move then.
 * @throws TicketscanError `conflict`
 */
export async function refuseAway(
  sql: SqlConnection,
  ticketOrEventIds: Iterable<string>,
  what: string,
): Promise<void> {
  const away = await eventsAway(sql);
  if (away.size === 0) return;
  for (const id of ticketOrEventIds) {
    const where = away.get(eventOfTicketId(id) ?? id);
    if (where !== undefined) throw awayFrom(what, where);
  }
}

/** The events that are decided elsewhere, and where. */
async function eventsAway(sql: SqlConnection): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows<{ id: string; elsewhere: string }>(
    `SELECT id, ${sql.memberOf('value', 'elsewhere')} AS elsewhere FROM administrative_record
     WHERE kind = 'event-home' AND ${sql.memberOf('value', 'elsewhere')} IS NOT NULL`,
  );
  return new Map(rows.map(({ id, elsewhere }) => [id, elsewhere]));
}

/** Notes that tickets changed, for the sites that have their events. The caller holds a transaction, and has written the tickets. */
export async function noteSiteChanges(
  sql: SqlConnection,
  ticketIds: readonly string[],
  at: number,
): Promise<void> {
  const away = await eventsAway(sql);
  if (away.size === 0) return;
  const changed = ticketIds.filter((id) => away.has(eventOfTicketId(id) ?? ''));
  if (changed.length === 0) return;
  // Their numbers are in the order of the commits, so that a site which asks for later ones misses none.
  await sql.takeTurn('changes for sites');
  await sql.run(
    `INSERT INTO site_change (event_id, ticket_id, at)
     SELECT ${sql.eventOfTicket('value')}, value, CAST($2 AS bigint) FROM ${sql.each('$1')}`,
    [[...new Set(changed)], at],
  );
}
