import type { ClientBase } from 'pg';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import { copyTargetNotEmpty } from '../store-errors.ts';
import {
  type CopyNote,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import { isUniqueViolation } from './failures.ts';
import { insertKey } from './key-rows.ts';
import { createPartition, partOf } from './log-partitions.ts';
import { insertEvent, insertOrganisation } from './organisation-rows.ts';
import { countSection } from './store-info.ts';
import { storedText } from './stored-text.ts';
import { insertIncoming } from './ticket-table.ts';
import { change, inTransaction } from './transaction.ts';

/** Writes a page and the note in one transaction. @throws TicketscanError `conflict` as `Store.importRecords` does */
export async function importRecords(
  client: ClientBase,
  page: RecordPage,
  note: CopyNote,
): Promise<void> {
  // Beside the transaction: a part of the log is made in one of its own, and does no harm when it stays empty.
  if (page.section === 'log') {
    for (const part of new Set(page.records.map(partNow))) await createPartition(client, part);
  }
  await inTransaction(client, async () => {
    await change(client);
    await refuseOtherContent(client, note);
    const write = WRITERS[page.section] as Writer<Section>;
    await write(client, page.records as readonly StoreRecords[Section][]).catch(refuseTwice);
    await client.query(
      'INSERT INTO unfinished_copy VALUES (1, $1) ON CONFLICT (only_row) DO UPDATE SET note = excluded.note',
      [JSON.stringify(note)],
    );
  });
}

export async function unfinishedCopy(client: ClientBase): Promise<CopyNote | undefined> {
  const { rows } = await client.query<{ note: string }>('SELECT note FROM unfinished_copy');
  return rows[0] && (JSON.parse(rows[0].note) as CopyNote);
}

export async function endImport(client: ClientBase): Promise<void> {
  await inTransaction(client, async () => {
    await change(client);
    await client.query('DELETE FROM unfinished_copy');
  });
}

/** An earlier run may still be at it in the database when the next one begins. */
function refuseTwice(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  const message =
    'Another process writes to the same copy, or did until now. Nothing of this page was copied; try again.';
  throw new TicketscanError('conflict', message, { cause: error });
}

async function refuseOtherContent(client: ClientBase, { source }: CopyNote): Promise<void> {
  const begun = await unfinishedCopy(client);
  if (begun) {
    if (begun.source !== source) throw copyTargetNotEmpty();
    return;
  }
  for (const section of SECTIONS) {
    if ((await countSection(client, section)) > 0) throw copyTargetNotEmpty();
  }
}

type Writer<Name extends Section> = (
  client: ClientBase,
  records: readonly StoreRecords[Name][],
) => Promise<void>;

const WRITERS: { readonly [Name in Section]: Writer<Name> } = {
  async organisations(client, records) {
    for (const organisation of records) await insertOrganisation(client, organisation);
  },

  async events(client, records) {
    for (const event of records) await insertEvent(client, event);
  },

  async keys(client, records) {
    for (const { record, hash, deletedAt } of records)
      await insertKey(client, record, hash, deletedAt);
  },

  tickets: (client, records) =>
    insertIncoming(
      client,
      records.map((record) => ({ ...record, usesOutsideLog: record.usesUnlogged })),
    ),

  async log(client, records) {
    await client.query(LOG, [
      records.map(partNow),
      ...(['sequence', 'at', 'keyId'] as const).map((name) => records.map((entry) => entry[name])),
      ...(['serial', 'reader'] as const).map((name) =>
        records.map((entry) => storedText(entry[name])),
      ),
      ...(['action', 'status', 'reason', 'ticketId'] as const).map((name) =>
        records.map((entry) => entry[name]),
      ),
      records.map(({ excerpt }) => storedText(excerpt)),
      ...(['usesConsumed', 'replayed'] as const).map((name) => records.map((entry) => entry[name])),
    ]);
    await client.query("SELECT setval('scan_log_sequence', (SELECT max(sequence) FROM scan_log))");
  },

  async requests(client, records) {
    for (const { keyId, month, requests } of records) {
      await client.query('INSERT INTO api_key_usage VALUES ($1, $2, 0, $3)', [
        keyId,
        month,
        requests,
      ]);
    }
  },

  async answers(client, records) {
    for (const { keyId, name, bodyHash, decision, expiresAt } of records) {
      const values = [keyId, name, bodyHash, JSON.stringify(decision), expiresAt];
      await client.query('INSERT INTO stored_answer VALUES ($1, $2, $3, $4, $5)', values);
    }
  },

  async devices(client, records) {
    for (const { keyId, serial, model, address, firmware, lastContactAt, clock } of records) {
      const texts = [serial, model, address, firmware].map(storedText);
      await client.query('INSERT INTO device VALUES ($1, $2, $3, $4, $5, $6, $7)', [
        keyId,
        ...texts,
        lastContactAt,
        storedText(clock),
      ]);
    }
  },

  async documents(client, records) {
    for (const { kind, id, revision, value } of records) {
      const values = [kind, id, revision, JSON.stringify(value)];
      await client.query('INSERT INTO document VALUES ($1, $2, $3, $4)', values);
    }
  },

  async trail(client, records) {
    for (const { sequence, at, organisationId, accountId, by, act, subject, details } of records) {
      await client.query(
        'INSERT INTO trail OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
        [sequence, at, organisationId, accountId, by, act, subject, JSON.stringify(details)],
      );
    }
    if (records.length > 0) await client.query(TRAIL_GOES_ON);
  },
};

function partNow({ at }: LogEntry): number {
  return partOf(at, Date.now());
}

const LOG = `
  INSERT INTO scan_log (month, sequence, at, key_id, serial, reader, action, status, reason, ticket_id, excerpt,
    uses_consumed, replayed)
  SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::integer[], $13::boolean[])`;

/** The next act gets the next number. */
const TRAIL_GOES_ON =
  "SELECT setval(pg_get_serial_sequence('trail', 'sequence'), (SELECT max(sequence) FROM trail))";
