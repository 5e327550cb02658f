import type { DatabaseSync } from 'node:sqlite';
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
import { LOG_SELECT, logEntryFrom } from './log-table.ts';

type Value = string | number;

/** A range of the primary key: the log has no other index, because every scan would pay for it. */
export function searchLog(database: DatabaseSync, search: LogSearch): LogPage {
  const { oldest, newest } = boundsOf(database);
  const range = searchedRange(search, newest, oldest);
  const [conditions, values] = conditionsOf(search);
  const order = search.afterSequence === undefined ? 'DESC' : 'ASC';
  const sql = `${LOG_SELECT} WHERE l.sequence BETWEEN ? AND ?${conditions.map((one) => ` AND ${one}`).join('')}
    ORDER BY l.sequence ${order} LIMIT ?`;
  const rows = database.prepare(sql).all(range.first, range.last, ...values, search.limit);
  return logPage(search, range, newest, rows.map(logEntryFrom), oldest);
}

/** Both ends of the primary key: each is one look-up only where it is asked for alone. */
function boundsOf(database: DatabaseSync): { oldest: number; newest: number } {
  const sql = `SELECT coalesce((SELECT min(sequence) FROM scan_log), 1) AS oldest,
    coalesce((SELECT max(sequence) FROM scan_log), 0) AS newest`;
  const row = database.prepare(sql).get();
  return { oldest: row?.['oldest'] as number, newest: row?.['newest'] as number };
}

/** Keys and organisations become row numbers first, so that an entry is compared by what stands in it. */
function conditionsOf(search: LogSearch): [conditions: string[], values: Value[]] {
  const { organisationId, ticketId, keyId, eventId, outcome, fromAt, untilAt } = search;
  const conditions: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...given: Value[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (organisationId !== undefined) {
    add(
      'l.api_key IN (SELECT id FROM api_key WHERE organisation = (SELECT id FROM organisation WHERE public_id = ?))',
      organisationId,
    );
  }
  if (keyId !== undefined) add('l.api_key = (SELECT id FROM api_key WHERE public_id = ?)', keyId);
  if (ticketId !== undefined) {
    const ofTicket =
      '(l.ticket = (SELECT id FROM ticket WHERE public_id = ?) OR l.ticket_text = ?)';
    add(ofTicket, ticketId, ticketId);
  }
  if (fromAt !== undefined) add('l.at >= ?', fromAt);
  if (untilAt !== undefined) add('l.at <= ?', untilAt);
  if (outcome !== undefined) {
    const { statuses, reason } = outcomeCondition(outcome);
    add(`(l.status IN (${statuses.map(() => '?').join()}) OR l.reason = ?)`, ...statuses, reason);
  }
  if (eventId !== undefined) {
    const id = 'coalesce(t.public_id, l.ticket_text)';
    add(`${id} > ? AND ${id} < ?`, `tkt_${eventId}_`, `tkt_${eventId}_~`);
  }
  return [conditions, values];
}

const COUNT = `SELECT o.public_id AS organisation_id, k.public_id AS key_id, c.* FROM (
    SELECT api_key, serial, at / 60000 AS minute, status, reason, count(*) AS count FROM scan_log
    WHERE sequence BETWEEN ? AND ? AND action = 'consume' AND replayed = 0 GROUP BY 1, 2, 3, 4, 5
  ) c JOIN api_key k ON k.id = c.api_key JOIN organisation o ON o.id = k.organisation`;

export function countOutcomes(
  database: DatabaseSync,
  afterSequence: number,
  searchMax: number,
): OutcomeCounts {
  const { oldest, newest } = boundsOf(database);
  const range = searchedRange({ afterSequence, searchMax }, newest, oldest);
  const rows = database.prepare(COUNT).all(range.first, range.last);
  return outcomeCounts(afterSequence, range, newest, rows.map(countFrom));
}

function countFrom(row: Record<string, unknown>): OutcomeCount {
  return {
    organisationId: row['organisation_id'] as string,
    keyId: row['key_id'] as string,
    serial: row['serial'] as string | null,
    minute: row['minute'] as number,
    status: row['status'] as OutcomeCount['status'],
    reason: row['reason'] as string | null,
    count: row['count'] as number,
  };
}
