import { randomUUID } from 'node:crypto';
import type { AdministrativeRecord } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { EventRecord, Organisation } from '../../core/records.ts';
import { kindOf, type Ticket } from '../../core/ticket.ts';
import type { RecordChange } from '../record-store.ts';
import { deleteAdministrative } from '../sql/administrative-records.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { insertKey, insertRecord, updateRecord } from '../sql/records.ts';
import { insert, update } from '../sql/rows.ts';
import { ADMINISTRATIVE_RECORDS } from '../sql/tables.ts';
import {
  checkEmptyEvent,
  checkNew,
  checkRoomForEvent,
  moveRevision,
  removeEvent,
  removeOrganisation,
  writeScope,
} from '../sql/write.ts';
import { TICKETS } from '../ticket-row.ts';
import type { StoredKey } from '../transfer/records.ts';
import { LISTS, type List } from './document.ts';
import type { Edit } from './edits.ts';

/** The functions that bring an edited row of a list into the tables. */
interface Writer {
  readonly write: (sql: SqlConnection, edit: Edit) => Promise<unknown>;
  readonly remove: (sql: SqlConnection, edit: Edit) => Promise<unknown>;
}

const WRITERS: Readonly<Record<List, Writer>> = {
  organisations: {
    write: (sql, { before, after }) =>
      (before ? updateRecord : insertRecord)(sql, 'organisation', after as Organisation),
    remove: (sql, { id }) => removeOrganisation(sql, id, 0, []),
  },
  events: {
    write: (sql, { before, after }) =>
      (before ? updateRecord : insertRecord)(sql, 'event', after as EventRecord),
    async remove(sql, { id }) {
      await checkEmptyEvent(sql, id, 0);
      await removeEvent(sql, id);
    },
  },
  keys: { write: writeKey, remove: removeKey },
  administrative: { write: writeAdministrative, remove: removeAdministrative },
  tickets: { write: writeTicket, remove: removeTicket },
};

/** @param list of the row that cannot be taken over @param why it names the row */
export type Refuse = (list: List, why: string) => Error;

/**
 * Applies the edits; the caller holds a transaction. A record is written after the one that it belongs to, and removed before it.
 * @param isNew whether the document is the whole store: then it may have more than an organisation may add, because its limits were lowered
 */
export async function applyEdits(
  sql: SqlConnection,
  edits: readonly Edit[],
  refuse: Refuse,
  isNew: boolean,
): Promise<void> {
  await moveRevision(sql);
  const of = (wanted: List, isRemoved: boolean) =>
    edits.filter(({ list, after }) => list === wanted && (after === null) === isRemoved);
  for (const list of LISTS.toReversed()) {
    for (const edit of of(list, true)) await applied(WRITERS[list].remove, sql, edit, refuse);
  }
  for (const edit of edits) await freeName(sql, edit);
  for (const list of LISTS) {
    for (const edit of of(list, false)) {
      if (!isNew) await applied(checkRoom, sql, edit, refuse);
      await applied(WRITERS[list].write, sql, edit, refuse);
    }
  }
}

const NAMED = { organisations: 'organisation', events: 'event' } as const;

/** Takes the name of a record that gets another one: two records may swap their names, and a new one may get an old name. */
async function freeName(sql: SqlConnection, { list, id, before, after }: Edit): Promise<void> {
  if (list !== 'organisations' && list !== 'events') return;
  const [old, next] = [before, after] as (Organisation | EventRecord | null)[];
  if (!old || !next || old.name === next.name) return;
  await sql.run(`UPDATE ${NAMED[list]} SET name = $2 WHERE id = $1`, [id, randomUUID()]);
}

/** Refuses a key or an event for which its organisation has no room. */
async function checkRoom(sql: SqlConnection, { list, before, after }: Edit): Promise<void> {
  if (list === 'keys' && before === null) await checkNew(sql, 'key', (after as StoredKey).record);
  if (list === 'events') {
    const change = { kind: 'event', before, after } as RecordChange;
    await checkRoomForEvent(sql, change);
  }
}

async function applied(
  work: (sql: SqlConnection, edit: Edit) => Promise<unknown>,
  sql: SqlConnection,
  edit: Edit,
  refuse: Refuse,
): Promise<void> {
  const { list, id } = edit;
  try {
    await work(sql, edit);
  } catch (error) {
    if (sql.isUniqueViolation(error))
      throw refuse(list, `${id} has a name or an identifier that another one has, or had before`);
    if (error instanceof TicketscanError) throw refuse(list, `${id}: ${error.message}`);
    throw error;
  }
}

async function writeKey(sql: SqlConnection, { before, after }: Edit): Promise<void> {
  const key = after as StoredKey;
  const { record, hash, previousHash } = key;
  if (before) {
    await updateRecord(sql, 'key', record);
    const values = [record.id, hash, previousHash];
    await sql.run('UPDATE api_key SET hash = $2, previous_hash = $3 WHERE id = $1', values);
  } else {
    await insertKey(sql, key);
  }
  await writeScope(sql, record);
}

/** The row of a deleted key stays, because the log may name it. */
async function removeKey(sql: SqlConnection, { id }: Edit): Promise<void> {
  const values = [id, Date.now(), false];
  await sql.run('UPDATE api_key SET deleted_at = $2, active = $3 WHERE id = $1', values);
}

async function writeAdministrative(sql: SqlConnection, edit: Edit): Promise<void> {
  if (edit.before) await removeAdministrative(sql, edit);
  await insert(sql, ADMINISTRATIVE_RECORDS, edit.after as AdministrativeRecord);
}

async function removeAdministrative(sql: SqlConnection, { before }: Edit): Promise<void> {
  await deleteAdministrative(sql, before as AdministrativeRecord);
}

async function writeTicket(sql: SqlConnection, { before, after }: Edit): Promise<void> {
  const ticket = after as Ticket;
  if (!before) {
    await sql.insertTickets([ticket]);
    return;
  }
  if (kindOf(ticket) !== kindOf(before as Ticket) && (await isLogged(sql, ticket.id)))
    throw scanned('the kind of a scanned ticket cannot be edited');
  await update(sql, TICKETS, ticket);
}

/** Refuses a scanned ticket: the log names it by its row, and the statistics count it by its kind. */
async function removeTicket(sql: SqlConnection, { id }: Edit): Promise<void> {
  if (await isLogged(sql, id)) throw scanned('a scanned ticket can be cancelled, not removed');
  await sql.deleteTickets([id]);
}

function scanned(why: string): TicketscanError {
  return new TicketscanError('conflict', `the log has scans of it; ${why}`);
}

async function isLogged(sql: SqlConnection, id: string): Promise<boolean> {
  const entry = `SELECT 1 AS one FROM scan_log WHERE ${sql.isLoggedTicket('$1')} LIMIT 1`;
  return (await sql.rows(entry, [id])).length > 0;
}
