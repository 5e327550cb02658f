import type { ClientBase } from 'pg';
import {
  type LogPage,
  type LogSearch,
  logPage,
  type OutcomeCount,
  type OutcomeCounts,
  outcomeCondition,
  outcomeCounts,
  searchedRange,
} from '../../core/log-search.ts';
import { gapsClosed, LOG_SELECT, type LogRow, logEntryFrom } from './log-table.ts';
import { textFrom } from './stored-text.ts';

/** Numbers that are looked at for a gap: those of the newest entries, which alone may still be missing one. */
const GAP_SEARCH_MAX = 10_000;

/** A range of the primary key in each month: the log has no other index, because every scan would pay for it. */
export async function searchLog(client: ClientBase, search: LogSearch): Promise<LogPage> {
  const { afterSequence } = search;
  if (afterSequence !== undefined) {
    await gapsClosed(client, afterSequence, Math.min(search.searchMax, GAP_SEARCH_MAX));
  }
  const { oldest, newest } = await boundsOf(client);
  const range = searchedRange(search, newest, oldest);
  const values: unknown[] = [range.first, range.last, search.limit];
  const conditions = conditionsOf(search, (value) => `$${values.push(value)}`);
  const order = afterSequence === undefined ? 'DESC' : 'ASC';
  const { rows } = await client.query<LogRow>(
    `${LOG_SELECT} WHERE ${['sequence BETWEEN $1 AND $2', ...conditions].join(' AND ')} ORDER BY sequence ${order} LIMIT $3`,
    values,
  );
  return logPage(search, range, newest, rows.map(logEntryFrom), oldest);
}

async function boundsOf(client: ClientBase): Promise<{ oldest: number; newest: number }> {
  const { rows } = await client.query<{ oldest: number; newest: number }>(
    `SELECT coalesce((SELECT min(sequence) FROM scan_log), 1) AS oldest,
      coalesce((SELECT max(sequence) FROM scan_log), 0) AS newest`,
  );
  return rows[0] ?? { oldest: 1, newest: 0 };
}

function conditionsOf(search: LogSearch, value: (one: unknown) => string): string[] {
  const { organisationId, ticketId, keyId, eventId, outcome, fromAt, untilAt } = search;
  const conditions: string[] = [];
  if (organisationId !== undefined) {
    conditions.push(
      `key_id IN (SELECT id FROM api_key WHERE organisation_id = ${value(organisationId)})`,
    );
  }
  if (keyId !== undefined) conditions.push(`key_id = ${value(keyId)}`);
  if (ticketId !== undefined) conditions.push(`ticket_id = ${value(ticketId)}`);
  if (fromAt !== undefined) conditions.push(`at >= ${value(fromAt)}`);
  if (untilAt !== undefined) conditions.push(`at <= ${value(untilAt)}`);
  if (outcome !== undefined) {
    const { statuses, reason } = outcomeCondition(outcome);
    conditions.push(`(status = ANY(${value(statuses)}::text[]) OR reason = ${value(reason)})`);
  }
  if (eventId !== undefined) {
    conditions.push(
      `ticket_id > ${value(`tkt_${eventId}_`)} AND ticket_id < ${value(`tkt_${eventId}_~`)}`,
    );
  }
  return conditions;
}

export async function countOutcomes(
  client: ClientBase,
  afterSequence: number,
  searchMax: number,
): Promise<OutcomeCounts> {
  await gapsClosed(client, afterSequence, Math.min(searchMax, GAP_SEARCH_MAX));
  const { oldest, newest } = await boundsOf(client);
  const range = searchedRange({ afterSequence, searchMax }, newest, oldest);
  const { rows } = await client.query<OutcomeCount>(COUNT, [range.first, range.last]);
  const counts = rows.map((row) => ({ ...row, serial: textFrom(row.serial) }));
  return outcomeCounts(afterSequence, range, newest, counts);
}

const COUNT = `
  SELECT k.organisation_id AS "organisationId", c.* FROM (
    SELECT key_id AS "keyId", serial, floor(at / 60000)::bigint AS minute, status, reason, count(*) AS count FROM scan_log
    WHERE sequence BETWEEN $1 AND $2 AND action = 'consume' AND NOT replayed GROUP BY 1, 2, 3, 4, 5
  ) c JOIN api_key k ON k.id = c."keyId"`;
