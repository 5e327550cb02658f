import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { Occupancy } from '../../core/records.ts';
import { QUARTER_MS, type ScanCount } from '../../core/scan-count.ts';
import type { CountDimension, CountSearch, ScanSum } from '../store.ts';
import { notFound } from '../store-errors.ts';
import { writeAuditEntry } from './administrative-records.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { missingId } from './records.ts';
import { columnsOf, insert, recordFrom, rowsOf, select } from './rows.ts';
import { COUNTS, OCCUPANCY } from './tables.ts';

/** The differences between the databases in these statements. */
type Dialect = Pick<SqlConnection, 'key' | 'eventOfTicket' | 'countKey'>;

/** The quarter of an hour of an entry. It is right for times before 1970 too, although a division of integers rounds towards zero. */
const QUARTER = `(l.at - (l.at % ${QUARTER_MS} + ${QUARTER_MS}) % ${QUARTER_MS}) / ${QUARTER_MS}`;
/** A condition on an entry: it has no counter of uses, because its ticket did not exist at that time, or the ticket is gone. */
const WITHOUT_TICKET = 'l.uses_consumed IS NULL OR t.id IS NULL';
const KIND = `CASE WHEN ${WITHOUT_TICKET} THEN '' WHEN t.type = 'multi' AND t.uses_allowed = 9999 THEN 'permanent' ELSE t.type END`;
/** The outcome by which an entry is counted; `outcomeOf` of `core/scan-count.ts` finds the same of one. */
const OUTCOME = `CASE WHEN l.status <> 'consumed' THEN coalesce(l.reason, l.status)
  WHEN l.by_hand THEN CASE WHEN l.uses_consumed = 1 THEN 'first_use_by_hand' ELSE 'by_hand' END
  WHEN l.uses_consumed = 1 THEN 'first_use' ELSE 'consumed' END`;

/**
 * The event by which an entry is counted. Only the scan knew whether its organisation had the event then: without a ticket, an entry is
 * counted by its event if a counter of that quarter of an hour has it.
 */
function countedEvent({ key: { column }, eventOfTicket }: Dialect): string {
  const event = eventOfTicket('l.ticket_id');
  return `coalesce(CASE WHEN l.uses_consumed IS NOT NULL OR EXISTS (SELECT 1 FROM scan_count c
    WHERE c.quarter = ${QUARTER} AND c.${column} = l.${column} AND c.event_id = ${event} AND c.kind = '') THEN ${event} END, '')`;
}

/** The FROM clause for the entries of a log that are counted, as l, with their tickets as t. */
function countedEntries(log: string): string {
  return `${log} l LEFT JOIN ticket t ON t.id = l.ticket_id WHERE NOT l.replayed`;
}

/**
 * Counts entries of `log`: as scans in the transaction that writes them one by one, as pruned in the transaction that removes them.
 * @param which a condition on `l.sequence`
 */
export function countEntries(
  dialect: Dialect,
  log: string,
  which: string,
  as: 'scans' | 'pruned',
): string {
  const [scans, pruned] = as === 'scans' ? ['count(*)', '0'] : ['0', 'count(*)'];
  const event = countedEvent(dialect);
  const serial = "CASE WHEN length(l.serial) <= 100 THEN l.serial ELSE '' END";
  return `INSERT INTO scan_count (quarter, ${dialect.key.column}, event_id, kind, serial, operation, outcome, direction, scans, pruned)
    SELECT ${QUARTER}, l.${dialect.key.column}, ${event}, ${KIND}, ${serial}, l.operation, ${OUTCOME}, coalesce(l.direction, ''), ${scans}, ${pruned}
    FROM ${countedEntries(log)} AND l.sequence ${which} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT (${dialect.countKey}) DO UPDATE SET ${as} = scan_count.${as} + excluded.${as}`;
}

/**
 * Finds at most $1 counters that the log contradicts. Serials are left out, because not all of them are counted by
 * name, and events of scans without a ticket, because the log does not tell whether the organisation had the event then. Permanent cards are counted as multi-use cards, because a multi-use card may have become a permanent one.
 */
export function countsAgainstLog({ key, eventOfTicket }: Dialect): string {
  const event = `CASE WHEN ${WITHOUT_TICKET} THEN '' ELSE coalesce(${eventOfTicket('l.ticket_id')}, '') END`;
  return `SELECT s.quarter, coalesce(k.id, '') AS "keyId", s.event_id AS "eventId", s.outcome, s.direction, s.counted, s.logged
  FROM (
    SELECT quarter, key, event_id, kind, operation, outcome, direction,
      CAST(sum(counted) AS bigint) AS counted, CAST(sum(logged) AS bigint) AS logged
    FROM (
      SELECT ${QUARTER} AS quarter, l.${key.column} AS key, ${event} AS event_id,
        CASE WHEN ${WITHOUT_TICKET} THEN '' ELSE t.type END AS kind, l.operation, ${OUTCOME} AS outcome, coalesce(l.direction, '') AS direction,
        0 AS counted, count(*) AS logged
      FROM ${countedEntries('log_record')} GROUP BY 1, 2, 3, 4, 5, 6, 7
      UNION ALL
      SELECT quarter, ${key.column}, CASE kind WHEN '' THEN '' ELSE event_id END, CASE kind WHEN 'permanent' THEN 'multi' ELSE kind END, operation, outcome, direction, scans - pruned, 0
      FROM scan_count
    ) b GROUP BY quarter, key, event_id, kind, operation, outcome, direction HAVING sum(counted) <> sum(logged)
  ) s LEFT JOIN api_key k ON k.${key.target} = s.key LIMIT $1`;
}

/** Reads a page of the counters, in the order of their primary key; see `readPage`. */
export async function readCounts(
  sql: SqlConnection,
  after: string | null,
  limit: number,
): Promise<{ records: ScanCount[]; next: string | null }> {
  const { column } = sql.key;
  const names = `quarter, ${column}, event_id, kind, serial, operation, outcome, direction`;
  const order = names.replaceAll(/\w+/g, 'r.$&');
  const start = after === null ? FIRST_CURSOR : (JSON.parse(after) as SqlValue[]);
  const page = `SELECT ${names}, CAST(sum(scans) AS bigint) AS scans, CAST(sum(pruned) AS bigint) AS pruned
    FROM scan_count WHERE (${names}) > ($1, $2, $3, $4, $5, $6, $7, $8) GROUP BY ${names} ORDER BY ${names} LIMIT $9`;
  const rows = await sql.rows<ScanCount & { key: SqlValue }>(
    `SELECT r.${column} AS key, ${columnsOf(COUNTS.columns)} FROM ${rowsOf(sql, { ...COUNTS, rows: () => page })} ORDER BY ${order}`,
    [...start, limit],
  );
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    records: rows.map((row) => recordFrom(sql, COUNTS.columns, row)),
    next: last ? JSON.stringify(cursorOf(last)) : null,
  };
}

const FIRST_CURSOR: readonly SqlValue[] = [Number.MIN_SAFE_INTEGER, '', '', '', '', '', '', ''];

function cursorOf(row: ScanCount & { key: SqlValue }): SqlValue[] {
  const { quarter, key, eventId, kind, serial, operation, outcome, direction } = row;
  return [quarter, key, eventId, kind, serial, operation, outcome, direction];
}

/** Adds counters to those that exist. */
export async function writeCounts(
  sql: SqlConnection,
  records: readonly ScanCount[],
): Promise<void> {
  const sums =
    'scans = scan_count.scans + excluded.scans, pruned = scan_count.pruned + excluded.pruned';
  const onConflict = `ON CONFLICT (${sql.countKey}) DO UPDATE SET ${sums}`;
  for (const record of records) await insert(sql, COUNTS, record, onConflict);
}

/** The columns that a sum keeps apart besides operation, outcome and direction. */
const KEPT_APART = {
  quarter: ['c.quarter'],
  event: ['c.event_id AS "eventId"'],
  gate: ['k.id AS "keyId"', 'c.serial'],
  kind: ['c.kind'],
} as const satisfies Record<CountDimension, readonly string[]>;

/** Sums up counters in a range of the primary key; see `LogStore.sumScans`. */
export async function sumScans(sql: SqlConnection, search: CountSearch): Promise<ScanSum[]> {
  const { organisationId, fromQuarter, untilQuarter, by, eventId } = search;
  const { column, target } = sql.key;
  const columns = [
    ...by.flatMap((one) => KEPT_APART[one]),
    'c.operation',
    'c.outcome',
    'c.direction',
  ];
  const values: SqlValue[] = [fromQuarter, untilQuarter, organisationId];
  const ofEvent = eventId === undefined ? '' : `AND c.event_id = $${values.push(eventId)}`;
  const sums = await sql.rows<ScanSum>(
    `SELECT ${columns.join(', ')}, CAST(sum(c.scans) AS bigint) AS scans
     FROM scan_count c JOIN api_key k ON k.${target} = c.${column}
     WHERE c.quarter >= $1 AND c.quarter < $2 AND k.organisation_id = $3 ${ofEvent}
     GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`,
    values,
  );
  return sums.map((sum) =>
    sum.serial === undefined ? sum : { ...sum, serial: sql.textFrom(sum.serial) },
  );
}

/**
 * Removes and returns the counters of an event after one quarter, up to another; `writeCounts` then writes what stays. The caller holds a
 * transaction.
 */
export async function takeCounts(
  sql: SqlConnection,
  ...range: [eventId: string, after: number, upTo: number]
): Promise<ScanCount[]> {
  const { column, target } = sql.key;
  const keyId = `(SELECT k.id FROM api_key k WHERE k.${target} = scan_count.${column})`;
  const rows = await sql.rows<ScanCount>(
    `DELETE FROM scan_count WHERE event_id = $1 AND quarter > $2 AND quarter <= $3
     RETURNING ${columnsOf(COUNTS.columns, 'scan_count').replace('k.id', keyId)}`,
    range,
  );
  return rows.map((row) => recordFrom(sql, COUNTS.columns, row));
}

export function listOccupancy(
  sql: SqlConnection,
  eventIds?: readonly string[],
): Promise<Occupancy[]> {
  const which = eventIds ? `WHERE ${sql.anyOf('r.event_id', '$1')}` : '';
  const order = `ORDER BY ${sql.bytewise('r.event_id')}`;
  return select(sql, OCCUPANCY, `${which} ${order}`, eventIds ? [eventIds] : []);
}

/** Resets the count of people inside. Scans whose batch is not committed yet are counted after the reset. */
export function resetOccupancy(
  sql: SqlConnection,
  eventId: string,
  at: number,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  return sql.inTransaction(async () => {
    const unknown = await missingId(sql, 'event', [eventId], sql.forKeyShare);
    if (unknown !== undefined) throw notFound('event', unknown);
    await sql.run('UPDATE event_occupancy SET entered = 0, exited = 0 WHERE event_id = $1', [
      eventId,
    ]);
    await sql.run(
      `INSERT INTO event_occupancy (event_id, entered, exited, reset_at) VALUES ($1, 0, 0, $2)
           ON CONFLICT (event_id, shard) DO UPDATE SET reset_at = excluded.reset_at`,
      [eventId, at],
    );
    await writeAuditEntry(sql, auditEntry);
  });
}
