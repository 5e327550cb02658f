import type { ClientBase, QueryResult } from 'pg';
import { monthOf } from '../../core/clock.ts';
import type { NewLogEntry } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { BatchState, MonthCount } from './batch-state.ts';
import { settled } from './read-batch.ts';
import { storedText } from './stored-text.ts';

/** Another batch counted at the same time, and together they are over a quota: this one is decided again, exactly. */
export class QuotaContended extends Error {}

/**
 * Writes what a batch decided, in one round trip inside its transaction. What other batches may wait for comes last.
 * @throws QuotaContended when the transaction must be rolled back and decided again
 */
export async function writeBatch(
  client: ClientBase,
  state: BatchState,
  { connection, operation, at }: { connection: string; operation: string; at: number },
): Promise<void> {
  const query = (name: string, text: string, values: unknown[]) =>
    client.query({ name, text, values });
  const used = [...state.used.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { counted } = state;
  const [written, , , , counts] = await settled([
    used.length > 0 && query('uses', USES, useColumns(used)),
    state.log.length > 0 && query('log', LOG, logColumns(state.log)),
    state.answers.size > 0 && query('answers', ANSWERS, answerColumns(state)),
    state.answers.size > 0 && query('old-answers', DROP_OLD_ANSWERS, [at]),
    // Whoever counts for the same key waits from here to the commit.
    counted.length > 0 && query('count', COUNT, countColumns(counted)),
    state.contacts.size > 0 && query('contacts', CONTACTS, contactColumns(state)),
    query('operation', OPERATION, [connection, operation, at]),
  ]);
  if (written && written.rowCount !== used.length)
    throw new Error('a ticket was used that is not there');
  if (counts) refuseOverQuota(state, counts);
}

function refuseOverQuota(state: BatchState, { rows }: QueryResult): void {
  for (const { key_id, requests } of rows as { key_id: string; requests: number }[]) {
    if (requests > (state.key(key_id)?.quotaPerMonth ?? 0)) throw new QuotaContended();
  }
}

function useColumns(used: readonly Ticket[]): unknown[] {
  return [
    used.map(({ id }) => id),
    used.map(({ usesConsumed }) => usesConsumed),
    used.map(({ lastConsumedAt }) => lastConsumedAt),
  ];
}

function countColumns(counted: readonly MonthCount[]): unknown[] {
  return [
    counted.map(({ keyId }) => keyId),
    counted.map(({ month }) => month),
    counted.map(({ added }) => added),
  ];
}

function logColumns(log: readonly NewLogEntry[]): unknown[] {
  return [
    log.map(({ at }) => monthOf(at)),
    log.map(({ at }) => at),
    log.map(({ keyId }) => keyId),
    log.map(({ serial }) => storedText(serial)),
    log.map(({ reader }) => storedText(reader)),
    log.map(({ action }) => action),
    log.map(({ status }) => status),
    log.map(({ reason }) => reason),
    log.map(({ ticketId }) => ticketId),
    log.map(({ excerpt }) => storedText(excerpt)),
    log.map(({ usesConsumed }) => usesConsumed),
    log.map(({ replayed }) => replayed),
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
  ];
}

const USES = `
  UPDATE ticket t SET uses_consumed = u.uses_consumed, last_consumed_at = u.at
  FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS u (id, uses_consumed, at) WHERE t.id = u.id`;

const LOG = `
  INSERT INTO scan_log (month, at, key_id, serial, reader, action, status, reason, ticket_id, excerpt, uses_consumed, replayed)
  SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::integer[], $12::boolean[])`;

const COUNT = `
  INSERT INTO api_key_usage (key_id, month, requests)
  SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[])
  ON CONFLICT (key_id, month) DO UPDATE SET requests = api_key_usage.requests + excluded.requests
  RETURNING key_id, requests`;

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
  INSERT INTO device (key_id, serial, model, address, firmware, last_contact_at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
  ON CONFLICT (key_id, serial) DO UPDATE SET model = excluded.model, address = excluded.address,
    firmware = excluded.firmware, last_contact_at = excluded.last_contact_at`;

const OPERATION = `
  INSERT INTO scan_operation (connection, operation, at) VALUES ($1, $2, $3)
  ON CONFLICT (connection) DO UPDATE SET operation = excluded.operation, at = excluded.at`;
