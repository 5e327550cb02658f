import type { ClientBase } from 'pg';
import type { StoredAnswer } from '../../../core/scan-batch.ts';
import { TICKET_ROW, type TicketRow, ticketFromRow } from '../ticket-row.ts';
import type { NamedAnswer } from '../transfer/records.ts';
import { BatchState } from './batch-state.ts';
import type { BatchSubjects } from './batch-subjects.ts';
import { KnownKeys } from './known-keys.ts';
import { type CountRow, lockCounts, SUM_OF_COUNTS } from './request-counts.ts';
import { inOneWrite } from './round-trip.ts';
import { plainArray, textArray } from './sql-arrays.ts';
import { BEGIN } from './transaction.ts';

/**
 * Begins the transaction of a batch and reads, in one round trip, all that it is decided on. Locks are taken in one order
 * everywhere: stored answers, tickets, request counts.
 * @param known what was learnt of keys before
 * @param exactly also locks the request counts, so that nobody else counts until this batch is committed
 */
export async function readBatch(
  client: ClientBase,
  subjects: BatchSubjects,
  known: KnownKeys | undefined,
  exactly: boolean,
): Promise<{ state: BatchState; known: KnownKeys }> {
  // The server works on them in this order.
  const asked = inOneWrite(
    client,
    () =>
      [
        client.query(BEGIN),
        subjects.retries.length > 0 ? lockAnswers(client, subjects) : [],
        readTickets(client, subjects.consumed, 'FOR UPDATE'),
        // As the locks of tickets do, this shows until the end that the batch is under way.
        subjects.consumed.length === 0 && subjects.validated.length > 0
          ? client.query('LOCK TABLE ticket IN ROW SHARE MODE')
          : undefined,
        readTickets(client, subjects.validated, ''),
        exactly ? lockCounts(client, subjects) : undefined,
        readRevision(client, subjects),
      ] as const,
  );
  const all = await settled(asked);
  const { revision, counts } = all[6];
  const knownNow = known?.revision === revision ? known : new KnownKeys(revision);
  await knownNow.learn(client, subjects.keyIds, subjects.eventIds);
  const state = new BatchState(knownNow);
  for (const { keyId, name, ...answer } of all[1]) state.addAnswer(keyId, name, answer);
  state.addTickets(all[2]);
  state.addTickets(all[4]);
  for (const { key_id, month, requests } of counts) state.addMonth(key_id, month, requests);
  return { state, known: knownNow };
}

/** The revision of keys, events and limits, and what was counted so far. */
async function readRevision(
  client: ClientBase,
  { keyIds, months }: BatchSubjects,
): Promise<{ revision: number; counts: CountRow[] }> {
  const { rows } = await client.query<CountRow & { revision: number }>({
    name: 'revision',
    text: `SELECT s.revision, c.key_id, c.month, c.requests FROM state s LEFT JOIN (${SUM_OF_COUNTS}) AS c ON true`,
    values: [textArray(keyIds), plainArray(months)],
  });
  const counts = rows.filter(({ key_id }) => key_id !== null);
  return { revision: rows[0]?.revision ?? 0, counts };
}

/** As `Promise.all`, but throws only when none is under way any more: the next statement is a rollback. */
async function settled<Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  const results = await Promise.allSettled(parts);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}

async function readTickets(client: ClientBase, ids: readonly string[], lock: 'FOR UPDATE' | '') {
  if (ids.length === 0) return [];
  const { rows } = await client.query<TicketRow>({
    name: `tickets ${lock}`,
    text: `SELECT ${TICKET_ROW} FROM ticket WHERE id = ANY($1::text[]) ${lock && `ORDER BY id ${lock}`}`,
    values: [textArray(ids)],
  });
  return rows.map(ticketFromRow);
}

/**
 * Repeated requests may arrive at several instances at once. An empty answer is put where there is none, so that there is
 * a row to lock and the second waits for the first.
 */
async function lockAnswers(client: ClientBase, { retries }: BatchSubjects): Promise<NamedAnswer[]> {
  const { rows } = await client.query<AnswerRow>({
    name: 'lock-answers',
    text: LOCK_ANSWERS,
    values: [retries.map(({ keyId }) => keyId), retries.map(({ name }) => name)],
  });
  return rows
    .filter(({ decision }) => decision !== '')
    .map((row) => ({
      keyId: row.key_id,
      name: row.name,
      bodyHash: row.body_hash,
      expiresAt: row.expires_at,
      decision: JSON.parse(row.decision) as StoredAnswer['decision'],
    }));
}

interface AnswerRow {
  readonly key_id: string;
  readonly name: string;
  readonly body_hash: string;
  readonly decision: string;
  readonly expires_at: number;
}

const LOCK_ANSWERS = `
  INSERT INTO stored_answer (key_id, name, body_hash, decision, expires_at)
  SELECT key_id, name, '', '', 0 FROM unnest($1::text[], $2::text[]) AS wanted (key_id, name)
  ON CONFLICT (key_id, name) DO UPDATE SET body_hash = stored_answer.body_hash
  RETURNING key_id, name, body_hash, decision, expires_at`;
