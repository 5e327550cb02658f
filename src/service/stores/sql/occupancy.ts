import type { NewAuditLogEntry } from '../../../core/administrative-records.ts';
import type { Occupancy } from '../../../core/records.ts';
import { notFound } from '../store-errors.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';
import { missingId } from './missing-id.ts';

/** One row for each event, whose counts may lie in several. */
export const OCCUPANCY = `(SELECT event_id, CAST(sum(entered) AS bigint) AS entered, CAST(sum(exited) AS bigint) AS exited,
    max(reset_at) AS reset_at FROM event_occupancy GROUP BY event_id) o`;

/** Of `OCCUPANCY`. */
export const OCCUPANCY_COLUMNS =
  'o.event_id AS "eventId", o.entered, o.exited, o.reset_at AS "resetAt"';

export function listOccupancy(connection: SqlConnection): Promise<Occupancy[]> {
  return connection.rows<Occupancy>(
    `SELECT ${OCCUPANCY_COLUMNS} FROM ${OCCUPANCY} ORDER BY ${connection.bytewise('o.event_id')}`,
  );
}

/** Scans whose batch is not committed yet are counted after the reset. */
export function resetOccupancy(
  connection: SqlConnection,
  eventId: string,
  at: number,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  return connection.inTransaction(async () => {
    const unknown = await missingId(connection, 'event', [eventId], connection.forKeyShare);
    if (unknown !== undefined) throw notFound('event', unknown);
    await connection.run('UPDATE event_occupancy SET entered = 0, exited = 0 WHERE event_id = $1', [
      eventId,
    ]);
    await connection.run(
      `INSERT INTO event_occupancy (event_id, entered, exited, reset_at) VALUES ($1, 0, 0, $2)
           ON CONFLICT (event_id, shard) DO UPDATE SET reset_at = excluded.reset_at`,
      [eventId, at],
    );
    await writeAuditEntry(connection, auditEntry);
  });
}
