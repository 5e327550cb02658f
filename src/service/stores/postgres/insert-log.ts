import type { ClientBase } from 'pg';
import type { LogEntry } from '../../../core/records.ts';
import { createPartition, partOf } from './log-partitions.ts';
import { storedText } from './stored-text.ts';

/** Makes the parts of the log that these entries go into; each in a transaction of its own, and harmless when it stays empty. */
export async function preparePartitions(
  client: ClientBase,
  entries: readonly Pick<LogEntry, 'at'>[],
): Promise<void> {
  for (const part of new Set(entries.map(partNow))) await createPartition(client, part);
}

/** Inside a transaction: entries with their numbers; the next scan gets the next number. */
export async function insertLog(client: ClientBase, entries: readonly LogEntry[]): Promise<void> {
  const column = (name: keyof LogEntry) => entries.map((entry) => entry[name]);
  const texts = (name: 'serial' | 'reader' | 'excerpt') =>
    entries.map((entry) => storedText(entry[name]));
  await client.query(LOG, [
    entries.map(partNow),
    ...[column('sequence'), column('at'), column('keyId'), texts('serial'), texts('reader')],
    ...[column('operation'), column('status'), column('reason'), column('ticketId')],
    ...[texts('excerpt'), column('usesConsumed'), column('replayed')],
    ...[column('direction'), column('done')],
  ]);
  await client.query("SELECT setval('scan_log_sequence', (SELECT max(sequence) FROM scan_log))");
}

function partNow({ at }: Pick<LogEntry, 'at'>): number {
  return partOf(at, Date.now());
}

/** Logged at no time: a number that is missing before one of them was missing where they come from, and nobody waits for it. */
const LOG = `
  INSERT INTO scan_log (logged_at, month, sequence, at, key_id, serial, reader, action, status, reason, ticket_id, excerpt,
    uses_consumed, replayed, direction, done)
  SELECT 0, * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::integer[], $13::boolean[], $14::text[], $15::text[])`;

/** Inside a transaction, in a part that is there already: an entry with the next number. @returns that number */
export async function appendLogEntry(
  client: ClientBase,
  entry: Omit<LogEntry, 'sequence'>,
): Promise<number> {
  const { at, keyId, serial, reader, operation, status, reason, ticketId } = entry;
  const { rows } = await client.query<{ sequence: number }>(
    `INSERT INTO scan_log (month, at, key_id, serial, reader, action, status, reason, ticket_id, excerpt, uses_consumed, replayed, direction)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING sequence`,
    [
      ...[partNow(entry), at, keyId, storedText(serial), storedText(reader), operation, status],
      ...[reason, ticketId, storedText(entry.excerpt), entry.usesConsumed, entry.replayed],
      entry.direction ?? null,
    ],
  );
  return rows[0]?.sequence ?? 0;
}

/** Inside the transaction that removes entries of a log: their uses are then kept beside the tickets. @param which a condition on `sequence` */
export function rememberUses(log: string, which: string): string {
  return `INSERT INTO pruned_use (ticket_id, uses)
    SELECT ticket_id, sum(CASE status WHEN 'undone' THEN -1 ELSE 1 END) FROM ${log}
    WHERE sequence ${which} AND status IN ('consumed', 'undone') AND NOT replayed AND ticket_id IS NOT NULL GROUP BY ticket_id
    ON CONFLICT (ticket_id) DO UPDATE SET uses = pruned_use.uses + excluded.uses`;
}
