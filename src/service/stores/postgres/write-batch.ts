import type { ClientBase } from 'pg';
import { DEVICES_PER_ORGANISATION_MAX } from '../../../core/limits.ts';
import type { NewLogEntry } from '../../../core/scan-batch.ts';
import type { Ticket } from '../../../core/ticket.ts';
import type { BatchCount, CountedSerials } from '../scan-tally.ts';
import type { BatchState } from './batch-state.ts';
import { isFailedCheck, UnknownOutcomeError } from './failures.ts';
import { partOf } from './log-partitions.ts';
import { refuseNearQuota, writeCounts } from './request-counts.ts';
import { inOneWrite } from './round-trip.ts';
import { plainArray, textArray } from './sql-arrays.ts';
import { storedText } from './stored-text.ts';
import { durably } from './transaction.ts';

/** How a transaction is known in the database. */
export interface BatchMark {
  readonly connection: string;
  readonly operation: string;
  /** Where this connection counts requests. */
  readonly shard: number;
  readonly serials: CountedSerials;
  /** The latest time of its requests, milliseconds since 1970 UTC. */
  readonly at: number;
}

/**
 * Writes what a batch decided and commits it, in one round trip. Rows that other batches may wait for come last. Nobody looks
 * at what was written before it is committed, so the server itself rolls back where a check fails.
 * @param exactly whether the request counts were locked before the decision
 * @returns false when the server rolled back without a reason
 * @throws UnknownOutcomeError; any other error means that nothing was committed, QuotaNear that the batch must be decided
 *   again, exactly
 */
export async function commitBatch(
  client: ClientBase,
  state: BatchState,
  mark: BatchMark,
  exactly: boolean,
): Promise<boolean> {
  const query = (name: string, text: string, values: unknown[]) =>
    client.query({ name, text, values });
  const { counted } = state;
  const asked = inOneWrite(client, () => {
    const written = [
      writeScans(client, state, mark),
      state.answers.size > 0 && query('answers', ANSWERS, answerColumns(state)),
      state.answers.size > 0 && query('old-answers', DROP_OLD_ANSWERS, [mark.at]),
      counted.length > 0 && writeCounts(client, state, mark.shard),
      counted.length > 0 && !exactly && refuseNearQuota(client, counted, state),
      state.contacts.size > 0 && query('contacts', CONTACTS, contactColumns(state)),
      state.contacts.size > 0 && query('old-contacts', DROP_OLD_CONTACTS, contactKeys(state)),
    ];
    return { written: Promise.allSettled(written), committed: durably(client, 'COMMIT') };
  });
  const [written, committed] = await Promise.allSettled([asked.written, asked.committed]);
  if (committed.status === 'rejected') throw committed.reason;
  const failed =
    written.status === 'fulfilled' ? written.value.find(isRejected)?.reason : undefined;
  if (failed === undefined) return committed.value !== undefined;
  if (committed.value === undefined) throw failed;
  // An answer that came too late, or a statement that never left: whether the operation is there says which.
  throw new UnknownOutcomeError('A commit followed a statement that failed here.', {
    cause: failed,
  });
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}

async function writeScans(
  client: ClientBase,
  { used, log, tally }: BatchState,
  { connection, operation, at, shard, serials }: BatchMark,
): Promise<void> {
  const uses = [...used.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const values = [
    ...useColumns(uses),
    ...logColumns(log, at),
    connection,
    operation,
    at,
    uses.length,
    ...countColumns(tally.take(serials)),
    shard,
  ];
  try {
    await client.query({ name: 'scans', text: SCANS, values });
  } catch (error) {
    throw isFailedCheck(error) ? new Error('a ticket was used that is not there') : error;
  }
}

function useColumns(used: readonly Ticket[]): string[] {
  return [
    plainArray(used.map(({ id }) => id)),
    plainArray(used.map(({ usesConsumed }) => usesConsumed)),
    plainArray(used.map(({ lastConsumedAt }) => lastConsumedAt)),
  ];
}

function logColumns(log: readonly NewLogEntry[], now: number): string[] {
  return [
    plainArray(log.map(({ at }) => partOf(at, now))),
    plainArray(log.map(({ at }) => at)),
    textArray(log.map(({ keyId }) => keyId)),
    textArray(log.map(({ serial }) => storedText(serial))),
    textArray(log.map(({ reader }) => storedText(reader))),
    plainArray(log.map(({ operation }) => operation)),
    plainArray(log.map(({ status }) => status)),
    plainArray(log.map(({ reason }) => reason)),
    textArray(log.map(({ ticketId }) => ticketId)),
    textArray(log.map(({ excerpt }) => storedText(excerpt))),
    plainArray(log.map(({ usesConsumed }) => usesConsumed)),
    plainArray(log.map(({ replayed }) => replayed)),
    plainArray(log.map(({ direction = null }) => direction)),
    plainArray(log.map(({ done = null }) => done)),
  ];
}

function countColumns(counts: readonly BatchCount[]): string[] {
  return [
    plainArray(counts.map(({ quarter }) => quarter)),
    textArray(counts.map(({ keyId }) => keyId)),
    textArray(counts.map(({ eventId }) => eventId)),
    textArray(counts.map(({ kind }) => kind)),
    textArray(counts.map(({ serial }) => storedText(serial))),
    plainArray(counts.map(({ operation }) => operation)),
    plainArray(counts.map(({ outcome }) => outcome)),
    textArray(counts.map(({ direction }) => direction)),
    plainArray(counts.map(({ scans }) => scans)),
  ];
}

function answerColumns({ answers }: BatchState): unknown[] {
  const all = [...answers.values()];
  return [
    all.map(({ keyId }) => keyId),
    all.map(({ name }) => name),
    all.map(({ bodyHash }) => bodyHash),
    all.map(({ decision }) => JSON.stringify(decision)),
    all.map(({ expiresAt }) => expiresAt),
  ];
}

function contactColumns({ contacts }: BatchState): unknown[] {
  // In the order of the rows, so that two batches never wait in a circle.
  const all = [...contacts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, contact]) => contact);
  return [
    all.map(({ keyId }) => keyId),
    all.map(({ serial }) => storedText(serial)),
    all.map(({ model }) => storedText(model)),
    all.map(({ address }) => storedText(address)),
    all.map(({ firmware }) => storedText(firmware)),
    all.map(({ at }) => at),
    all.map(({ clock }) => storedText(clock ?? null)),
  ];
}

function contactKeys({ contacts }: BatchState): [string[]] {
  return [[...new Set([...contacts.values()].map(({ keyId }) => keyId))]];
}

/** Counters, log, statistics and operation in one statement: each statement costs the server as much as several rows. */
const SCANS = `
  WITH used AS (
    UPDATE ticket t SET uses_consumed = u.uses_consumed, last_consumed_at = u.at
    FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS u (id, uses_consumed, at) WHERE t.id = u.id
    RETURNING t.id
  ), logged AS (
    INSERT INTO scan_log (logged_at, month, at, key_id, serial, reader, action, status, reason, ticket_id, excerpt,
      uses_consumed, replayed, direction, done)
    SELECT (SELECT floor(extract(epoch FROM now()) * 1000)::bigint), * FROM unnest($4::integer[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::text[], $12::text[], $13::text[], $14::integer[], $15::boolean[], $16::text[], $17::text[])
  ), marked AS (
    INSERT INTO scan_operation (connection, operation, at) VALUES ($18, $19, $20)
    ON CONFLICT (connection) DO UPDATE SET operation = excluded.operation, at = excluded.at
  ), counted AS (
    INSERT INTO scan_count AS c (quarter, key_id, event_id, kind, serial, action, outcome, direction, scans, pruned, shard)
    SELECT *, 0, $31::integer FROM unnest($22::bigint[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[],
      $28::text[], $29::text[], $30::bigint[])
    ON CONFLICT (quarter, key_id, event_id, kind, serial, action, outcome, direction, shard)
    DO UPDATE SET scans = c.scans + excluded.scans
  )
  SELECT 1 / (count(*) = $21)::integer FROM used`;

const ANSWERS = `
  INSERT INTO stored_answer (key_id, name, body_hash, decision, expires_at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
  ON CONFLICT (key_id, name)
  DO UPDATE SET body_hash = excluded.body_hash, decision = excluded.decision, expires_at = excluded.expires_at`;

/** Only those that nobody is just asking for. */
const DROP_OLD_ANSWERS = `
  DELETE FROM stored_answer WHERE (key_id, name) IN (
    SELECT key_id, name FROM stored_answer WHERE expires_at < $1 ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)`;

const CONTACTS = `
  INSERT INTO device (key_id, serial, model, address, firmware, last_contact_at, clock)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[])
  ON CONFLICT (key_id, serial) DO UPDATE SET model = excluded.model, address = excluded.address,
    firmware = excluded.firmware, last_contact_at = excluded.last_contact_at, clock = excluded.clock`;

/** Only those that no other batch is just renewing. */
const DROP_OLD_CONTACTS = `
  DELETE FROM device WHERE (key_id, serial) IN (
    SELECT key_id, serial FROM device WHERE (key_id, serial) IN (
      SELECT key_id, serial FROM (
        SELECT d.key_id, d.serial,
          row_number() OVER (PARTITION BY k.organisation_id ORDER BY d.last_contact_at DESC) AS place
        FROM device d JOIN api_key k ON k.id = d.key_id
        WHERE k.organisation_id IN (SELECT organisation_id FROM api_key WHERE id = ANY($1))
      ) AS placed WHERE place > ${DEVICES_PER_ORGANISATION_MAX}
    ) FOR UPDATE SKIP LOCKED)`;
