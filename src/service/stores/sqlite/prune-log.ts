import type { DatabaseSync } from 'node:sqlite';
import { countEntries } from '../sql/scan-counts.ts';
import type { PrunableLog } from '../store.ts';
import { rememberUses, SqliteConnection } from './sqlite-connection.ts';

/** Where a deletion took entries out of the log, what is missing at its beginning need not have been pruned. */
const PRUNED_UP_TO = `
  UPDATE document SET value = json_set(value, '$.prunedTo', max(json_extract(value, '$.prunedTo'), ?))
  WHERE kind = 'log-ends' AND id = 'log'`;

/** The newest entry always stays, because the numbers go on from it. */
const FIRST_KEPT = `
  SELECT min(coalesce((SELECT sequence FROM scan_log WHERE at >= ? ORDER BY sequence LIMIT 1), newest), newest) AS sequence
  FROM (SELECT max(sequence) AS newest FROM scan_log)`;

export function prunableLog(database: DatabaseSync, before: number): PrunableLog {
  const kept = (database.prepare(FIRST_KEPT).get(before)?.['sequence'] as number | null) ?? 0;
  const sum = database
    .prepare(
      `SELECT count(*) AS entries, coalesce(sum((status = 'consumed' AND replayed = 0) - (status = 'undone')), 0) AS uses
       FROM scan_log WHERE sequence < ?`,
    )
    .get(kept);
  const atOf = (order: 'ASC' | 'DESC') =>
    (database
      .prepare(`SELECT at FROM scan_log WHERE sequence < ? ORDER BY sequence ${order} LIMIT 1`)
      .get(kept)?.['at'] as number | undefined) ?? null;
  return {
    entries: sum?.['entries'] as number,
    uses: sum?.['uses'] as number,
    firstAt: atOf('ASC'),
    lastAt: atOf('DESC'),
  };
}

/**
 * Removes the oldest entries inside a write transaction; the counters must hold them already.
 * @returns how many
 */
export function pruneOldest(database: DatabaseSync, before: number, entriesMax: number): number {
  const newest = database.prepare('SELECT max(sequence) AS sequence FROM scan_log').get();
  const oldest = database
    .prepare('SELECT sequence, at FROM scan_log WHERE sequence < ? ORDER BY sequence LIMIT ?')
    .all((newest?.['sequence'] as number | null) ?? 0, entriesMax);
  const kept = oldest.findIndex((row) => (row['at'] as number) >= before);
  const removed = kept === -1 ? oldest : oldest.slice(0, kept);
  const last = removed.at(-1)?.['sequence'];
  if (last === undefined) return 0;
  database.prepare(rememberUses('<= ?')).run(last);
  const dialect = new SqliteConnection(database);
  database.prepare(countEntries(dialect, 'log_record', '<= ?', 'pruned')).run(last);
  database.prepare('DELETE FROM scan_log WHERE sequence <= ?').run(last);
  database.prepare('DELETE FROM undone_use WHERE sequence <= ?').run(last);
  database.prepare(PRUNED_UP_TO).run(last);
  return removed.length;
}
