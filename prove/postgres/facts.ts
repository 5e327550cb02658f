import pg from 'pg';
import type { LogFact, RequestsFact, StoreFacts, TicketFact } from '../history/facts.ts';

const ANSWER_TIMEOUT_MS = 60_000;

/** Reads a PostgreSQL store, all at one moment. @throws Error when the server cannot be reached or lacks the tables */
export async function readPostgresFacts(url: string): Promise<StoreFacts> {
  const client = new pg.Client({ connectionString: url, query_timeout: ANSWER_TIMEOUT_MS });
  await client.connect();
  const rows = async <Row>(statement: string) => (await client.query(statement)).rows as Row[];
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const [tickets, log] = [await rows<TicketRow>(TICKETS), await rows<LogFact>(LOG)];
    const keys = await rows<{ id: string; state: 'active' | 'disabled' | 'deleted' }>(KEYS);
    const requests = await rows<RequestsFact>(REQUESTS);
    const damage = [...(await rows<Damage>(COUNTERS)), ...(await rows<Damage>(STATISTICS))];
    return {
      tickets: new Map(tickets.map(({ id, ...fact }) => [id, fact])),
      log,
      requests,
      keys: new Map(keys.map(({ id, state }) => [id, state])),
      damage: damage.map(({ text }) => text),
    };
  } finally {
    await client.end();
  }
}

interface TicketRow extends TicketFact {
  readonly id: string;
}

interface Damage {
  readonly text: string;
}

/** The driver gives a bigint as a string; as a double it is exact up to 2^53. */
const TICKETS = `
  SELECT t.id, uses_allowed AS "usesAllowed", uses_consumed AS "usesConsumed",
    uses_outside_log + coalesce(p.uses, 0) AS "usesBrought",
    valid_from::double precision AS "validFrom", valid_until::double precision AS "validUntil",
    cancelled_at IS NOT NULL AS cancelled
  FROM ticket t LEFT JOIN pruned_use p ON p.ticket_id = t.id`;

const LOG = `
  SELECT sequence::double precision AS sequence, at::double precision AS at, key_id AS key, operation AS action, status, ticket_id AS ticket,
    uses_consumed AS "usesConsumed", replayed
  FROM scan_log ORDER BY scan_log.sequence`;

const REQUESTS = `
  SELECT key_id AS key, month, sum(requests)::double precision AS requests FROM api_key_usage GROUP BY key_id, month`;

const KEYS = `
  SELECT id, CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN active THEN 'active' ELSE 'disabled' END AS state
  FROM api_key`;

/** The server has no check of its files that costs little; a counter that is not what its log says shows a lost page as well. */
const COUNTERS = `
  SELECT format('counter of %s is %s, its log has %s', t.id, t.uses_consumed, coalesce(l.uses, 0)) AS text
  FROM ticket t LEFT JOIN pruned_use p ON p.ticket_id = t.id LEFT JOIN (
    SELECT ticket_id, count(*) AS uses FROM scan_log WHERE status = 'consumed' AND NOT replayed GROUP BY ticket_id
  ) l ON l.ticket_id = t.id
  WHERE t.uses_consumed <> t.uses_outside_log + coalesce(p.uses, 0) + coalesce(l.uses, 0)`;

const STATISTICS = `
  SELECT format('the statistics count %s scans of %s, the log has %s', coalesce(c.scans, 0), key_id, coalesce(l.scans, 0)) AS text
  FROM (SELECT key_id, sum(scans - pruned) AS scans FROM scan_count GROUP BY key_id) c
    FULL JOIN (SELECT key_id, count(*) AS scans FROM scan_log WHERE NOT replayed GROUP BY key_id) l USING (key_id)
  WHERE coalesce(c.scans, 0) <> coalesce(l.scans, 0)`;
