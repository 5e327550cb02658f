import type { AuditLogEntry, NewAuditLogEntry } from '../../core/administrative-records.ts';
import { ERASED, erasedDetails } from '../../core/administrative-records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import { answerWithoutHolder, auditEntryWithCount } from '../record-rules.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';

export function eraseHolders(
  connection: SqlConnection,
  ticketIds: readonly string[],
  auditEntry: NewAuditLogEntry,
): Promise<number> {
  return connection.inTransaction(async () => {
    const count = await eraseIn(connection, ticketIds);
    await writeAuditEntry(connection, auditEntryWithCount(auditEntry, count));
    return count;
  });
}

/** @returns of how many tickets something was erased */
async function eraseIn(connection: SqlConnection, ticketIds: readonly string[]): Promise<number> {
  const ids = [...ticketIds].sort();
  const holders = await connection.rows<{ id: string }>(
    `UPDATE ticket SET first_name = NULL, last_name = NULL, folded_name = NULL
     WHERE ${connection.anyOf('id', '$1')} AND (first_name IS NOT NULL OR last_name IS NOT NULL) RETURNING id`,
    [ids],
  );
  const reasons = await eraseReasons(connection, ids);
  await eraseInAnswers(connection, new Set(ids));
  await eraseInAuditLog(connection, ids);
  return new Set([...holders, ...reasons].map(({ id }) => id)).size;
}

/** Why uses were taken back, which are few: so they come first. @returns the tickets */
async function eraseReasons(
  connection: SqlConnection,
  ids: readonly string[],
): Promise<{ readonly id: string }[]> {
  const rows = await connection.rows<{ id: string; sequence: number }>(
    `SELECT l.ticket_id AS id, u.sequence FROM undone_use u CROSS JOIN log_record l
     WHERE l.sequence = u.sequence AND u.reason <> $2 AND ${connection.anyOf('l.ticket_id', '$1')}`,
    [ids, ERASED],
  );
  for (const { sequence } of rows)
    await connection.run('UPDATE undone_use SET reason = $2 WHERE sequence = $1', [
      sequence,
      ERASED,
    ]);
  return rows;
}

/** The answers of the last 24 hours: a repeated request gets its answer again, without the name. */
async function eraseInAnswers(connection: SqlConnection, ids: ReadonlySet<string>): Promise<void> {
  const { column } = connection.key;
  const rows = await connection.rows<{ key: string | number; name: string; decision: string }>(
    `SELECT ${column} AS key, name, decision FROM stored_answer WHERE decision LIKE '%"holder":{%'`,
  );
  for (const { key, name, decision } of rows) {
    const before = JSON.parse(decision) as StoredAnswer['decision'];
    const after = answerWithoutHolder(before, ids);
    if (after === before) continue;
    await connection.run(
      `UPDATE stored_answer SET decision = $3 WHERE ${column} = $1 AND name = $2`,
      [key, name, JSON.stringify(after)],
    );
  }
}

/** What audit entries about these tickets say of their holders. */
export async function eraseInAuditLog(
  connection: SqlConnection,
  ids: readonly string[],
): Promise<void> {
  const rows = await connection.rows<{ sequence: number; act: string; details: string }>(
    `SELECT sequence, act, details FROM trail WHERE ${connection.anyOf('subject', '$1')}`,
    [ids],
  );
  for (const { sequence, act, details } of rows) {
    const before = JSON.parse(details) as AuditLogEntry['details'];
    const text = JSON.stringify(erasedDetails({ act, details: before }));
    if (text === details) continue;
    await connection.run('UPDATE trail SET details = $2 WHERE sequence = $1', [sequence, text]);
  }
}
