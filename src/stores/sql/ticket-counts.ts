import type { SqlConnection } from './connection.ts';

export async function countTickets(sql: SqlConnection, eventId?: string | null): Promise<number> {
  const ofEvent = eventId ? 'WHERE id > $1 AND id < $2' : '';
  const values = eventId ? [`tkt_${eventId}_`, `tkt_${eventId}_~`] : [];
  const [counted] = await sql.rows<{ tickets: number }>(
    `SELECT count(*) AS tickets FROM ticket ${ofEvent}`,
    values,
  );
  return counted?.tickets ?? 0;
}

export async function countTicketsOf(
  sql: SqlConnection,
  eventIds: readonly string[],
): Promise<Record<string, number>> {
  // One statement that counts a range of the primary key for each event.
  const rows = await sql.rows<{ id: string; tickets: number }>(
    `SELECT e.id, (SELECT count(*) FROM ticket t WHERE t.id > 'tkt_' || e.id || '_' AND t.id < 'tkt_' || e.id || '_~') AS tickets
     FROM event e WHERE ${sql.anyOf('e.id', '$1')}`,
    [eventIds],
  );
  return Object.fromEntries(rows.map(({ id, tickets }) => [id, tickets]));
}
