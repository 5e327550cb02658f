import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { LogEntry, UndoNote } from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { type UndoRequest, undoable, undoneEntry } from '../../core/undo.ts';
import { isAnswerOfUse } from '../record-rules.ts';
import { notFound } from '../store-errors.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';
import { LOG_COLUMNS, type LogRow, logEntryFrom } from './log.ts';
import { missingId } from './records.ts';
import { countEntries } from './scan-counts.ts';

/** Inside a transaction: why the entry with this number takes back a use. */
export async function insertUndoNote(
  connection: SqlConnection,
  sequence: number,
  { sequence: undoes, by, reason }: UndoNote,
): Promise<void> {
  await connection.run('INSERT INTO undone_use VALUES ($1, $2, $3, $4)', [
    ...[sequence, undoes],
    ...[connection.storedText(by), connection.storedText(reason)],
  ]);
}

async function entryWith(
  connection: SqlConnection,
  sequence: number,
): Promise<LogEntry | undefined> {
  const [row] = await connection.rows<LogRow>(
    `SELECT ${LOG_COLUMNS} FROM log_record WHERE sequence = $1`,
    [sequence],
  );
  return row && logEntryFrom(connection, row);
}

/** Locks in the order of a batch: stored answers, then the ticket. */
async function dropAnswers(connection: SqlConnection, entry: LogEntry): Promise<void> {
  const { column, target } = connection.key;
  const ofKey = `${column} = (SELECT ${target} FROM api_key WHERE id = $1)`;
  const rows = await connection.rows<{ name: string; decision: string }>(
    `SELECT name, decision FROM stored_answer WHERE ${ofKey} AND decision LIKE $2`,
    [entry.keyId, `%"${entry.ticketId}"%`],
  );
  const names = rows
    .filter(({ decision }) =>
      isAnswerOfUse(JSON.parse(decision) as StoredAnswer['decision'], entry),
    )
    .map(({ name }) => name);
  if (names.length === 0) return;
  await connection.run(
    `DELETE FROM stored_answer WHERE ${ofKey} AND ${connection.anyOf('name', '$2')}`,
    [entry.keyId, names],
  );
}

/** Who did not pass is on the other side, unless the count began anew since, or there is none. */
async function takeBackPassage(
  connection: SqlConnection,
  { ticketId, at, direction }: LogEntry & { readonly ticketId: string },
): Promise<void> {
  const [entered, exited] = direction === 'out' ? [0, 1] : [1, 0];
  await connection.run(
    `INSERT INTO event_occupancy (event_id, entered, exited)
     SELECT $1, -${entered}, -${exited} WHERE EXISTS (SELECT 1 FROM event_occupancy WHERE event_id = $1)
       AND NOT EXISTS (SELECT 1 FROM event_occupancy WHERE event_id = $1 AND reset_at > $2)
     ON CONFLICT (event_id, shard)
     DO UPDATE SET entered = event_occupancy.entered - ${entered}, exited = event_occupancy.exited - ${exited}`,
    [eventOfTicketId(ticketId) ?? '', at],
  );
}

export function undoUse(
  connection: SqlConnection,
  request: UndoRequest,
  auditEntry: NewAuditLogEntry,
): Promise<LogEntry> {
  const { sequence: undoes } = request;
  return connection.inTransaction(async () => {
    const found = await entryWith(connection, undoes);
    const entry = undoable(found, undoes, found?.undoneBy);
    const eventId = eventOfTicketId(entry.ticketId) ?? '';
    const gone = await missingId(connection, 'event', [eventId], connection.forKeyShare);
    if (gone !== undefined) throw notFound('event', gone);
    await dropAnswers(connection, entry);
    const usesConsumed = await connection.takeBackUse(entry.ticketId);
    if (usesConsumed === undefined) throw notFound('ticket', entry.ticketId);
    // Another undo may have had the ticket until now.
    undoable(entry, undoes, (await entryWith(connection, undoes))?.undoneBy);
    const undone = undoneEntry(entry, request, usesConsumed);
    const sequence = await connection.appendLogEntry(undone);
    if (undone.undo) await insertUndoNote(connection, sequence, undone.undo);
    await connection.run(countEntries(connection, 'log_record', '= $1', 'scans'), [sequence]);
    await takeBackPassage(connection, entry);
    await writeAuditEntry(connection, auditEntry);
    return { ...undone, sequence };
  });
}
