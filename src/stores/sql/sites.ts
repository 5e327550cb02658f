import {
  AT_THE_CENTRE,
  asking,
  closed,
  type Held,
  isOfThisStay,
  NOT_KNOWN_YET,
  nameOfIncarnation,
  placeOfRow,
  type SentRow,
  type StoredHome,
  taken,
} from '../../core/event-home.ts';
import type { LogEntry } from '../../core/records.ts';
import type { RowKept } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import { isScanner } from '../record-rules.ts';
import type { SiteChangeSearch, SiteRecords } from '../store.ts';
import { changedMeanwhile } from '../store-errors.ts';
import { TICKETS } from '../ticket-row.ts';
import type { StoredKey } from '../transfer/records.ts';
import {
  deleteAdministrative,
  putAdministrative,
  readAdministrative,
} from './administrative-records.ts';
import type { IncomingTicket, SqlConnection } from './connection.ts';
import { canUndo, undoInside } from './log.ts';
import { logEnds } from './prune.ts';
import { insertKey, insertRecord, missingId, readRecord, updateRecord } from './records.ts';
import { select, update } from './rows.ts';
import { homeIn } from './site-guards.ts';
import { ADMINISTRATIVE_RECORDS, SITE_CHANGES, type SiteChange, STORED_KEYS } from './tables.ts';
import { lockTickets } from './tickets.ts';
import { moveRevision, writeScope } from './write.ts';

/*
 * What a centre and its sites do in a database beside deciding scans: the changes of tickets that sites hear of, rows of sites that take
 * back a use, and the copy that a site has. `core/event-home` has the protocol.
 */

export async function listSiteChanges(
  sql: SqlConnection,
  { eventIds, after, limit }: SiteChangeSearch,
): Promise<SiteChange[]> {
  return select(
    sql,
    SITE_CHANGES,
    `WHERE r.sequence > $2 AND ${sql.anyOf('r.event_id', '$1')} ORDER BY r.sequence LIMIT $3`,
    [eventIds, after, limit],
  );
}

export async function newestSiteChange(sql: SqlConnection): Promise<number> {
  const newest = 'SELECT coalesce(max(sequence), 0) AS number FROM site_change';
  const [row] = await sql.rows<{ number: number }>(newest);
  return row?.number ?? 0;
}

/** The latest change of each of these tickets that has one. */
export async function siteChangesOf(
  sql: SqlConnection,
  ticketIds: readonly string[],
): Promise<SiteChange[]> {
  return select(
    sql,
    SITE_CHANGES,
    `WHERE r.sequence IN (SELECT max(sequence) FROM site_change WHERE ${sql.anyOf('ticket_id', '$1')} GROUP BY ticket_id)`,
    [ticketIds],
  );
}

export async function noteInForce(
  sql: SqlConnection,
  eventIds: readonly string[],
  upTo: number,
  at: number,
): Promise<void> {
  await sql.inTransaction(async () => {
    await sql.run(
      `UPDATE site_change SET in_force_at = $3 WHERE sequence <= $2 AND in_force_at IS NULL AND ${sql.anyOf('event_id', '$1')}`,
      [eventIds, upTo, at],
    );
  });
}

/** Forgets the changes of an event that came home. */
export async function dropSiteChanges(sql: SqlConnection, eventId: string): Promise<void> {
  await sql.inTransaction(async () => {
    await sql.run('DELETE FROM site_change WHERE event_id = $1', [eventId]);
  });
}

export function storedKeys(sql: SqlConnection, organisationId: string): Promise<StoredKey[]> {
  return select(
    sql,
    STORED_KEYS,
    `WHERE r.organisation_id = $1 AND r.deleted_at IS NULL AND NOT ${isScanner('r.id')} ORDER BY r.ordinal`,
    [organisationId],
  );
}

export async function ownerOfKey(sql: SqlConnection, keyId: string): Promise<string | undefined> {
  const [key] = await sql.rows<{ owner: string }>(
    'SELECT organisation_id AS owner FROM api_key WHERE id = $1',
    [keyId],
  );
  return key?.owner;
}

/** Keeps a row of a site that takes back a use; see `RelayedRequest` for the others. */
export function relayUndo(
  sql: SqlConnection,
  row: SentRow,
  entry: Omit<LogEntry, 'sequence'>,
): Promise<RowKept> {
  return sql.inTransaction(async () => {
    await sql.takeTurn(`rows of ${row.site}`);
    const stored = await rowsOf(sql, row.site);
    const place = placeOfRow(row, stored);
    if (place !== 'next') return { kind: 'relayed', place, stored };
    const { site, number } = row;
    await putAdministrative(sql, { kind: 'site-rows', id: site, value: { number } });
    const { ticketId, undo } = entry;
    const home = await homeIn(sql, eventOfTicketId(ticketId ?? '') ?? '');
    const use = undo && (await sequenceOf(sql, `${site} ${undo.sequence}`, ticketId ?? ''));
    const isCounted = home?.home !== undefined && isOfThisStay(home.home, row);
    const origin = { id: site, number, late: false };
    // What cannot be taken back is kept and flagged: a row that is refused would keep back all rows behind it.
    if (isCounted && use !== undefined && undo && (await canUndo(sql, use))) {
      await undoInside(sql, { ...undo, sequence: use, at: entry.at }, origin);
    } else {
      const late = { ...origin, late: true };
      const { undo: _, ...rest } = entry;
      await sql.appendLogEntry({ ...rest, replayed: true, site: late });
    }
    return { kind: 'relayed', place, stored: number };
  });
}

async function rowsOf(sql: SqlConnection, site: string): Promise<number> {
  const found = await readAdministrative(sql, 'site-rows', site);
  return (found?.value as { readonly number: number } | undefined)?.number ?? 0;
}

/** The number that an entry of a site has here. A use is taken back soon after it was taken, so only late entries are looked at first. */
async function sequenceOf(
  sql: SqlConnection,
  site: string,
  ticketId: string,
): Promise<number | undefined> {
  const [found] = await sql.rows<{ sequence: number }>(
    `SELECT sequence FROM log_record WHERE site = $1 AND ${sql.isLoggedTicket('$2')} ORDER BY sequence DESC LIMIT 1`,
    [site, ticketId],
  );
  return found?.sequence;
}

/** Moves an event at a site; see `event-home`. @returns what the site has of it now */
export function moveHeld(
  sql: SqlConnection,
  eventId: string,
  move: 'copy' | 'take' | 'close',
  epoch: number,
): Promise<Held | undefined> {
  return sql.inTransaction(async () => {
    await sql.keepScansOut();
    await moveRevision(sql);
    const before = await homeIn(sql, eventId);
    const after = await movedHeld(sql, eventId, { move, epoch, before });
    if (after === undefined) return before?.held;
    const elsewhere = after.held?.isOpen ? null : 'the centre of this site';
    await putAdministrative(sql, {
      kind: 'event-home',
      id: eventId,
      value: { elsewhere, ...after },
    });
    return after.held;
  });
}

interface HeldMove {
  readonly move: 'copy' | 'take' | 'close';
  readonly epoch: number;
  readonly before: StoredHome | undefined;
}

/** @returns undefined where nothing changes */
async function movedHeld(
  sql: SqlConnection,
  eventId: string,
  { move, epoch, before }: HeldMove,
): Promise<Pick<StoredHome, 'held' | 'copying'> | undefined> {
  const held = before?.held;
  const { newest } = await logEnds(sql);
  if (move === 'close') {
    const after = closed(held, epoch, newest);
    return after && { held: after };
  }
  const after = taken(held, epoch, newest);
  if (after === undefined) return undefined;
  if (move === 'take') return before?.copying === epoch ? { held: after } : undefined;
  if (before?.copying === epoch) return undefined;
  // What is left of an earlier stay has uses of its own: the event is decided on those of its centre.
  if (held?.isOpen || (await hasTickets(sql, eventId)) || (await isGone(sql, eventId)))
    throw changedMeanwhile('event');
  return { ...(held && { held }), copying: epoch };
}

async function hasTickets(sql: SqlConnection, eventId: string): Promise<boolean> {
  const ofEvent = 'SELECT 1 AS one FROM ticket WHERE id > $1 AND id < $2 LIMIT 1';
  return (await sql.rows(ofEvent, [`tkt_${eventId}_`, `tkt_${eventId}_~`])).length > 0;
}

async function isGone(sql: SqlConnection, eventId: string): Promise<boolean> {
  return (await missingId(sql, 'event', [eventId], sql.forKeyShare)) !== undefined;
}

/** Writes the organisation, the events and the keys that a site has, as its centre has them now. */
export function putSiteRecords(
  sql: SqlConnection,
  { organisation, events, keys, administrative }: SiteRecords,
): Promise<void> {
  return sql.inTransaction(async () => {
    await moveRevision(sql);
    await putRecord(sql, 'organisation', organisation);
    // Events may have changed names with each other, or with one that is still to be forgotten here.
    for (const { id, name } of events) {
      const rename =
        "UPDATE event SET name = name || ' (' || id || ')' WHERE name = $1 AND id <> $2";
      await sql.run(rename, [name, id]);
    }
    for (const event of events) await putRecord(sql, 'event', event);
    for (const key of keys) {
      const { record, hash, previousHash, deletedAt } = key;
      if ((await readRecord(sql, 'key', record.id)) === undefined) {
        await insertKey(sql, key);
      } else {
        await updateRecord(sql, 'key', record);
        await sql.run(
          'UPDATE api_key SET hash = $2, previous_hash = $3, deleted_at = $4 WHERE id = $1',
          [record.id, hash, previousHash, deletedAt],
        );
      }
      await writeScope(sql, record);
    }
    await sql.run(
      `UPDATE api_key SET active = $2, deleted_at = coalesce(deleted_at, created_at)
       WHERE id NOT IN (SELECT value FROM ${sql.each('$1')}) AND NOT ${isScanner('id')}`,
      [keys.map(({ record }) => record.id), false],
    );
    for (const one of administrative) await putAdministrative(sql, one);
  });
}

/** Writes a record as it is, whether it is here or not. */
async function putRecord<Kind extends 'organisation' | 'event'>(
  sql: SqlConnection,
  kind: Kind,
  record: Parameters<typeof insertRecord<Kind>>[2],
): Promise<void> {
  const before = await readRecord(sql, kind, record.id);
  if (before === undefined) await insertRecord(sql, kind, record);
  else await updateRecord(sql, kind, record);
}

/** Writes tickets as the centre has them. The uses of one that is here stay: it is the home that counts them. */
export function putSiteTickets(
  sql: SqlConnection,
  eventId: string,
  tickets: readonly Ticket[],
  copiedIn?: number,
): Promise<void> {
  return sql.inTransaction(async () => {
    // The home does not move while these are locked.
    await lockTickets(
      sql,
      tickets.map(({ id }) => id),
    );
    const home = await homeIn(sql, eventId);
    const isWanted = copiedIn === undefined ? home?.held?.isOpen : home?.copying === copiedIn;
    if (isWanted !== true) return;
    const sorted = [...tickets].sort((a, b) => (a.id < b.id ? -1 : 1)) as IncomingTicket[];
    const inserted = new Set((await sql.insertTickets(sorted)).map(({ id }) => id));
    for (const ticket of tickets) if (!inserted.has(ticket.id)) await update(sql, TICKETS, ticket);
  });
}

/**
 * Any site of this centre, if it is one, may have got an event since the store was made: nobody decides here until it says that it has not.
 */
async function askSites(sql: SqlConnection): Promise<void> {
  // No store gives events away more often than once a second, so this is beyond the epochs that it gave since.
  const beyond = Math.floor(Date.now() / SECOND_MS);
  const sites = (await select(sql, ADMINISTRATIVE_RECORDS, "WHERE kind = 'site'")).flatMap(
    ({ id, value }) => {
      const { organisationId, retiredAt, incarnation } = value as {
        readonly organisationId: string;
        readonly retiredAt: number | null;
        readonly incarnation: string | null;
      };
      return retiredAt === null
        ? [{ name: nameOfIncarnation(id, incarnation), organisationId }]
        : [];
    },
  );
  for (const [organisationId, its] of Map.groupBy(sites, (site) => site.organisationId)) {
    const names = its.map(({ name }) => name);
    const events = await sql.rows<{ id: string }>(
      'SELECT id FROM event WHERE organisation_id = $1',
      [organisationId],
    );
    for (const { id } of events) {
      const home = asking((await homeIn(sql, id))?.home ?? AT_THE_CENTRE, names, beyond);
      if (home.at !== 'asking') continue;
      const value = { elsewhere: NOT_KNOWN_YET, organisationId, home };
      await putAdministrative(sql, { kind: 'event-home', id, value });
    }
  }
}

/** True for the store of a site, and for that of a centre. */
async function hasSites(sql: SqlConnection): Promise<boolean> {
  const found =
    "SELECT 1 AS one FROM administrative_record WHERE kind IN ('site', 'site-of') LIMIT 1";
  return (await sql.rows(found)).length > 0;
}

/**
 * Makes of a store that was copied or restored a new site without events, if it is one. A centre asks its sites. The caller holds a
 * transaction; no scan is decided meanwhile.
 */
export async function forgetSite(sql: SqlConnection): Promise<void> {
  if (!(await hasSites(sql))) return;
  await sql.keepScansOut();
  await moveRevision(sql);
  // Changes of tickets are not copied: sites of this centre, if it is one, ask for all tickets again.
  await deleteAdministrative(sql, { kind: 'site-feed', id: 'centre' });
  await askSites(sql);
  const siteOf = await select(sql, ADMINISTRATIVE_RECORDS, "WHERE kind = 'site-of'");
  for (const { id, value } of siteOf) {
    const forgotten = { ...(value as object), incarnation: null };
    await putAdministrative(sql, { kind: 'site-of', id, value: forgotten });
    const elsewhere = 'the centre: this store was copied or restored';
    await sql.run(
      "UPDATE administrative_record SET revision = revision + 1, value = $1 WHERE kind = 'event-home'",
      [JSON.stringify({ elsewhere, held: { epoch: 0, isOpen: false, after: 0 } })],
    );
  }
}
