import type { AuditLogEntry, NewAuditLogEntry } from '../../core/administrative-records.ts';
import { ERASED, erasedDetails } from '../../core/administrative-records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import { answerWithoutHolder, auditEntryWithCount } from '../record-rules.ts';
import { writeAuditEntry } from './administrative-records.ts';
import type { SqlConnection } from './connection.ts';

export function eraseHolders(
  sql: SqlConnection,
  ticketIds: readonly string[],
  auditEntry: NewAuditLogEntry,
): Promise<number> {
  return sql.inTransaction(async () => {
    const count = await eraseIn(sql, ticketIds);
    await writeAuditEntry(sql, auditEntryWithCount(auditEntry, count));
    return count;
  });
}

/** @returns of how many tickets something was erased */
async function eraseIn(sql: SqlConnection, ticketIds: readonly string[]): Promise<number> {
  const ids = [...ticketIds].sort();
  const holders = await sql.rows<{ id: string }>(
    `UPDATE ticket SET first_name = NULL, last_name = NULL, folded_name = NULL
     WHERE ${sql.anyOf('id', '$1')} AND (first_name IS NOT NULL OR last_name IS NOT NULL) RETURNING id`,
    [ids],
  );
  const reasons = await eraseReasons(sql, ids);
  await eraseInAnswers(sql, new Set(ids));
  await eraseInAuditLog(sql, ids);
  return new Set([...holders, ...reasons].map(({ id }) => id)).size;
}

/** Why uses were taken back, which are few: so they come first. @returns the tickets */
async function eraseReasons(
  sql: SqlConnection,
  ids: readonly string[],
): Promise<{ readonly id: string }[]> {
  const rows = await sql.rows<{ id: string; sequence: number }>(
    `SELECT l.ticket_id AS id, u.sequence FROM undone_use u CROSS JOIN log_record l
     WHERE l.sequence = u.sequence AND u.reason <> $2 AND ${sql.anyOf('l.ticket_id', '$1')}`,
    [ids, ERASED],
  );
  for (const { sequence } of rows)
    await sql.run('UPDATE undone_use SET reason = $2 WHERE sequence = $1', [sequence, ERASED]);
  return rows;
}

/** The answers of the last 24 hours: a repeated request gets its answer again, without the name. */
async function eraseInAnswers(sql: SqlConnection, ids: ReadonlySet<string>): Promise<void> {
  const { column } = sql.key;
  const rows = await sql.rows<{ key: string | number; name: string; decision: string }>(
    `SELECT ${column} AS key, name, decision FROM stored_answer WHERE decision LIKE '%"holder":{%'`,
  );
  for (const { key, name, decision } of rows) {
    const before = JSON.parse(decision) as StoredAnswer['decision'];
    const after = answerWithoutHolder(before, ids);
    if (after === before) continue;
    await sql.run(`UPDATE stored_answer SET decision = $3 WHERE ${column} = $1 AND name = $2`, [
      key,
      name,
      JSON.stringify(after),
    ]);
  }
}

/** What audit entries about these tickets say of their holders. */
export async function eraseInAuditLog(sql: SqlConnection, ids: readonly string[]): Promise<void> {
  const rows = await sql.rows<{ sequence: number; act: string; details: string }>(
    `SELECT sequence, act, details FROM trail WHERE ${sql.anyOf('subject', '$1')}`,
    [ids],
  );
  for (const { sequence, act, details } of rows) {
    const before = JSON.parse(details) as AuditLogEntry['details'];
    const text = JSON.stringify(erasedDetails({ act, details: before }));
    if (text === details) continue;
    await sql.run('UPDATE trail SET details = $2 WHERE sequence = $1', [sequence, text]);
  }
}
