import { LOG_ENDS, type LogEnds } from '../deletion.ts';
import type { PrunableLog } from '../store.ts';
import { putAdministrative } from './administrative-records.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { countEntries } from './scan-counts.ts';

/**
 * Waits until no other transaction removes entries. Call it before the transaction reads which entries it removes: two that removed the
 * same entries at once would keep their uses and counts twice.
 */
export function removeAlone(sql: SqlConnection): Promise<void> {
  return sql.takeTurn(`record ${LOG_ENDS.kind}`);
}

/**
 * Writes down the ends of the log, because later neither its oldest nor its newest entry tells them. It runs one step after `upTo` was
 * read: batches with lower numbers have ended since.
 */
export async function fixEnds(sql: SqlConnection, upTo: number): Promise<void> {
  const { oldest, settled } = await logEnds(sql);
  const ends: LogEnds = { prunedTo: oldest - 1, removedTo: Math.max(upTo, settled) };
  await putAdministrative(sql, { ...LOG_ENDS, value: ends });
}

/**
 * The first number that was not pruned (`oldest`), the last number of an entry (`newest`), and the number up to which no entry can come
 * any more (`settled`).
 */
export interface LogBounds {
  readonly oldest: number;
  readonly newest: number;
  readonly settled: number;
}

/** Reads both ends of the primary key. Each has its own SELECT, because only then it is one look-up. */
export async function logEnds(sql: SqlConnection): Promise<LogBounds> {
  const [row] = await sql.rows<{
    oldest: number;
    newest: number;
    ends: string | null;
  }>(
    `SELECT coalesce((SELECT min(sequence) FROM scan_log), 1) AS oldest,
      coalesce((SELECT max(sequence) FROM scan_log), 0) AS newest,
      (SELECT value FROM administrative_record WHERE kind = '${LOG_ENDS.kind}' AND id = '${LOG_ENDS.id}') AS ends`,
  );
  const { oldest, newest, ends } = row ?? { oldest: 1, newest: 0, ends: null };
  if (ends === null) return { oldest, newest, settled: 0 };
  const { prunedTo, removedTo } = JSON.parse(ends) as LogEnds;
  return { oldest: prunedTo + 1, newest: Math.max(newest, removedTo), settled: removedTo };
}

/** Notes up to which number entries were pruned; the caller holds the transaction that prunes them. */
export async function prunedUpTo(sql: SqlConnection, sequence: number): Promise<void> {
  const { oldest, settled } = await logEnds(sql);
  if (settled === 0 || sequence < oldest) return;
  const ends: LogEnds = { prunedTo: sequence, removedTo: settled };
  await putAdministrative(sql, { ...LOG_ENDS, value: ends });
}

/**
 * Keeps the uses of entries beside the tickets, and their counts; the caller holds the transaction that removes the entries.
 * @param log the table of the log, or a part of it @param which a condition on `sequence`
 */
export async function rememberEntries(
  sql: SqlConnection,
  log: string,
  which: string,
  values: readonly SqlValue[] = [],
): Promise<void> {
  const { column } = sql.loggedTicket;
  const { table, uses } = sql.unlogged;
  await sql.flushUses();
  await sql.run(
    `INSERT INTO ${table} (${column}, ${uses})
     SELECT ${column}, sum(CASE status WHEN 'undone' THEN -1 ELSE 1 END) FROM ${log}
     WHERE sequence ${which} AND status IN ('consumed', 'undone') AND NOT replayed AND ${column} IS NOT NULL GROUP BY ${column}
     ON CONFLICT (${column}) DO UPDATE SET ${uses} = ${table}.${uses} + excluded.${uses}`,
    values,
  );
  await sql.run(countEntries(sql, log, which, 'pruned'), values);
}

/** Removes entries; the caller holds a transaction. @param sequences the numbers of entries that were just read, never a text that somebody typed */
export async function dropEntries(sql: SqlConnection, sequences: readonly number[]): Promise<void> {
  const which = `IN (${sequences.join(', ')})`;
  await rememberEntries(sql, 'log_record', which);
  await sql.run(`DELETE FROM undone_use WHERE sequence ${which}`);
  await sql.run(`DELETE FROM scan_log WHERE sequence ${which}`);
}

/** Finds the first entry to keep. The newest always stays, because the next number follows from it. @returns its number, 0 in an empty log */
export async function firstKept(sql: SqlConnection, before: number): Promise<number> {
  const [ends] = await sql.rows<{ kept: number | null }>(
    `SELECT min(sequence) AS kept FROM (
       SELECT sequence FROM (SELECT sequence FROM scan_log WHERE at >= $1 ORDER BY sequence LIMIT 1) AS later
       UNION ALL SELECT max(sequence) FROM scan_log) AS ends`,
    [before],
  );
  return ends?.kept ?? 0;
}

export async function prunableLog(sql: SqlConnection, before: number): Promise<PrunableLog> {
  const [found] = await sql.rows<PrunableLog>(
    `SELECT count(*) AS entries, count(*) FILTER (WHERE status = 'consumed' AND NOT replayed) - count(*) FILTER (WHERE status = 'undone') AS uses,
       (SELECT at FROM scan_log WHERE sequence < $1 ORDER BY sequence LIMIT 1) AS "firstAt",
       (SELECT at FROM scan_log WHERE sequence < $1 ORDER BY sequence DESC LIMIT 1) AS "lastAt"
     FROM scan_log WHERE sequence < $1`,
    [await firstKept(sql, before)],
  );
  return found ?? { entries: 0, uses: 0, firstAt: null, lastAt: null };
}

/** The last entry that may go: at a site the last one that its centre has. */
export async function lastSent(sql: SqlConnection): Promise<number> {
  const [site] = await sql.rows<{ sent: number | null }>(
    `SELECT (SELECT CAST(${sql.memberOf('value', 'number')} AS bigint) FROM administrative_record WHERE kind = 'site-rows' AND id = 'sent') AS sent
     FROM administrative_record WHERE kind = 'site-of'`,
  );
  return site === undefined ? Number.MAX_SAFE_INTEGER : (site.sent ?? 0);
}

/** Removes the oldest entries, one by one. @returns how many */
export function pruneOldest(
  sql: SqlConnection,
  before: number,
  entriesMax: number,
): Promise<number> {
  return sql.inTransaction(async () => {
    await removeAlone(sql);
    const oldest = await sql.rows<{ sequence: number; at: number }>(
      `SELECT sequence, at FROM scan_log WHERE sequence < (SELECT max(sequence) FROM scan_log) AND sequence <= $2
       ORDER BY sequence LIMIT $1`,
      [entriesMax, await lastSent(sql)],
    );
    const kept = oldest.findIndex(({ at }) => at >= before);
    const removed = (kept === -1 ? oldest : oldest.slice(0, kept)).map(({ sequence }) => sequence);
    const last = removed.at(-1);
    if (last === undefined) return 0;
    await dropEntries(sql, removed);
    await prunedUpTo(sql, last);
    return removed.length;
  });
}
