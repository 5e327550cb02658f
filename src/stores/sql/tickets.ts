import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import { searchWords } from '../../core/folded-text.ts';
import { LINK_KINDS, linksOf, replacementOf } from '../../core/replacement.ts';
import type { NewTicket, Ticket } from '../../core/ticket.ts';
import { editedTicket, type TicketEdits } from '../../core/ticket-edit.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { auditEntryOfEdit, auditEntryOfInsert, auditEntryWithCount } from '../record-rules.ts';
import type { InsertOptions, TicketFilter, TicketPage, TicketSearch } from '../record-store.ts';
import { misnamedTicket, notFound } from '../store-errors.ts';
import {
  cursorOf,
  placeOf,
  TICKET_ROW,
  type TicketRow,
  ticketFromRow,
  WRITTEN_COLUMNS,
} from '../ticket-row.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { IncomingTicket, SqlConnection, SqlValue } from './connection.ts';
import { missingId } from './records.ts';
import { writeInside } from './write.ts';

function byId(a: NewTicket, b: NewTicket): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

async function refuseUnknownEvents(
  connection: SqlConnection,
  tickets: readonly NewTicket[],
): Promise<void> {
  const ids = tickets.map(({ eventId }) => eventId);
  const unknown = await missingId(connection, 'event', ids, connection.forKeyShare);
  if (unknown !== undefined) throw notFound('event', unknown);
  const misnamed = tickets.find(({ id, eventId }) => eventOfTicketId(id) !== eventId);
  if (misnamed) throw misnamedTicket(misnamed.id, misnamed.eventId);
}

/** False for tickets of events that are being deleted. Only while there are some does it cost a look at each ticket. */
async function isThere(connection: SqlConnection): Promise<string> {
  const deletions = "SELECT id FROM document WHERE kind = 'deletion'";
  const isAny = (await connection.rows(`${deletions} LIMIT 1`)).length > 0;
  return isAny ? `${connection.eventOfTicket('id')} NOT IN (${deletions})` : 'TRUE';
}

async function ticketOf(connection: SqlConnection, ticketId: string): Promise<Ticket | undefined> {
  const [row] = await connection.rows<TicketRow>(
    `SELECT ${TICKET_ROW} FROM ticket_record WHERE id = $1 AND ${await isThere(connection)}`,
    [ticketId],
  );
  return row && ticketFromRow(row);
}

/** `stateOf` in SQL: with its rules in its order, so that a page of one state is read from the store as it is. */
function stateCondition(
  { is, now }: NonNullable<TicketFilter['state']>,
  value: (one: SqlValue) => string,
): string {
  const time = value(now);
  return `${value(is)} = CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled' WHEN valid_from > ${time} THEN 'not_yet_valid'
    WHEN valid_until < ${time} THEN 'expired' WHEN uses_consumed >= uses_allowed THEN 'exhausted' ELSE 'valid' END`;
}

/** For an UPDATE; the first is the id. */
const ALL_COLUMNS = WRITTEN_COLUMNS.map(([name], index) => `${name} = $${index + 1}`).join(', ');

const LINKS = LINK_KINDS.map((kind) => `'${kind}'`).join(', ');

interface TicketConditions extends Pick<TicketFilter, 'state' | 'search' | 'batch' | 'limit'> {
  readonly events: readonly string[] | undefined;
}

async function ticketsBetween(
  connection: SqlConnection,
  first: number,
  last: number,
  { events, state, search, batch, limit }: TicketConditions,
): Promise<Ticket[]> {
  const values: SqlValue[] = [first, last, limit];
  const value = (one: SqlValue) => `$${values.push(one)}`;
  const conditions = ['ordinal BETWEEN $1 AND $2', await isThere(connection)];
  if (events) conditions.push(eventsCondition(connection, events, value));
  if (batch !== undefined) conditions.push(`batch = ${value(batch)}`);
  if (state) conditions.push(stateCondition(state, value));
  for (const word of searchWords(search ?? '')) {
    conditions.push(connection.contains("id || ' ' || coalesce(folded_name, '')", value(word)));
  }
  const rows = await connection.rows<TicketRow>(
    `SELECT ${TICKET_ROW} FROM ticket_record WHERE ${conditions.join(' AND ')} ORDER BY ordinal LIMIT $3`,
    values,
  );
  return rows.map(ticketFromRow);
}

/** One event is a range of the index; of several, the name is taken out of each id, in the order of creation. */
function eventsCondition(
  connection: SqlConnection,
  events: readonly string[],
  value: (one: SqlValue) => string,
): string {
  const [only, ...others] = events;
  if (only !== undefined && others.length === 0) {
    return `id > ${value(`tkt_${only}_`)} AND id < ${value(`tkt_${only}_~`)}`;
  }
  return connection.anyOf(connection.eventOfTicket('id'), value(events));
}

async function ordinalOf(connection: SqlConnection, ticketId: string | undefined): Promise<number> {
  if (ticketId === undefined) return 0;
  const place = placeOf(ticketId);
  if (place !== undefined) return place;
  const [row] = await connection.rows<{ ordinal: number }>(
    'SELECT ordinal FROM ticket WHERE id = $1',
    [ticketId],
  );
  return row?.ordinal ?? 0;
}

/** In the order of a batch of scans. What is read after it is the tickets as they are. @returns those that are there */
async function lockTickets(
  connection: SqlConnection,
  ticketIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await connection.rows<{ id: string }>(
    `SELECT id FROM ticket WHERE ${connection.anyOf('id', '$1')} AND ${await isThere(connection)} ORDER BY id${connection.forUpdate}`,
    [ticketIds],
  );
  return new Set(rows.map(({ id }) => id));
}

export function findTicket(
  connection: SqlConnection,
  ticketId: string,
): Promise<Ticket | undefined> {
  return ticketOf(connection, ticketId);
}

export function insertTickets(
  connection: SqlConnection,
  tickets: readonly IncomingTicket[],
  auditEntry: NewAuditLogEntry,
  options: InsertOptions = { existing: 'refuse' },
): Promise<number> {
  return connection.inTransaction(() => insertInside(connection, tickets, auditEntry, options));
}

async function insertInside(
  connection: SqlConnection,
  tickets: readonly IncomingTicket[],
  auditEntry: NewAuditLogEntry,
  options: InsertOptions,
): Promise<number> {
  if (options.owners) await writeInside(connection, options.owners);
  await refuseUnknownEvents(connection, tickets);
  // In the order of the index: a large load fills its pages one after another, and two loads wait in one order.
  const sorted = [...tickets].sort(byId);
  const inserted = await connection.insertTickets(sorted);
  await writeAuditEntry(connection, auditEntryOfInsert(auditEntry, sorted, inserted, options));
  return tickets.length - inserted.length;
}

export async function findTickets(
  connection: SqlConnection,
  ticketIds: readonly string[],
): Promise<Ticket[]> {
  const rows = await connection.rows<TicketRow>(
    `SELECT ${TICKET_ROW} FROM ticket_record WHERE ${connection.anyOf('id', '$1')} AND ${await isThere(connection)}`,
    [ticketIds],
  );
  return rows.map(ticketFromRow);
}

export async function listTickets(
  connection: SqlConnection,
  filter: TicketFilter,
): Promise<Ticket[]> {
  const events = filter.eventId === undefined ? undefined : [filter.eventId];
  const first = (await ordinalOf(connection, filter.afterId)) + 1;
  return ticketsBetween(connection, first, Number.MAX_SAFE_INTEGER, { ...filter, events });
}

export async function searchTickets(
  connection: SqlConnection,
  search: TicketSearch,
): Promise<TicketPage> {
  const after = await ordinalOf(connection, search.afterId);
  const [end] = await connection.rows<{ ordinal: number }>(
    'SELECT ordinal FROM ticket WHERE ordinal > $1 ORDER BY ordinal LIMIT 1 OFFSET $2',
    [after, search.searchMax - 1],
  );
  const last = end?.ordinal ?? Number.MAX_SAFE_INTEGER;
  const conditions = { ...search, events: search.eventIds };
  const tickets = await ticketsBetween(connection, after + 1, last, conditions);
  const isFull = tickets.length >= search.limit;
  const next = isFull ? await ordinalOf(connection, tickets.at(-1)?.id) : end?.ordinal;
  if (next === undefined) return { tickets, next: null };
  const [newest] = await connection.rows<{ ordinal: number }>(
    'SELECT max(ordinal) AS ordinal FROM ticket',
  );
  return { tickets, next: newest?.ordinal === next ? null : cursorOf(next) };
}

export async function countTickets(
  connection: SqlConnection,
  eventId?: string | null,
): Promise<number> {
  const ofEvent = eventId ? 'WHERE id > $1 AND id < $2' : '';
  const values = eventId ? [`tkt_${eventId}_`, `tkt_${eventId}_~`] : [];
  const [counted] = await connection.rows<{ tickets: number }>(
    `SELECT count(*) AS tickets FROM ticket ${ofEvent}`,
    values,
  );
  return counted?.tickets ?? 0;
}

export function cancelTickets(
  connection: SqlConnection,
  ticketIds: readonly string[],
  at: number | null,
  auditEntry: NewAuditLogEntry,
): Promise<number> {
  return connection.inTransaction(async () => {
    const known = await lockTickets(connection, ticketIds);
    const unknown = ticketIds.find((id) => !known.has(id));
    if (unknown !== undefined) throw notFound('ticket', unknown);
    const changes =
      at === null
        ? "cancelled_at IS NOT NULL AND id NOT IN (SELECT id FROM document WHERE kind = 'replaced-ticket')"
        : 'cancelled_at IS NULL';
    const count = await connection.run(
      `UPDATE ticket SET cancelled_at = $2 WHERE ${connection.anyOf('id', '$1')} AND ${changes}`,
      [[...ticketIds].sort(), at],
    );
    await writeAuditEntry(connection, auditEntryWithCount(auditEntry, count));
    return count;
  });
}

export function editTicket(
  connection: SqlConnection,
  ticketId: string,
  edits: TicketEdits,
  auditEntry: NewAuditLogEntry,
): Promise<Ticket> {
  return connection.inTransaction(async () => {
    await lockTickets(connection, [ticketId]);
    const before = await ticketOf(connection, ticketId);
    if (!before) throw notFound('ticket', ticketId);
    const after = editedTicket(before, edits);
    await connection.run(
      `UPDATE ticket SET ${ALL_COLUMNS} WHERE id = $1`,
      WRITTEN_COLUMNS.map(([, , value]) => value(after)),
    );
    await writeAuditEntry(connection, auditEntryOfEdit(auditEntry, before, after));
    return after;
  });
}

export function replaceTicket(
  connection: SqlConnection,
  ticketId: string,
  newId: string,
  auditEntry: NewAuditLogEntry,
): Promise<Ticket> {
  return connection.inTransaction(async () => {
    await lockTickets(connection, [ticketId]);
    const before = await ticketOf(connection, ticketId);
    if (!before) throw notFound('ticket', ticketId);
    const { at } = auditEntry;
    const made = replacementOf(before, newId, at);
    await connection.run('UPDATE ticket SET cancelled_at = $2 WHERE id = $1', [ticketId, at]);
    const owners = { documents: linksOf(ticketId, newId), audit: [] };
    await insertInside(connection, [made], auditEntry, { existing: 'refuse', owners });
    return made;
  });
}

/** Inside a transaction. */
export async function deleteLinks(
  connection: SqlConnection,
  ticketIds: readonly string[],
): Promise<void> {
  await connection.run(
    `DELETE FROM document WHERE kind IN (${LINKS}) AND ${connection.anyOf('id', '$1')}`,
    [ticketIds],
  );
}

export function deleteTickets(
  connection: SqlConnection,
  ticketIds: readonly string[],
  afterSequence: number,
  auditEntry: NewAuditLogEntry,
): Promise<string[]> {
  return connection.inTransaction(async () => {
    await connection.keepScansOut();
    const unused = await connection.rows<{ id: string }>(
      `SELECT id FROM ticket_record WHERE ${connection.anyOf('id', '$1')} AND uses_consumed = 0 AND uses_unlogged = 0 AND ${await isThere(connection)}
           AND id NOT IN (SELECT id FROM document WHERE kind IN (${LINKS}))
           AND id NOT IN (SELECT ticket_id FROM log_record WHERE sequence > $2 AND ticket_id IS NOT NULL)`,
      [ticketIds, afterSequence],
    );
    const ids = unused.map(({ id }) => id);
    if (ids.length > 0) await connection.deleteTickets(ids);
    await writeAuditEntry(connection, auditEntryWithCount(auditEntry, ids.length));
    return ids;
  });
}
