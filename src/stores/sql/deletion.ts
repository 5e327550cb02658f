import type { AuditLogEntry, NewAuditLogEntry } from '../../core/administrative-records.ts';
import { ERASED, erasedDetails } from '../../core/erased-details.ts';
import { PERSONAL_MEMBERS, PERSONAL_NAMES } from '../../core/personal-texts.ts';
import { dailySums } from '../../core/scan-count.ts';
import type { StoredAnswer } from '../../core/scan-requests.ts';
import { begunDeletion, type Deletion, type DeletionRequest, endOf, STEP } from '../deletion.ts';
import {
  administrativeRecordsOf,
  answerWithoutGuest,
  auditEntryWithCount,
  refuseOtherAccounts,
} from '../record-rules.ts';
import { notFound, onlyAtCentre } from '../store-errors.ts';
import { PERSONAL_COLUMNS } from '../ticket-row.ts';
import {
  checkRevisions,
  deleteAdministrative,
  putAdministrative,
  writeAuditEntry,
} from './administrative-records.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { dropEntries, fixEnds, logEnds, removeAlone } from './prune.ts';
import { keepErasedReferences } from './references.ts';
import { select } from './rows.ts';
import { takeCounts, writeCounts } from './scan-counts.ts';
import { homeIn, noteSiteChanges, refuseAway } from './site-guards.ts';
import { ADMINISTRATIVE_RECORDS, AUDIT_LOG } from './tables.ts';
import { deleteLinks } from './tickets.ts';
import { holdEmptied, moveRevision, removeEvent, removeOrganisation } from './write.ts';

export function beginDeletion(
  sql: SqlConnection,
  request: DeletionRequest,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  return sql.inTransaction(async () => {
    await moveRevision(sql);
    await begin(sql, request);
    await writeAuditEntry(sql, auditEntry);
  });
}

async function begin(sql: SqlConnection, request: DeletionRequest): Promise<void> {
  const { id, what, accounts } = request;
  await holdEmptied(sql, what, id);
  if (what === 'event') return beginEvent(sql, request);
  await checkRevisions(sql, accounts);
  const administrative = administrativeRecordsOf(await select(sql, ADMINISTRATIVE_RECORDS), id);
  refuseOtherAccounts(administrative, accounts);
  for (const one of administrative.filter(({ kind }) => kind === 'account'))
    await deleteAdministrative(sql, one);
  const events = await sql.rows<{ id: string; name: string }>(
    'SELECT id, name FROM event WHERE organisation_id = $1 ORDER BY ordinal',
    [id],
  );
  for (const event of events) await beginEvent(sql, { ...request, ...event, what: 'event' });
  await sql.run(
    'UPDATE api_key SET deleted_at = coalesce(deleted_at, $2), active = $3 WHERE organisation_id = $1',
    [id, request.ended.at, false],
  );
  await putAdministrative(sql, begunDeletion(request, id));
}

async function beginEvent(sql: SqlConnection, request: DeletionRequest): Promise<void> {
  const [event] = await sql.rows<{ owner: string }>(
    `SELECT organisation_id AS owner FROM event WHERE id = $1${sql.forUpdate}`,
    [request.id],
  );
  if (!event) throw notFound('event', request.id);
  await refuseDeletion(sql, request.id);
  await removeEvent(sql, request.id);
  await putAdministrative(sql, begunDeletion(request, event.owner));
}

/** What is away has counters elsewhere; a site forgets only what it decides no more. @throws TicketscanError `conflict` */
async function refuseDeletion(sql: SqlConnection, eventId: string): Promise<void> {
  const home = await homeIn(sql, eventId);
  if (home?.home) await refuseAway(sql, [eventId], 'To delete an event');
  if (home?.held?.isOpen || home?.copying !== undefined) throw onlyAtCentre();
}

export function continueDeletion(sql: SqlConnection, id: string, now: number): Promise<boolean> {
  return sql.inTransaction(() => proceed(sql, id, now));
}

async function proceed(sql: SqlConnection, id: string, now: number): Promise<boolean> {
  const ofDeletion = `WHERE kind = 'deletion' AND id = $1${sql.forUpdate}`;
  const [record] = await select(sql, ADMINISTRATIVE_RECORDS, ofDeletion, [id]);
  if (!record) return false;
  const before = record.value as Deletion;
  const after = await nextStep(sql, id, before);
  if (after) {
    await putAdministrative(sql, { kind: 'deletion', id, value: after });
    return true;
  }
  await deleteAdministrative(sql, { kind: 'deletion', id });
  await moveRevision(sql);
  await writeAuditEntry(sql, endOf(before, now));
  return false;
}

/** Runs one step of a deletion. @returns undefined if it was the last one */
async function nextStep(
  sql: SqlConnection,
  id: string,
  before: Deletion,
): Promise<Deletion | undefined> {
  const { upTo, searchedTo, what } = before;
  if (upTo === null) return { ...before, upTo: (await logEnds(sql)).newest };
  if (searchedTo < upTo) {
    await removeAlone(sql);
    if (searchedTo === 0) await fixEnds(sql, upTo);
    return removeEntries(sql, id, before, upTo);
  }
  if (what === 'organisation') {
    await holdEmptied(sql, what, id);
    await removeOrganisation(sql, id, searchedTo, []);
    return undefined;
  }
  const found = await sql.rows<{ id: string }>(
    `SELECT id FROM ticket WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${STEP.tickets}${sql.forUpdate}`,
    ofEvent(id),
  );
  if (found.length > 0) {
    const ids = found.map((ticket) => ticket.id);
    await eraseInAuditLog(sql, ids);
    await deleteLinks(sql, ids);
    await sql.deleteTickets(ids);
    return { ...before, tickets: before.tickets + ids.length };
  }
  if (before.answersTo < LAST) return removeAnswers(sql, id, before);
  return sumUpCounts(sql, id, before);
}

/** A time after every other time: everything has been searched. */
const LAST = Number.MAX_SAFE_INTEGER;

async function removeAnswers(sql: SqlConnection, id: string, before: Deletion): Promise<Deletion> {
  const [end] = await sql.rows<{ at: number }>(
    `SELECT expires_at AS at FROM stored_answer WHERE expires_at > $1 ORDER BY expires_at
     LIMIT 1 OFFSET ${STEP.answers - 1}`,
    [before.answersTo],
  );
  const answersTo = end?.at ?? LAST;
  await sql.run(
    'DELETE FROM stored_answer WHERE expires_at > $1 AND expires_at <= $2 AND decision LIKE $3',
    [before.answersTo, answersTo, `%"id":"tkt_${id}_%`],
  );
  return { ...before, answersTo };
}

/** Replaces counters by daily sums. A later step leaves a sum as it is. @returns undefined if it was the last step */
async function sumUpCounts(
  sql: SqlConnection,
  id: string,
  before: Deletion,
): Promise<Deletion | undefined> {
  const { countsTo, timeZone } = before;
  const [end] = await sql.rows<{ quarter: number }>(
    `SELECT quarter FROM scan_count WHERE event_id = $1 AND quarter > $2 ORDER BY quarter
     LIMIT 1 OFFSET ${STEP.counts - 1}`,
    [id, countsTo],
  );
  const taken = await takeCounts(sql, id, countsTo, end?.quarter ?? LAST);
  const { kept, sums } = dailySums(taken, timeZone);
  await writeCounts(sql, [...kept, ...sums]);
  if (end) return { ...before, countsTo: end.quarter };
  await sql.run('DELETE FROM event_occupancy WHERE event_id = $1', [id]);
  await eraseInAuditLogOf(sql, id);
  return undefined;
}

function ofEvent(id: string): [string, string] {
  return [`tkt_${id}_`, `tkt_${id}_~`];
}

async function removeEntries(
  sql: SqlConnection,
  id: string,
  before: Deletion,
  upTo: number,
): Promise<Deletion> {
  const { searchedTo, what } = before;
  const [end] = await sql.rows<{ sequence: number }>(
    `SELECT sequence FROM scan_log WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence
     LIMIT 1 OFFSET ${STEP.entriesSearched - 1}`,
    [searchedTo, upTo],
  );
  const last = end?.sequence ?? upTo;
  const { column, target } = sql.key;
  const isGoing =
    what === 'event'
      ? `${sql.bytewise('ticket_id')} > $3 AND ${sql.bytewise('ticket_id')} < $4`
      : `${column} IN (SELECT ${target} FROM api_key WHERE organisation_id = $3)`;
  const values: SqlValue[] = what === 'event' ? ofEvent(id) : [id];
  const found = await sql.rows<{ sequence: number }>(
    `SELECT sequence FROM log_record WHERE sequence > $1 AND sequence <= $2 AND ${isGoing}
     ORDER BY sequence LIMIT ${STEP.entries}`,
    [searchedTo, last, ...values],
  );
  const sequences = found.map(({ sequence }) => sequence);
  if (sequences.length > 0) await dropEntries(sql, sequences);
  const isFull = sequences.length === STEP.entries;
  const entries = before.entries + sequences.length;
  return { ...before, entries, searchedTo: isFull ? (sequences.at(-1) ?? last) : last };
}

export function eraseHolders(
  sql: SqlConnection,
  ticketIds: readonly string[],
  auditEntry: NewAuditLogEntry,
): Promise<number> {
  return sql.inTransaction(async () => {
    const count = await eraseIn(sql, ticketIds);
    if (count > 0) await noteSiteChanges(sql, ticketIds, auditEntry.at);
    await writeAuditEntry(sql, auditEntryWithCount(auditEntry, count));
    return count;
  });
}

/** @returns the number of tickets of which something was erased */
async function eraseIn(sql: SqlConnection, ticketIds: readonly string[]): Promise<number> {
  const ids = [...ticketIds].sort();
  await keepErasedReferences(sql, ids);
  const emptied = PERSONAL_COLUMNS.map((name) => `${name} = NULL`).join(', ');
  const isFilled = PERSONAL_COLUMNS.map((name) => `${name} IS NOT NULL`).join(' OR ');
  const holders = await sql.rows<{ id: string }>(
    `UPDATE ticket SET ${emptied} WHERE ${sql.anyOf('id', '$1')} AND (${isFilled}) RETURNING id`,
    [ids],
  );
  const reasons = await eraseReasons(sql, ids);
  await eraseInAnswers(sql, new Set(ids));
  await eraseInAuditLog(sql, ids);
  return new Set([...holders, ...reasons].map(({ id }) => id)).size;
}

/** Erases the reasons for which uses were taken back. They are few, so they come first. @returns the tickets */
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

/** A condition: the JSON of a decision may have personal data of a guest. */
const TELLS_OF_GUEST = PERSONAL_MEMBERS.map(
  (member) => `(decision LIKE '%"${member}":%' AND decision NOT LIKE '%"${member}":null%')`,
).join(' OR ');

/** Erases the name in stored answers of the last 24 hours: a repeated request gets its answer again, without the name. */
async function eraseInAnswers(sql: SqlConnection, ids: ReadonlySet<string>): Promise<void> {
  const { column } = sql.key;
  const rows = await sql.rows<{ key: string | number; name: string; decision: string }>(
    `SELECT ${column} AS key, name, decision FROM stored_answer WHERE ${TELLS_OF_GUEST}`,
  );
  for (const { key, name, decision } of rows) {
    const before = JSON.parse(decision) as StoredAnswer['decision'];
    const after = answerWithoutGuest(before, ids);
    if (after === before) continue;
    await sql.run(`UPDATE stored_answer SET decision = $3 WHERE ${column} = $1 AND name = $2`, [
      key,
      name,
      JSON.stringify(after),
    ]);
  }
}

/** Erases what audit entries about these tickets say of their guests. */
async function eraseInAuditLog(sql: SqlConnection, ids: readonly string[]): Promise<void> {
  await eraseInEntries(
    sql,
    await select(sql, AUDIT_LOG, `WHERE ${sql.anyOf('subject', '$1')}`, [ids]),
  );
}

/** A condition: the JSON of an audit entry may have personal data of a guest that is not erased yet. */
const TELLS_IN_DETAILS = [...PERSONAL_NAMES, 'reason']
  .map((name) => `(details LIKE '%"${name}":%' AND details NOT LIKE '%"${name}":"${ERASED}"%')`)
  .join(' OR ');

/** Erases what audit entries say of guests of an event whose tickets had been deleted one by one. */
async function eraseInAuditLogOf(sql: SqlConnection, eventId: string): Promise<void> {
  const subject = sql.bytewise('subject');
  const isOfEvent = `${subject} > $1 AND ${subject} < $2`;
  const told = `WHERE ${isOfEvent} AND (${TELLS_IN_DETAILS})`;
  await eraseInEntries(sql, await select(sql, AUDIT_LOG, told, ofEvent(eventId)));
}

async function eraseInEntries(
  sql: SqlConnection,
  entries: readonly AuditLogEntry[],
): Promise<void> {
  for (const entry of entries) {
    const text = JSON.stringify(erasedDetails(entry));
    if (text === JSON.stringify(entry.details)) continue;
    await sql.run('UPDATE audit_log SET details = $2 WHERE sequence = $1', [entry.sequence, text]);
  }
}
