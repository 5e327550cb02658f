import { TicketscanError } from '../../core/errors.ts';
import { takenTicket } from '../record-rules.ts';
import { copyTargetNotEmpty } from '../store-errors.ts';
import type { CopyCheckpoint, RecordPage, Section, StoreRecords } from '../transfer/records.ts';
import { insertAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';
import { insertRecord, missingId } from './records.ts';
import { writeCounts } from './scan-counts.ts';
import { countSections } from './snapshot.ts';
import { insertUndoNote } from './undo.ts';
import { moveRevision, writeScope } from './write.ts';

export async function unfinishedCopy(
  connection: SqlConnection,
): Promise<CopyCheckpoint | undefined> {
  const [row] = await connection.rows<{ note: string }>('SELECT note FROM unfinished_copy');
  return row && (JSON.parse(row.note) as CopyCheckpoint);
}

/** An earlier run may still be at it in the database when the next one begins. */
function refuseTwice(connection: SqlConnection, error: unknown): never {
  if (!connection.isUniqueViolation(error)) throw error;
  const message =
    'Another process writes, or just wrote, to the same copy. Nothing of this page was copied; try again.';
  throw new TicketscanError('conflict', message, { cause: error });
}

async function refuseOtherContent(
  connection: SqlConnection,
  { source }: CopyCheckpoint,
): Promise<void> {
  const begun = await unfinishedCopy(connection);
  if (begun) {
    if (begun.source !== source) throw copyTargetNotEmpty();
    return;
  }
  const counts = Object.values(await countSections(connection));
  if (counts.some((count) => count > 0)) throw copyTargetNotEmpty();
}

async function write(connection: SqlConnection, page: RecordPage): Promise<void> {
  const writer = WRITERS[page.section] as Writer<Section>;
  await writer(connection, page.records as readonly StoreRecords[Section][]);
}

type Writer<Name extends Section> = (
  connection: SqlConnection,
  records: readonly StoreRecords[Name][],
) => Promise<void>;

const WRITERS: { readonly [Name in Section]: Writer<Name> } = {
  async organisations(connection, records) {
    for (const one of records) await insertRecord(connection, 'organisation', one);
  },

  async events(connection, records) {
    for (const one of records) await insertRecord(connection, 'event', one);
  },

  async keys(connection, records) {
    for (const { record, hash, previousHash, deletedAt } of records) {
      const more = { hash, previous_hash: previousHash, deleted_at: deletedAt };
      await insertRecord(connection, 'key', record, more);
      await writeScope(connection, record);
    }
  },

  async tickets(connection, records) {
    const inserted = await connection.insertTickets(records);
    if (inserted.length < records.length) throw takenTicket(records, inserted);
  },

  async log(connection, records) {
    await refuseUnknownKeys(connection, records);
    await connection.insertLog(records);
    for (const { sequence, undo } of records) {
      if (undo) await insertUndoNote(connection, sequence, undo);
    }
  },

  async requests(connection, records) {
    await refuseUnknownKeys(connection, records);
    const { column } = connection.key;
    const insert = `INSERT INTO api_key_usage (${column}, month, requests, last_used_at) VALUES (${keyAt(connection)}, $2, $3, $4)`;
    for (const { keyId, month, requests, lastUsedAt } of records) {
      await connection.run(insert, [keyId, month, requests, lastUsedAt]);
    }
  },

  async answers(connection, records) {
    await refuseUnknownKeys(connection, records);
    const insert = `INSERT INTO stored_answer VALUES (${keyAt(connection)}, $2, $3, $4, $5)`;
    for (const { keyId, name, bodyHash, decision, expiresAt } of records) {
      const values = [keyId, name, bodyHash, JSON.stringify(decision), expiresAt];
      await connection.run(insert, values);
    }
  },

  async devices(connection, records) {
    await refuseUnknownKeys(connection, records);
    const insert = `INSERT INTO device VALUES (${keyAt(connection)}, $2, $3, $4, $5, $6, $7)`;
    const text = (value: string | null) => connection.storedText(value);
    for (const { keyId, serial, model, address, firmware, lastContactAt, clock } of records) {
      const said = [serial, model, address, firmware].map(text);
      await connection.run(insert, [keyId, ...said, lastContactAt, text(clock)]);
    }
  },

  async occupancy(connection, records) {
    const insert =
      'INSERT INTO event_occupancy (event_id, entered, exited, reset_at) VALUES ($1, $2, $3, $4)';
    for (const { eventId, entered, exited, resetAt } of records) {
      await connection.run(insert, [eventId, entered, exited, resetAt]);
    }
  },

  async documents(connection, records) {
    for (const { kind, id, revision, value } of records) {
      const values = [kind, id, revision, JSON.stringify(value)];
      await connection.run('INSERT INTO document VALUES ($1, $2, $3, $4)', values);
    }
  },

  async trail(connection, records) {
    for (const entry of records) await insertAuditEntry(connection, entry);
    if (records.length > 0) await connection.continueAuditLog();
  },

  async counts(connection, records) {
    await refuseUnknownKeys(connection, records);
    await writeCounts(connection, records);
  },
};

/** The key named by the first value, as other tables name it. */
function keyAt(connection: SqlConnection): string {
  return `(SELECT ${connection.key.target} FROM api_key WHERE id = $1)`;
}

/** @throws TicketscanError `store_damaged` when a record names a key that never came */
async function refuseUnknownKeys(
  connection: SqlConnection,
  records: readonly { readonly keyId: string }[],
): Promise<void> {
  const ids = records.map(({ keyId }) => keyId);
  const unknown = await missingId(connection, 'api_key', ids);
  if (unknown === undefined) return;
  throw new TicketscanError(
    'store_damaged',
    `The source is damaged: it refers to ${unknown}, which it does not contain. Nothing of this page was copied.`,
  );
}

/** Writes a page and the note in one transaction. @throws TicketscanError `conflict` as `Store.importRecords` does */
export async function importRecords(
  connection: SqlConnection,
  page: RecordPage,
  checkpoint: CopyCheckpoint,
): Promise<void> {
  await connection.inTransaction(async () => {
    await moveRevision(connection);
    await refuseOtherContent(connection, checkpoint);
    await write(connection, page).catch((error) => refuseTwice(connection, error));
    await connection.run(
      'INSERT INTO unfinished_copy VALUES (1, $1) ON CONFLICT (only_row) DO UPDATE SET note = excluded.note',
      [JSON.stringify(checkpoint)],
    );
  });
}

export async function endImport(connection: SqlConnection): Promise<void> {
  await connection.inTransaction(async () => {
    await moveRevision(connection);
    await connection.run('DELETE FROM unfinished_copy');
  });
}
