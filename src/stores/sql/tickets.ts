import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import { searchTerms } from '../../core/folded-text.ts';
import { asCompared } from '../../core/people-texts.ts';
import type { NewTicket, SkippedTickets, Ticket } from '../../core/ticket.ts';
import type { TicketEdits } from '../../core/ticket-changes.ts';
import { editedTicket, LINK_KINDS, linksOf, replacementOf } from '../../core/ticket-changes.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { auditEntryOfEdit, auditEntryOfInsert, auditEntryWithCount } from '../record-rules.ts';
import type { InsertOptions, TicketFilter, TicketPage, TicketSearch } from '../record-store.ts';
import { misnamedTicket, notFound } from '../store-errors.ts';
import { cursorOf, ordinalIn, TICKETS } from '../ticket-row.ts';
import { writeAuditEntry } from './administrative-records.ts';
import type { IncomingTicket, SqlConnection, SqlValue } from './connection.ts';
import { missingId } from './records.ts';
import { withoutKnownReferences } from './references.ts';
import { columnsOf, recordFrom, update } from './rows.ts';
import { noteSiteChanges, refuseAtSite, refuseAway } from './site-guards.ts';
import { writeInside } from './write.ts';

function byId(a: NewTicket, b: NewTicket): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

async function refuseUnknownEvents(
  sql: SqlConnection,
  tickets: readonly NewTicket[],
): Promise<void> {
  const ids = tickets.map(({ eventId }) => eventId);
  const unknown = await missingId(sql, 'event', ids, sql.forKeyShare);
  if (unknown !== undefined) throw notFound('event', unknown);
  const misnamed = tickets.find(({ id, eventId }) => eventOfTicketId(id) !== eventId);
  if (misnamed) throw misnamedTicket(misnamed.id, misnamed.eventId);
}

/** A condition that leaves out tickets of events that are being deleted. It costs a look at each ticket only while there are such events. */
async function isThere(sql: SqlConnection): Promise<string> {
  const deletions = "SELECT id FROM administrative_record WHERE kind = 'deletion'";
  const isAny = (await sql.rows(`${deletions} LIMIT 1`)).length > 0;
  return isAny ? `${sql.eventOfTicket('id')} NOT IN (${deletions})` : 'TRUE';
}

export async function findTicket(
  sql: SqlConnection,
  ticketId: string,
): Promise<Ticket | undefined> {
  const [ticket] = await ticketsWhere(sql, `id = $1 AND ${await isThere(sql)}`, [ticketId]);
  return ticket;
}

const TICKET_COLUMNS = columnsOf(TICKETS.columns);

async function ticketsWhere(
  sql: SqlConnection,
  rest: string,
  values: readonly SqlValue[],
): Promise<Ticket[]> {
  const rows = await sql.rows<object>(
    `SELECT ${TICKET_COLUMNS} FROM ticket_record r WHERE ${rest}`,
    values,
  );
  return rows.map((row) => recordFrom(sql, TICKETS.columns, row));
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

const LINKS = LINK_KINDS.map((kind) => `'${kind}'`).join(', ');

interface TicketConditions
  extends Pick<TicketFilter, 'state' | 'search' | 'batch' | 'reference' | 'limit'>,
    Pick<TicketSearch, 'newestFirst'> {
  readonly events: readonly string[] | undefined;
}

async function ticketsBetween(
  sql: SqlConnection,
  first: number,
  last: number,
  { events, state, search, batch, reference, limit, newestFirst = false }: TicketConditions,
): Promise<Ticket[]> {
  const values: SqlValue[] = [first, last, limit];
  const value = (one: SqlValue) => `$${values.push(one)}`;
  const conditions = ['ordinal BETWEEN $1 AND $2', await isThere(sql)];
  if (events) conditions.push(eventsCondition(sql, events, value));
  if (batch !== undefined) conditions.push(`batch = ${value(batch)}`);
  if (reference !== undefined) conditions.push(`reference = ${value(asCompared(reference))}`);
  if (state) conditions.push(stateCondition(state, value));
  const found = searchCondition(sql, search ?? '', value);
  if (found !== undefined) conditions.push(found);
  const order = newestFirst ? 'DESC' : 'ASC';
  return ticketsWhere(
    sql,
    `${conditions.join(' AND ')} ORDER BY ordinal ${order} LIMIT $3`,
    values,
  );
}

/** `isFound` in SQL; undefined if nothing is searched for. */
function searchCondition(
  sql: SqlConnection,
  search: string,
  value: (one: SqlValue) => string,
): string | undefined {
  const { words, idPiece } = searchTerms(search);
  if (words.length === 0) return undefined;
  const atEnds = (piece: string | null) => {
    if (piece === null) return [];
    const given = value(piece);
    const { length } = piece;
    return [
      `substr(id, 1, ${length}) = ${given}`,
      `substr(id, length(id) - ${length - 1}) = ${given}`,
    ];
  };
  const inName = (spelling: string) => sql.contains("coalesce(folded_name, '')", value(spelling));
  const every = words.map((word) => {
    const ways = [...word.spellings.map(inName), ...atEnds(word.idPiece)];
    return `(${ways.join(' OR ')})`;
  });
  return `(${[every.join(' AND '), ...atEnds(idPiece)].join(' OR ')})`;
}

/** A condition on events. One event is a range of the index; for several, the event is read from each id, in the order of creation. */
function eventsCondition(
  sql: SqlConnection,
  events: readonly string[],
  value: (one: SqlValue) => string,
): string {
  const [only, ...others] = events;
  if (only !== undefined && others.length === 0) {
    return `id > ${value(`tkt_${only}_`)} AND id < ${value(`tkt_${only}_~`)}`;
  }
  return sql.anyOf(sql.eventOfTicket('id'), value(events));
}

async function ordinalOf(sql: SqlConnection, ticketId: string | undefined): Promise<number> {
  if (ticketId === undefined) return 0;
  const ordinal = ordinalIn(ticketId);
  if (ordinal !== undefined) return ordinal;
  const [row] = await sql.rows<{ ordinal: number }>('SELECT ordinal FROM ticket WHERE id = $1', [
    ticketId,
  ]);
  return row?.ordinal ?? 0;
}

/** Locks tickets, in the order of a batch of scans: reads after it see their current state. @returns the ids that exist */
export async function lockTickets(
  sql: SqlConnection,
  ticketIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.rows<{ id: string }>(
    `SELECT id FROM ticket WHERE ${sql.anyOf('id', '$1')} AND ${await isThere(sql)} ORDER BY id${sql.forUpdate}`,
    [ticketIds],
  );
  return new Set(rows.map(({ id }) => id));
}

export function insertTickets(
  sql: SqlConnection,
  tickets: readonly IncomingTicket[],
  auditEntry: NewAuditLogEntry,
  options: InsertOptions = { existing: 'refuse' },
): Promise<SkippedTickets> {
  return sql.inTransaction(() => insertInside(sql, tickets, auditEntry, options));
}

async function insertInside(
  sql: SqlConnection,
  tickets: readonly IncomingTicket[],
  auditEntry: NewAuditLogEntry,
  options: InsertOptions,
): Promise<SkippedTickets> {
  await refuseAtSite(sql);
  if (options.owners) await writeInside(sql, options.owners);
  await refuseUnknownEvents(sql, tickets);
  const wanted =
    options.references === 'unique' ? await withoutKnownReferences(sql, tickets) : tickets;
  // The order of the index: a large load fills its pages one after another, and two loads wait in the same order.
  const sorted = [...wanted].sort(byId);
  const inserted = await sql.insertTickets(sorted);
  const known = tickets.length - wanted.length;
  await noteSiteChanges(
    sql,
    inserted.map(({ id }) => id),
    auditEntry.at,
  );
  await writeAuditEntry(
    sql,
    auditEntryOfInsert(auditEntry, sorted, inserted, { ...options, known }),
  );
  return { existing: wanted.length - inserted.length, known };
}

export async function findTickets(
  sql: SqlConnection,
  ticketIds: readonly string[],
): Promise<Ticket[]> {
  return ticketsWhere(sql, `${sql.anyOf('id', '$1')} AND ${await isThere(sql)}`, [ticketIds]);
}

/** One look into the index for each reference: it has the tickets of a reference in the order of their ids, and so those of an event together. */
export async function ticketsWithReferences(
  sql: SqlConnection,
  eventId: string,
  references: readonly string[],
  limit: number,
): Promise<Ticket[]> {
  const asked = [...new Set(references.map(asCompared))];
  const found = `SELECT t.id FROM ${sql.each('$1')} JOIN ticket t ON t.reference = value AND t.id > $2 AND t.id < $3`;
  return ticketsWhere(sql, `id IN (${found}) AND ${await isThere(sql)} ORDER BY id LIMIT $4`, [
    asked,
    `tkt_${eventId}_`,
    `tkt_${eventId}_~`,
    limit,
  ]);
}

export async function listTickets(sql: SqlConnection, filter: TicketFilter): Promise<Ticket[]> {
  const events = filter.eventId === undefined ? undefined : [filter.eventId];
  const first = (await ordinalOf(sql, filter.afterId)) + 1;
  return ticketsBetween(sql, first, Number.MAX_SAFE_INTEGER, { ...filter, events });
}

export async function searchTickets(sql: SqlConnection, search: TicketSearch): Promise<TicketPage> {
  const { newestFirst = false, afterId, searchMax, limit } = search;
  const ends = await ordinalEnds(sql);
  const start =
    afterId === undefined && newestFirst ? ends.last + 1 : await ordinalOf(sql, afterId);
  const [beyond, order] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC'];
  // The index finds the tickets with one reference among millions: no other is looked at.
  const [ofReference, values] =
    search.reference === undefined
      ? ['', []]
      : ['AND reference = $3', [asCompared(search.reference)]];
  const [end] = await sql.rows<{ ordinal: number }>(
    `SELECT ordinal FROM ticket WHERE ordinal ${beyond} $1 ${ofReference} ORDER BY ordinal ${order} LIMIT 1 OFFSET $2`,
    [start, searchMax - 1, ...values],
  );
  const [first, last] = newestFirst
    ? [end?.ordinal ?? 0, start - 1]
    : [start + 1, end?.ordinal ?? Number.MAX_SAFE_INTEGER];
  const conditions = { ...search, events: search.eventIds };
  const tickets = await ticketsBetween(sql, first, last, conditions);
  const isFull = tickets.length >= limit;
  const next = isFull ? await ordinalOf(sql, tickets.at(-1)?.id) : end?.ordinal;
  if (next === undefined || next === (newestFirst ? ends.first : ends.last)) {
    return { tickets, next: null, searched: 1 };
  }
  return { tickets, next: cursorOf(next), searched: partBehind(next, ends, newestFirst) };
}

interface OrdinalEnds {
  readonly first: number;
  readonly last: number;
}

/** Looks up each end in the index. For both ends in one query, SQLite would read all of it. */
async function ordinalEnds(sql: SqlConnection): Promise<OrdinalEnds> {
  const [ends] = await sql.rows<OrdinalEnds>(
    `SELECT coalesce((SELECT min(ordinal) FROM ticket), 0) AS "first", coalesce((SELECT max(ordinal) FROM ticket), 0) AS "last"`,
  );
  return ends ?? { first: 0, last: 0 };
}

/** The part of the tickets that was searched; it is below 1, because more tickets follow. */
function partBehind(next: number, { first, last }: OrdinalEnds, newestFirst: boolean): number {
  const behind = newestFirst ? last - next + 1 : next - first + 1;
  return Math.min(0.999, Math.max(0, behind / (last - first + 1)));
}

export function cancelTickets(
  sql: SqlConnection,
  ticketIds: readonly string[],
  at: number | null,
  auditEntry: NewAuditLogEntry,
): Promise<number> {
  return sql.inTransaction(async () => {
    await refuseAtSite(sql);
    const known = await lockTickets(sql, ticketIds);
    const unknown = ticketIds.find((id) => !known.has(id));
    if (unknown !== undefined) throw notFound('ticket', unknown);
    const changes =
      at === null
        ? "cancelled_at IS NOT NULL AND id NOT IN (SELECT id FROM administrative_record WHERE kind = 'replaced-ticket')"
        : 'cancelled_at IS NULL';
    const count = await sql.run(
      `UPDATE ticket SET cancelled_at = $2 WHERE ${sql.anyOf('id', '$1')} AND ${changes}`,
      [[...ticketIds].sort(), at],
    );
    await noteSiteChanges(sql, ticketIds, auditEntry.at);
    await writeAuditEntry(sql, auditEntryWithCount(auditEntry, count));
    return count;
  });
}

/** Locks a ticket and runs `work` on it, in one transaction. @throws TicketscanError `not_found` */
function withTicket<Result>(
  sql: SqlConnection,
  ticketId: string,
  work: (ticket: Ticket) => Promise<Result>,
): Promise<Result> {
  return sql.inTransaction(async () => {
    await refuseAtSite(sql);
    await lockTickets(sql, [ticketId]);
    const ticket = await findTicket(sql, ticketId);
    if (!ticket) throw notFound('ticket', ticketId);
    return work(ticket);
  });
}

export function editTicket(
  sql: SqlConnection,
  ticketId: string,
  edits: TicketEdits,
  auditEntry: NewAuditLogEntry,
): Promise<Ticket> {
  return withTicket(sql, ticketId, async (before) => {
    const after = editedTicket(before, edits);
    if (after.usesAllowed !== before.usesAllowed)
      await refuseAway(sql, [ticketId], 'To change how many uses a ticket has');
    await update(sql, TICKETS, after);
    await noteSiteChanges(sql, [ticketId], auditEntry.at);
    await writeAuditEntry(sql, auditEntryOfEdit(auditEntry, before, after));
    return after;
  });
}

export function replaceTicket(
  sql: SqlConnection,
  ticketId: string,
  newId: string,
  auditEntry: NewAuditLogEntry,
): Promise<Ticket> {
  return withTicket(sql, ticketId, async (before) => {
    await refuseAway(sql, [ticketId], 'To replace a ticket, with the uses that it has taken,');
    const { at } = auditEntry;
    const made = replacementOf(before, newId, at);
    await sql.run('UPDATE ticket SET cancelled_at = $2 WHERE id = $1', [ticketId, at]);
    const owners = { administrative: linksOf(ticketId, newId), audit: [] };
    await insertInside(sql, [made], auditEntry, { existing: 'refuse', owners });
    return made;
  });
}

/** Deletes the links between replaced tickets; the caller holds a transaction. */
export async function deleteLinks(sql: SqlConnection, ticketIds: readonly string[]): Promise<void> {
  await sql.run(
    `DELETE FROM administrative_record WHERE kind IN (${LINKS}) AND ${sql.anyOf('id', '$1')}`,
    [ticketIds],
  );
}

export function deleteTickets(
  sql: SqlConnection,
  ticketIds: readonly string[],
  afterSequence: number,
  auditEntry: NewAuditLogEntry,
): Promise<string[]> {
  return sql.inTransaction(async () => {
    await refuseAtSite(sql);
    await sql.keepScansOut();
    await refuseAway(sql, ticketIds, 'To delete a ticket that was not used');
    const unused = await sql.rows<{ id: string }>(
      `SELECT id FROM ticket_record WHERE ${sql.anyOf('id', '$1')} AND uses_consumed = 0 AND uses_unlogged = 0 AND ${await isThere(sql)}
           AND id NOT IN (SELECT id FROM administrative_record WHERE kind IN (${LINKS}))
           AND id NOT IN (SELECT ticket_id FROM log_record WHERE sequence > $2 AND ticket_id IS NOT NULL)`,
      [ticketIds, afterSequence],
    );
    const ids = unused.map(({ id }) => id);
    if (ids.length > 0) await sql.deleteTickets(ids);
    await writeAuditEntry(sql, auditEntryWithCount(auditEntry, ids.length));
    return ids;
  });
}
