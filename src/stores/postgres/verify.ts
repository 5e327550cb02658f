import type { ClientBase } from 'pg';
import { type CountMismatch, countMismatch, countsAgainstLog } from '../sql/scan-counts.ts';
import { type HomelessTickets, ticketsWithoutEvent } from '../sql/tickets.ts';
import type { VerifyReport } from '../store.ts';
import { type CounterMismatch, counterProblem, homelessTickets } from '../verify-words.ts';
import { PostgresConnection } from './postgres-connection.ts';

const PROBLEMS_SHOWN = 100;

/**
 * Every consume in the log took the next number of its ticket, once; the counter is the last of them. Numbers continue
 * from the uses that the log does not hold: imported or pruned ones. An undone use takes the counter back by one; the
 * entries of such a ticket are followed one by one.
 */
const COUNTERS_AGAINST_LOG = `
  WITH uses AS (
    SELECT ticket_id, sum(CASE status WHEN 'undone' THEN -1 ELSE 1 END) AS uses, bool_or(status = 'undone') AS undone,
      count(DISTINCT uses_consumed) AS different, min(uses_consumed) AS first, max(uses_consumed) AS last
    FROM scan_log WHERE status IN ('consumed', 'undone') AND NOT replayed GROUP BY ticket_id
  ), known AS (
    SELECT id, uses_allowed, uses_consumed, uses_outside_log + coalesce(p.uses, 0) AS earlier
    FROM ticket LEFT JOIN pruned_use p ON p.ticket_id = id
  ), steps AS (
    SELECT ticket_id, uses_consumed, CASE status WHEN 'undone' THEN -1 ELSE 1 END AS change,
      lag(uses_consumed) OVER (PARTITION BY ticket_id ORDER BY sequence) AS before
    FROM scan_log WHERE status IN ('consumed', 'undone') AND NOT replayed
      AND ticket_id IN (SELECT ticket_id FROM uses WHERE undone)
  ), missteps AS (
    SELECT DISTINCT s.ticket_id FROM steps s JOIN known k ON k.id = s.ticket_id
    WHERE s.uses_consumed <> coalesce(s.before, k.earlier) + s.change
  )
  SELECT coalesce(t.id, l.ticket_id) AS id, t.uses_allowed, t.uses_consumed, t.earlier,
    coalesce(l.uses, 0) AS uses, coalesce(l.different, 0) AS different, coalesce(l.first, 1) AS first,
    coalesce(l.last, 0) AS last
  FROM known t FULL JOIN uses l ON l.ticket_id = t.id
  WHERE t.id IS NULL OR t.uses_consumed > t.uses_allowed
    OR NOT (t.uses_consumed = t.earlier + coalesce(l.uses, 0)
      AND CASE WHEN l.undone THEN t.id NOT IN (SELECT ticket_id FROM missteps) ELSE
        coalesce(l.uses, 0) = coalesce(l.different, 0)
        AND t.uses_consumed = coalesce(l.last, t.earlier)
        AND (l.first IS NULL OR l.first = t.earlier + 1) END)
  LIMIT $1`;

/** The members of the ticket are null for uses of one that does not exist. */
type Mismatch = CounterMismatch | (Pick<CounterMismatch, 'id'> & { readonly uses_allowed: null });

/** Proves that counters equal the log, that no ticket is over its uses and no use is homeless; all at one moment. */
export async function verify(client: ClientBase): Promise<VerifyReport> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const tickets = await count(client, 'ticket');
    const scans = await count(client, 'scan_log');
    const { rows } = await client.query<Mismatch>(COUNTERS_AGAINST_LOG, [PROBLEMS_SHOWN]);
    const counts = await client.query<CountMismatch>(
      countsAgainstLog(new PostgresConnection(client)),
      [PROBLEMS_SHOWN],
    );
    const homeless = await client.query<HomelessTickets>(
      ticketsWithoutEvent(new PostgresConnection(client)),
      [PROBLEMS_SHOWN],
    );
    const problems = [
      ...rows.map(problemOf),
      ...homeless.rows.map(({ eventId, tickets: left, id }) => homelessTickets(eventId, left, id)),
      ...counts.rows.map(countMismatch),
    ];
    return { tickets, scans, problems };
  } finally {
    await client.query('ROLLBACK');
  }
}

async function count(client: ClientBase, table: 'ticket' | 'scan_log'): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
  return rows[0]?.rows ?? 0;
}

function problemOf(row: Mismatch): string {
  return row.uses_allowed === null
    ? `The log holds uses of ${row.id}, which does not exist.`
    : counterProblem(row);
}
