import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import { DENIALS_AT_AN_EXIT } from '../../core/outcome-names.ts';
import type { DeviceRecord, LogEntry, UndoNote } from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-requests.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { type UndoRequest, undoable, undoneEntry, usesIn } from '../../core/undo.ts';
import type { LogPage, LogSearch, OutcomeCount, OutcomeCounts } from '../log-search.ts';
import { logPage, outcomeCondition, outcomeCounts, searchedRange } from '../log-search.ts';
import { isAnswerOfUse } from '../record-rules.ts';
import type { LogFilter, TakenBack } from '../store.ts';
import { notFound } from '../store-errors.ts';
import { writeAuditEntry } from './administrative-records.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { logEnds } from './prune.ts';
import { missingId } from './records.ts';
import { columnsOf, insert, recordFrom, select } from './rows.ts';
import { countEntries } from './scan-counts.ts';
import { refuseAway } from './site-guards.ts';
import { DEVICES, LOG, UNDONE_USES } from './tables.ts';

const LOG_COLUMNS = columnsOf(LOG.columns);

async function entriesWhere(
  sql: SqlConnection,
  rest: string,
  values: readonly SqlValue[],
): Promise<LogEntry[]> {
  const rows = await sql.rows<object>(
    `SELECT ${LOG_COLUMNS} FROM log_record r WHERE ${rest}`,
    values,
  );
  return rows.map((row) => recordFrom(sql, LOG.columns, row));
}

/** Reads entries, oldest first: those after `afterSequence`, or the newest `limit` if it is not given. */
export async function readLog(
  sql: SqlConnection,
  { afterSequence, ticketId, limit }: LogFilter,
): Promise<LogEntry[]> {
  const { newest, settled } = await logEnds(sql);
  if (afterSequence !== undefined) {
    await sql.awaitLogGaps(Math.max(afterSequence, settled), newest, limit);
  }
  const values: SqlValue[] = [afterSequence ?? 0, limit, newest];
  const ofTicket =
    ticketId === undefined ? '' : `AND ${sql.isLoggedTicket(`$${values.push(ticketId)}`)}`;
  const order = afterSequence === undefined ? 'DESC' : 'ASC';
  const entries = await entriesWhere(
    sql,
    `sequence > $1 AND sequence <= $3 ${ofTicket} ORDER BY sequence ${order} LIMIT $2`,
    values,
  );
  return afterSequence === undefined ? entries.reverse() : entries;
}

export function listDevices(sql: SqlConnection, organisationId: string): Promise<DeviceRecord[]> {
  return select(
    sql,
    DEVICES,
    `WHERE k.organisation_id = $1 AND k.deleted_at IS NULL
     ORDER BY coalesce(r.last_contact_at, r.last_scan_at) DESC, k.ordinal, ${sql.bytewise('r.serial')}`,
    [organisationId],
  );
}

/** Days take back far fewer; what other organisations take back must not make this slow. */
const UNDOS_SEARCHED = 1000;

export function listUndos(
  sql: SqlConnection,
  organisationId: string,
  fromAt: number,
): Promise<TakenBack[]> {
  const { column, target } = sql.key;
  return sql.rows<TakenBack>(
    `SELECT u.ticket_id AS "ticketId", coalesce(u.direction, '') AS direction, e.at AS "usedAt", u.at AS "undoneAt"
     FROM (SELECT sequence, undoes FROM undone_use ORDER BY sequence DESC LIMIT ${UNDOS_SEARCHED}) d
     CROSS JOIN log_record u CROSS JOIN log_record e
     WHERE u.sequence = d.sequence AND e.sequence = d.undoes AND u.at >= $2
       AND u.${column} IN (SELECT ${target} FROM api_key WHERE organisation_id = $1)`,
    [organisationId, fromAt],
  );
}

/** How many numbers are searched for a gap. Only among the newest entries one may still be missing. */
const GAP_SEARCH_MAX = 10_000;

/** Builds the conditions of a search. Keys and organisations are looked up first, so that an entry is compared by its own columns. */
function conditionsOf(
  sql: SqlConnection,
  search: LogSearch,
  value: (one: SqlValue) => string,
): string[] {
  const { organisationId, ticketId, keyId, eventId, serial, outcome, fromAt, untilAt } = search;
  const { column, target } = sql.key;
  const ofKeys = (condition: string) =>
    `${column} IN (SELECT ${target} FROM api_key WHERE ${condition})`;
  const conditions: string[] = [];
  if (organisationId !== undefined) {
    conditions.push(ofKeys(`organisation_id = ${value(organisationId)}`));
  }
  if (keyId !== undefined) conditions.push(ofKeys(`id = ${value(keyId)}`));
  if (ticketId !== undefined) conditions.push(sql.isLoggedTicket(value(ticketId)));
  if (serial !== undefined) {
    conditions.push(`serial = ${value(sql.storedText(serial))}`);
  }
  if (fromAt !== undefined) conditions.push(`at >= ${value(fromAt)}`);
  if (untilAt !== undefined) conditions.push(`at <= ${value(untilAt)}`);
  if (outcome !== undefined) {
    const { statuses, reason } = outcomeCondition(outcome);
    const isStatus = sql.anyOf('status', value(statuses));
    conditions.push(`(${isStatus} OR reason = ${value(reason)})`);
  }
  if (eventId !== undefined) {
    const [first, last] = [value(`tkt_${eventId}_`), value(`tkt_${eventId}_~`)];
    conditions.push(`ticket_id > ${first} AND ticket_id < ${last}`);
  }
  return conditions;
}

/** Searches a range of the primary key: the log has no other index, because every scan would pay for it. */
export async function searchLog(sql: SqlConnection, search: LogSearch): Promise<LogPage> {
  for (;;) {
    const page = await searchOnce(sql, search);
    // If entries were pruned meanwhile, they must not look as if they had not met the conditions.
    if (search.afterSequence === undefined) return page;
    if ((await logEnds(sql)).oldest <= page.oldest) return page;
  }
}

async function searchOnce(sql: SqlConnection, search: LogSearch): Promise<LogPage> {
  const { oldest, newest } = await settledBounds(sql, search);
  const range = searchedRange(search, newest, oldest);
  const values: SqlValue[] = [range.first, range.last, search.limit];
  const conditions = conditionsOf(sql, search, (value) => `$${values.push(value)}`);
  const order = search.afterSequence === undefined ? 'DESC' : 'ASC';
  const which = ['sequence BETWEEN $1 AND $2', ...conditions].join(' AND ');
  const entries = await entriesWhere(sql, `${which} ORDER BY sequence ${order} LIMIT $3`, values);
  return logPage(search, range, newest, entries, oldest);
}

/**
 * The ends of the log. In a forward search, no entry up to the newest number can appear later: the number is read first, because
 * batches that begin later have higher ones.
 */
async function settledBounds(
  sql: SqlConnection,
  { afterSequence, searchMax }: Pick<LogSearch, 'afterSequence' | 'searchMax'>,
): Promise<{ oldest: number; newest: number }> {
  const bounds = await logEnds(sql);
  if (afterSequence === undefined || bounds.newest <= afterSequence) return bounds;
  const limit = Math.min(searchMax, GAP_SEARCH_MAX);
  const from = Math.max(afterSequence, bounds.settled);
  await sql.awaitLogGaps(from, bounds.newest, limit);
  if (bounds.oldest <= afterSequence + 1) return bounds;
  // The entries with the first numbers may have been written last.
  return { oldest: (await logEnds(sql)).oldest, newest: bounds.newest };
}

/** A condition on an entry: it is one on the way in, or its guest was kept inside. */
const ADMITTED_OR_DENIED = `(direction IS NULL OR direction <> 'out'
         OR coalesce(reason, status) IN (${DENIALS_AT_AN_EXIT.map((name) => `'${name}'`).join(', ')}))`;

export async function countOutcomes(
  sql: SqlConnection,
  afterSequence: number,
  searchMax: number,
): Promise<OutcomeCounts> {
  const search = { afterSequence, searchMax };
  const { oldest, newest } = await settledBounds(sql, search);
  const range = searchedRange(search, newest, oldest);
  const { column, target } = sql.key;
  const rows = await sql.rows<OutcomeCount>(
    `SELECT k.organisation_id AS "organisationId", k.id AS "keyId", c.serial, c.minute, c.status, c.reason, c.count FROM (
       SELECT ${column} AS key, serial, at / 60000 AS minute, status, reason, count(*) AS count FROM scan_log
       WHERE sequence BETWEEN $1 AND $2 AND operation = 'consume' AND NOT replayed AND ${ADMITTED_OR_DENIED} GROUP BY 1, 2, 3, 4, 5
     ) c JOIN api_key k ON k.${target} = c.key`,
    [range.first, range.last],
  );
  const counts = rows.map((row) => ({ ...row, serial: sql.textFrom(row.serial) }));
  return outcomeCounts(afterSequence, range, newest, counts);
}

/** Writes why the entry with this number takes back a use; the caller holds a transaction. */
export async function insertUndoNote(
  sql: SqlConnection,
  sequence: number,
  note: UndoNote,
): Promise<void> {
  await insert(sql, UNDONE_USES, { entry: sequence, ...note });
}

async function entryWith(sql: SqlConnection, sequence: number): Promise<LogEntry | undefined> {
  const [entry] = await entriesWhere(sql, 'sequence = $1', [sequence]);
  return entry;
}

/** Drops the stored answers of a scan. They are locked before the ticket, in the order of a batch. */
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

/** Takes a guest who did not pass out of the people inside. Does nothing after a reset of the count, or where nobody counts. */
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
  return sql.inTransaction(async () => {
    const entry = await undoInside(sql, request);
    await writeAuditEntry(sql, auditEntry);
    return entry;
  });
}

/** Whether an entry took a use that was not taken back. */
export async function canUndo(sql: SqlConnection, sequence: number): Promise<boolean> {
  const found = await entryWith(sql, sequence);
  return found !== undefined && usesIn(found) === 1 && found.undoneBy === undefined;
}

/** Takes back a use; the caller holds a transaction. @param site where it was taken back, if that was at a site: only then its event may be away */
export async function undoInside(
  sql: SqlConnection,
  request: UndoRequest,
  site?: NonNullable<LogEntry['site']>,
): Promise<LogEntry> {
  const { sequence: undoes } = request;
  const found = await entryWith(sql, undoes);
  const entry = undoable(found, undoes, found?.undoneBy);
  const eventId = eventOfTicketId(entry.ticketId) ?? '';
  const gone = await missingId(sql, 'event', [eventId], sql.forKeyShare);
  if (gone !== undefined) throw notFound('event', gone);
  await dropAnswers(sql, entry);
  const usesConsumed = await sql.takeBackUse(entry.ticketId);
  if (usesConsumed === undefined) throw notFound('ticket', entry.ticketId);
  if (!site) await refuseAway(sql, [entry.ticketId], 'To take back a use');
  // Another undo may have held the ticket until now.
  undoable(entry, undoes, (await entryWith(sql, undoes))?.undoneBy);
  const undone = { ...undoneEntry(entry, request, usesConsumed), ...(site && { site }) };
  const sequence = await sql.appendLogEntry(undone);
  if (undone.undo) await insertUndoNote(sql, sequence, undone.undo);
  await sql.run(countEntries(sql, 'log_record', '= $1', 'scans'), [sequence]);
  await takeBackPassage(sql, entry);
  return { ...undone, sequence };
}
