import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { LogEntry, UndoNote } from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { type UndoRequest, undoable, undoneEntry } from '../../core/undo.ts';
import { isAnswerOfUse } from '../record-rules.ts';
import { notFound } from '../store-errors.ts';
import { writeAuditEntry } from './administrative-records.ts';
import type { SqlConnection } from './connection.ts';
import { LOG_COLUMNS, type LogRow, logEntryFrom } from './log.ts';
import { missingId } from './records.ts';
import { countEntries } from './scan-counts.ts';

/** Inside a transaction: why the entry with this number takes back a use. */
export async function insertUndoNote(
  sql: SqlConnection,
  sequence: number,
  { sequence: undoes, by, reason }: UndoNote,
): Promise<void> {
  await sql.run('INSERT INTO undone_use VALUES ($1, $2, $3, $4)', [
    ...[sequence, undoes],
    ...[sql.storedText(by), sql.storedText(reason)],
  ]);
}

async function entryWith(sql: SqlConnection, sequence: number): Promise<LogEntry | undefined> {
  const [row] = await sql.rows<LogRow>(
    `SELECT ${LOG_COLUMNS} FROM log_record WHERE sequence = $1`,
    [sequence],
  );
  return row && logEntryFrom(sql, row);
}

/** Locks in the order of a batch: stored answers, then the ticket. */
async function dropAnswers(sql: SqlConnection, entry: LogEntry): Promise<void> {
  const { column, target } = sql.key;
  const ofKey = `${column} = (SELECT ${target} FROM api_key WHERE id = $1)`;
  const rows = await sql.rows<{ name: string; decision: string }>(
    `SELECT name, decision FROM stored_answer WHERE ${ofKey} AND decision LIKE $2`,
    [entry.keyId, `%"${entry.ticketId}"%`],
  );
  const names = rows
    .filter(({ decision }) =>
      isAnswerOfUse(JSON.parse(decision) as StoredAnswer['decision'], entry),
    )
    .map(({ name }) => name);
  if (names.length === 0) return;
  await sql.run(`DELETE FROM stored_answer WHERE ${ofKey} AND ${sql.anyOf('name', '$2')}`, [
    entry.keyId,
    names,
  ]);
}

/** Who did not pass is on the other side, unless the count began anew since, or there is none. */
async function takeBackPassage(
  sql: SqlConnection,
  { ticketId, at, direction }: LogEntry & { readonly ticketId: string },
): Promise<void> {
  const [entered, exited] = direction === 'out' ? [0, 1] : [1, 0];
  await sql.run(
    `INSERT INTO event_occupancy (event_id, entered, exited)
     SELECT $1, -${entered}, -${exited} WHERE EXISTS (SELECT 1 FROM event_occupancy WHERE event_id = $1)
       AND NOT EXISTS (SELECT 1 FROM event_occupancy WHERE event_id = $1 AND reset_at > $2)
     ON CONFLICT (event_id, shard)
     DO UPDATE SET entered = event_occupancy.entered - ${entered}, exited = event_occupancy.exited - ${exited}`,
    [eventOfTicketId(ticketId) ?? '', at],
  );
}

export function undoUse(
  sql: SqlConnection,
  request: UndoRequest,
  auditEntry: NewAuditLogEntry,
): Promise<LogEntry> {
  const { sequence: undoes } = request;
  return sql.inTransaction(async () => {
    const found = await entryWith(sql, undoes);
    const entry = undoable(found, undoes, found?.undoneBy);
    const eventId = eventOfTicketId(entry.ticketId) ?? '';
    const gone = await missingId(sql, 'event', [eventId], sql.forKeyShare);
    if (gone !== undefined) throw notFound('event', gone);
    await dropAnswers(sql, entry);
    const usesConsumed = await sql.takeBackUse(entry.ticketId);
    if (usesConsumed === undefined) throw notFound('ticket', entry.ticketId);
    // Another undo may have had the ticket until now.
    undoable(entry, undoes, (await entryWith(sql, undoes))?.undoneBy);
    const undone = undoneEntry(entry, request, usesConsumed);
    const sequence = await sql.appendLogEntry(undone);
    if (undone.undo) await insertUndoNote(sql, sequence, undone.undo);
    await sql.run(countEntries(sql, 'log_record', '= $1', 'scans'), [sequence]);
    await takeBackPassage(sql, entry);
    await writeAuditEntry(sql, auditEntry);
    return { ...undone, sequence };
  });
}
