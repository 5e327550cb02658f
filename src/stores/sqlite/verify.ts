import type { DatabaseSync } from 'node:sqlite';
import { type CountMismatch, countMismatch, countsAgainstLog } from '../sql/scan-counts.ts';
import { type HomelessTickets, ticketsWithoutEvent } from '../sql/tickets.ts';
import type { VerifyReport } from '../store.ts';
import { type CounterMismatch, counterProblem, homelessTickets } from '../verify-words.ts';
import { SqliteConnection } from './sqlite-connection.ts';

const PROBLEMS_SHOWN = 100;

/**
 * Every consume in the log took the next number of its ticket, once; the counter is the last of them. The numbers of a
 * ticket whose first uses are not in the log, because they were imported or pruned, continue from those.
 * An undone use takes the counter back by one; the entries of such a ticket are followed one by one.
 */
const COUNTERS_AGAINST_LOG = `
  WITH uses AS (
    SELECT ticket, sum(CASE status WHEN 'undone' THEN -1 ELSE 1 END) AS uses, max(status = 'undone') AS undone,
      count(DISTINCT uses_consumed) AS different, min(uses_consumed) AS first, max(uses_consumed) AS last
    FROM scan_log WHERE status IN ('consumed', 'undone') AND replayed = 0 GROUP BY ticket
  ), steps AS (
    SELECT ticket, uses_consumed, CASE status WHEN 'undone' THEN -1 ELSE 1 END AS change,
      lag(uses_consumed) OVER (PARTITION BY ticket ORDER BY sequence) AS before
    FROM scan_log WHERE status IN ('consumed', 'undone') AND replayed = 0
      AND ticket IN (SELECT ticket FROM uses WHERE undone)
  ), missteps AS (
    SELECT DISTINCT s.ticket FROM steps s LEFT JOIN ticket_import i ON i.ticket = s.ticket
    WHERE s.uses_consumed <> coalesce(s.before, i.uses_consumed, 0) + s.change
  )
  SELECT t.id, t.uses_allowed, u.uses_consumed, coalesce(l.uses, 0) AS uses,
    coalesce(l.different, 0) AS different, coalesce(l.first, 1) AS first, coalesce(l.last, 0) AS last,
    coalesce(i.uses_consumed, 0) AS earlier
  FROM ticket t LEFT JOIN main.ticket_now u ON u.ticket = t.ordinal LEFT JOIN uses l ON l.ticket = t.ordinal
    LEFT JOIN ticket_import i ON i.ticket = t.ordinal
  WHERE u.uses_consumed IS NULL OR u.uses_consumed > t.uses_allowed
    OR NOT (u.uses_consumed = coalesce(i.uses_consumed, 0) + coalesce(l.uses, 0)
      AND CASE WHEN l.undone THEN t.ordinal NOT IN (SELECT ticket FROM missteps) ELSE
        coalesce(l.uses, 0) = coalesce(l.different, 0)
        AND u.uses_consumed = coalesce(l.last, i.uses_consumed, 0)
        AND (l.first IS NULL OR l.first = coalesce(i.uses_consumed, 0) + 1) END)
  LIMIT ?`;

const USES_OF_NOTHING = `
  SELECT sequence FROM scan_log l
  WHERE status IN ('consumed', 'undone') AND replayed = 0 AND (ticket IS NULL OR NOT EXISTS (SELECT 1 FROM ticket t WHERE t.ordinal = l.ticket)) LIMIT ?`;

/** Proves a database: its pages are sound, counters equal the log, no ticket is over its uses, no use is homeless. */
export function verify(database: DatabaseSync): VerifyReport {
  return {
    tickets: count(database, 'ticket'),
    scans: count(database, 'scan_log'),
    problems: [
      ...pageProblems(database),
      ...counterProblems(database),
      ...homelessUses(database),
      ...ticketProblems(database),
      ...statisticsProblems(database),
    ],
  };
}

function count(database: DatabaseSync, table: 'ticket' | 'scan_log'): number {
  return database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows'] as number;
}

function pageProblems(database: DatabaseSync): string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${PROBLEMS_SHOWN})`).all();
  const found = rows.map((row) => String(row['integrity_check']));
  return found
    .filter((text) => text !== 'ok')
    .map((text) => `The database file is damaged: ${text}`);
}

function counterProblems(database: DatabaseSync): string[] {
  const rows = database.prepare(COUNTERS_AGAINST_LOG).all(PROBLEMS_SHOWN);
  return rows.map((row) => {
    if (row['uses_consumed'] === null) return `Ticket ${row['id']} has no counter.`;
    return counterProblem(row as unknown as CounterMismatch);
  });
}

function homelessUses(database: DatabaseSync): string[] {
  const rows = database.prepare(USES_OF_NOTHING).all(PROBLEMS_SHOWN);
  return rows.map(
    (row) => `Log entry ${row['sequence']} is a use of a ticket that does not exist.`,
  );
}

function ticketProblems(database: DatabaseSync): string[] {
  const statement = ticketsWithoutEvent(new SqliteConnection(database)).replace('$1', '?');
  const rows = database.prepare(statement).all(PROBLEMS_SHOWN) as unknown as HomelessTickets[];
  return rows.map(({ eventId, tickets, id }) => homelessTickets(eventId, tickets, id));
}

function statisticsProblems(database: DatabaseSync): string[] {
  const statement = countsAgainstLog(new SqliteConnection(database)).replace('$1', '?');
  const rows = database.prepare(statement).all(PROBLEMS_SHOWN);
  return rows.map((row) => countMismatch(row as unknown as CountMismatch));
}
