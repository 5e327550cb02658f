import {
  type LogPage,
  type LogSearch,
  logPage,
  type OutcomeCount,
  type OutcomeCounts,
  outcomeCondition,
  outcomeCounts,
  searchedRange,
} from '../log-search.ts';
import type { CountSearch, ScanSum } from '../store.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { logEnds } from './deletion.ts';
import { LOG_COLUMNS, type LogRow, logEntryFrom } from './log.ts';
import { sumScans } from './scan-counts.ts';
import { SqlUndo } from './undo.ts';

/** Numbers that are looked at for a gap: those of the newest entries, which alone may still be missing one. */
const GAP_SEARCH_MAX = 10_000;

/** Keys and organisations are looked up first, so that an entry is compared by what it holds itself. */
function conditionsOf(
  connection: SqlConnection,
  search: LogSearch,
  value: (one: SqlValue) => string,
): string[] {
  const { organisationId, ticketId, keyId, eventId, serial, outcome, fromAt, untilAt } = search;
  const { column, target } = connection.key;
  const ofKeys = (condition: string) =>
    `${column} IN (SELECT ${target} FROM api_key WHERE ${condition})`;
  const conditions: string[] = [];
  if (organisationId !== undefined) {
    conditions.push(ofKeys(`organisation_id = ${value(organisationId)}`));
  }
  if (keyId !== undefined) conditions.push(ofKeys(`id = ${value(keyId)}`));
  if (ticketId !== undefined) conditions.push(connection.isLoggedTicket(value(ticketId)));
  if (serial !== undefined) {
    conditions.push(`serial = ${value(connection.storedText(serial))}`);
  }
  if (fromAt !== undefined) conditions.push(`at >= ${value(fromAt)}`);
  if (untilAt !== undefined) conditions.push(`at <= ${value(untilAt)}`);
  if (outcome !== undefined) {
    const { statuses, reason } = outcomeCondition(outcome);
    const isStatus = connection.anyOf('status', value(statuses));
    conditions.push(`(${isStatus} OR reason = ${value(reason)})`);
  }
  if (eventId !== undefined) {
    const [first, last] = [value(`tkt_${eventId}_`), value(`tkt_${eventId}_~`)];
    conditions.push(`ticket_id > ${first} AND ticket_id < ${last}`);
  }
  return conditions;
}

/** Searches of the scan log. Methods are described in `Store`. */
export abstract class SqlLogSearch extends SqlUndo {
  /** A range of the primary key: the log has no other index, because every scan would pay for it. */
  searchLog(search: LogSearch): Promise<LogPage> {
    return this.patiently(async (connection) => {
      for (;;) {
        const page = await this.#searchOnce(connection, search);
        // Pruned meanwhile: what was just removed must not look as if it had not met the conditions.
        if (search.afterSequence === undefined) return page;
        if ((await logEnds(connection)).oldest <= page.oldest) return page;
      }
    });
  }

  async #searchOnce(connection: SqlConnection, search: LogSearch): Promise<LogPage> {
    const { oldest, newest } = await this.#settledBounds(connection, search);
    const range = searchedRange(search, newest, oldest);
    const values: SqlValue[] = [range.first, range.last, search.limit];
    const conditions = conditionsOf(connection, search, (value) => `$${values.push(value)}`);
    const order = search.afterSequence === undefined ? 'DESC' : 'ASC';
    const rows = await connection.rows<LogRow>(
      `SELECT ${LOG_COLUMNS} FROM log_record WHERE ${['sequence BETWEEN $1 AND $2', ...conditions].join(' AND ')}
     ORDER BY sequence ${order} LIMIT $3`,
      values,
    );
    const entries = rows.map((row) => logEntryFrom(connection, row));
    return logPage(search, range, newest, entries, oldest);
  }

  /**
   * The ends of the log. In a search forwards no entry up to its newest number can appear any more: the number is read first, because
   * batches that begin later have higher ones.
   */
  async #settledBounds(
    connection: SqlConnection,
    { afterSequence, searchMax }: Pick<LogSearch, 'afterSequence' | 'searchMax'>,
  ): Promise<{ oldest: number; newest: number }> {
    const bounds = await logEnds(connection);
    if (afterSequence === undefined || bounds.newest <= afterSequence) return bounds;
    const limit = Math.min(searchMax, GAP_SEARCH_MAX);
    const from = Math.max(afterSequence, bounds.settled);
    await connection.awaitLogGaps(from, bounds.newest, limit);
    if (bounds.oldest <= afterSequence + 1) return bounds;
    // The first entries of the log may have come last.
    return { oldest: (await logEnds(connection)).oldest, newest: bounds.newest };
  }

  countOutcomes(afterSequence: number, searchMax: number): Promise<OutcomeCounts> {
    return this.patiently(async (connection) => {
      const search = { afterSequence, searchMax };
      const { oldest, newest } = await this.#settledBounds(connection, search);
      const range = searchedRange(search, newest, oldest);
      const { column, target } = connection.key;
      const rows = await connection.rows<OutcomeCount>(
        `SELECT k.organisation_id AS "organisationId", k.id AS "keyId", c.serial, c.minute, c.status, c.reason, c.count FROM (
       SELECT ${column} AS key, serial, at / 60000 AS minute, status, reason, count(*) AS count FROM scan_log
       WHERE sequence BETWEEN $1 AND $2 AND action = 'consume' AND NOT replayed AND (direction IS NULL OR direction <> 'out' OR done IS NULL) GROUP BY 1, 2, 3, 4, 5
     ) c JOIN api_key k ON k.${target} = c.key`,
        [range.first, range.last],
      );
      const counts = rows.map((row) => ({ ...row, serial: connection.textFrom(row.serial) }));
      return outcomeCounts(afterSequence, range, newest, counts);
    });
  }

  sumScans(search: CountSearch): Promise<ScanSum[]> {
    return this.patiently((connection) => sumScans(connection, search));
  }
}
