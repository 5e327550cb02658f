import type { VerifyReport } from '../store.ts';
import {
  type CountMismatch,
  countsOtherScans,
  countsOtherUses,
  homelessTickets,
  numberedOtherwise,
  usedTooOften,
} from '../verify-words.ts';
import type { SqlConnection } from './connection.ts';
import { countsAgainstLog } from './scan-counts.ts';

export const PROBLEMS_SHOWN = 100;
const MORE_PROBLEMS = `There are more of these: ${PROBLEMS_SHOWN} of one kind are listed.`;

const USES = "status IN ('consumed', 'undone') AND NOT replayed";
const CHANGE = "CASE status WHEN 'undone' THEN -1 ELSE 1 END";

/**
 * Finds at most $1 tickets that break this rule: every consume in the log took the next number of its ticket, once, and the counter is the
 * last of them. The numbers of a ticket whose first uses are not in the log, because they were imported or pruned, continue from those. An
 * undone use takes the counter back by one, so the entries of such a ticket are followed one by one.
 */
function countersAgainstLog({ loggedTicket: { column }, counters }: SqlConnection): string {
  return `WITH uses AS (
    SELECT ${column} AS ticket, sum(${CHANGE}) AS uses, sum(CASE status WHEN 'undone' THEN 1 ELSE 0 END) > 0 AS undone,
      count(DISTINCT uses_consumed) AS different, min(uses_consumed) AS first, max(uses_consumed) AS last
    FROM scan_log WHERE ${USES} GROUP BY ${column}
  ), known AS (${counters}
  ), steps AS (
    SELECT ${column} AS ticket, uses_consumed, ${CHANGE} AS change,
      lag(uses_consumed) OVER (PARTITION BY ${column} ORDER BY sequence) AS before
    FROM scan_log WHERE ${USES} AND ${column} IN (SELECT ticket FROM uses WHERE undone)
  ), missteps AS (
    SELECT DISTINCT s.ticket FROM steps s JOIN known k ON k.ticket = s.ticket
    WHERE s.uses_consumed <> coalesce(s.before, k.earlier) + s.change
  )
  SELECT t.id, t.uses_allowed, t.uses_consumed, t.earlier, coalesce(l.uses, 0) AS uses,
    coalesce(l.different, 0) AS different, coalesce(l.first, 1) AS first, coalesce(l.last, 0) AS last
  FROM known t LEFT JOIN uses l ON l.ticket = t.ticket
  WHERE t.uses_consumed IS NULL OR t.uses_consumed > t.uses_allowed
    OR NOT (t.uses_consumed = t.earlier + coalesce(l.uses, 0)
      AND CASE WHEN l.undone THEN t.ticket NOT IN (SELECT ticket FROM missteps) ELSE
        coalesce(l.uses, 0) = coalesce(l.different, 0)
        AND t.uses_consumed = coalesce(l.last, t.earlier)
        AND (l.first IS NULL OR l.first = t.earlier + 1) END)
  LIMIT $1`;
}

function usesOfNothing({ loggedTicket: { column, target } }: SqlConnection): string {
  return `SELECT sequence FROM scan_log l
    WHERE ${USES} AND (${column} IS NULL OR NOT EXISTS (SELECT 1 FROM ticket t WHERE t.${target} = l.${column})) LIMIT $1`;
}

/** Finds tickets whose event does not exist: no list shows them. */
function ticketsWithoutEvent({ eventOfTicket }: SqlConnection): string {
  return `SELECT event_id AS "eventId", count(*) AS tickets, min(id) AS id
    FROM (SELECT id, ${eventOfTicket('id')} AS event_id FROM ticket) AS t
    WHERE event_id NOT IN (SELECT id FROM event UNION SELECT id FROM administrative_record WHERE kind = 'deletion')
    GROUP BY event_id ORDER BY event_id LIMIT $1`;
}

/** A ticket whose counter disagrees with the log. */
interface CounterMismatch {
  readonly id: string;
  readonly uses_allowed: number;
  readonly uses_consumed: number | null;
  /** The number of uses that the log does not hold, because they were imported or pruned. */
  readonly earlier: number;
  /** The number of uses in the log, without those taken back. */
  readonly uses: number;
  /** How many different numbers these uses have, and the lowest and highest number. */
  readonly different: number;
  readonly first: number;
  readonly last: number;
}

function counterProblem(mismatch: CounterMismatch): string {
  const { id, uses_allowed: allowed, uses_consumed: counter, earlier, uses } = mismatch;
  if (counter === null) return `Ticket ${id} has no counter.`;
  if (counter > allowed) return usedTooOften(id, counter, allowed);
  if (counter !== earlier + uses) return countsOtherUses(id, counter, uses, earlier);
  const found = ` (${mismatch.different} different, ${mismatch.first} to ${mismatch.last})`;
  return numberedOtherwise(id, earlier + 1, counter, found);
}

interface HomelessTickets {
  readonly eventId: string;
  readonly tickets: number;
  readonly id: string;
}

/** Proves that counters equal the log, that no ticket has too many uses, and that each use has its ticket and each ticket its event. */
export async function verify(sql: SqlConnection): Promise<VerifyReport> {
  const cut: string[] = [];
  const found = async <Row>(statement: string): Promise<Row[]> => {
    const rows = await sql.rows<Row>(statement, [PROBLEMS_SHOWN + 1]);
    if (rows.length > PROBLEMS_SHOWN) cut.push(MORE_PROBLEMS);
    return rows.slice(0, PROBLEMS_SHOWN);
  };
  const [counts] = await sql.rows<Pick<VerifyReport, 'tickets' | 'scans'>>(
    'SELECT (SELECT count(*) FROM ticket) AS tickets, (SELECT count(*) FROM scan_log) AS scans',
  );
  const counters = await found<CounterMismatch>(countersAgainstLog(sql));
  const uses = await found<{ sequence: number }>(usesOfNothing(sql));
  const tickets = await found<HomelessTickets>(ticketsWithoutEvent(sql));
  const statistics = await found<CountMismatch>(countsAgainstLog(sql));
  const problems = [
    ...counters.map(counterProblem),
    ...uses.map(
      ({ sequence }) => `Log entry ${sequence} is a use of a ticket that does not exist.`,
    ),
    ...tickets.map((of) => homelessTickets(of.eventId, of.tickets, of.id)),
    ...statistics.map(countsOtherScans),
    ...cut,
  ];
  return { tickets: counts?.tickets ?? 0, scans: counts?.scans ?? 0, problems };
}
