import type { ClientBase } from 'pg';
import { DEVICE_FORGOTTEN_AFTER_MS, DEVICES_PER_KEY_MAX } from '../../core/limits.ts';
import type { DeviceRecord } from '../../core/records.ts';
import { expiredForAll } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { CountedSerials } from '../scan-tally.ts';
import { type DeviceScan, deviceThatScans, type ScannedDevices } from '../scanned-devices.ts';
import { ANSWERS, COUNTS, DEVICES } from '../sql/tables.ts';
import { SCANNED_COLUMNS, type TicketColumns, ticketFromColumns } from '../ticket-row.ts';
import type { NamedAnswer } from '../transfer/records.ts';
import { BatchState, type BatchSubjects, KnownKeys } from './batch-state.ts';
import { LOCK_TIMEOUT_MS } from './connections.ts';
import { isFailedCheck, UnknownOutcomeError } from './failures.ts';
import * as counters from './request-limits.ts';
import { LOG_COLUMNS } from './scan-log.ts';
import {
  arraysOf,
  type Columns,
  columnsFor,
  inOneWrite,
  insertRows,
  plainArray,
  textArray,
  unnested,
} from './statement-values.ts';
import { BEGIN, sendDurably } from './transaction.ts';

/**
 * Begins the transaction of a batch and reads, in one round trip, everything that its decisions need. Locks are taken in one order
 * everywhere: stored answers, tickets, request counts.
 * @param known keys that were read before
 * @param exactly also locks the request counts, so that no other batch counts until this one is committed
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
        // This lock shows until the end that the batch is in progress, as the locks of tickets do.
        subjects.consumed.length === 0 && subjects.validated.length > 0
          ? client.query('LOCK TABLE ticket IN ROW SHARE MODE')
          : undefined,
        readTickets(client, subjects.validated, ''),
        exactly ? counters.lockCounts(client, subjects) : undefined,
        readRevision(client, subjects),
      ] as const,
  );
  const all = await settled(asked);
  const { revision, counts } = all[6];
  const knownNow = known?.revision === revision ? known : new KnownKeys(revision);
  await knownNow.learn(client, subjects.keyIds, subjects.eventIds);
  const state = new BatchState(knownNow);
  for (const { id, number } of await lockRows(client, subjects)) state.addRows(id, number);
  for (const { keyId, name, ...answer } of all[1]) state.addAnswer(keyId, name, answer);
  state.addTickets(all[2]);
  state.addTickets(all[4]);
  for (const { key_id, month, requests } of counts) state.addMonth(key_id, month, requests);
  return { state, known: knownNow };
}

/** The revision of keys, events and limits, and the requests counted so far. */
async function readRevision(
  client: ClientBase,
  { keyIds, months }: BatchSubjects,
): Promise<{ revision: number; counts: counters.CountRow[] }> {
  const { rows } = await client.query<counters.CountRow & { revision: number }>({
    name: 'revision',
    text: `SELECT s.revision, c.key_id, c.month, c.requests FROM state s LEFT JOIN (${counters.SUM_OF_COUNTS}) AS c ON true`,
    values: [textArray(keyIds), plainArray(months)],
  });
  const counts = rows.filter(({ key_id }) => key_id !== null);
  return { revision: rows[0]?.revision ?? 0, counts };
}

/** Does what `Promise.all` does, but throws only when all are settled, because the next statement is a rollback. */
async function settled<Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  const results = await Promise.allSettled(parts);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}

/** The rows of a site come in their order, so batches of one site wait for each other. */
async function lockRows(client: ClientBase, { sites }: BatchSubjects) {
  if (sites.length === 0) return [];
  await client.query(BEGIN_ROWS, [sites]);
  const { rows } = await client.query<{ id: string; value: string }>(
    `SELECT id, value FROM administrative_record WHERE kind = 'site-rows' AND id = ANY($1::text[]) ORDER BY id FOR UPDATE`,
    [sites],
  );
  return rows.map(({ id, value }) => ({ id, number: JSON.parse(value).number as number }));
}

const BEGIN_ROWS = `INSERT INTO administrative_record (kind, id, revision, value)
  SELECT 'site-rows', unnest($1::text[]), 1, '{"number":0}' ON CONFLICT DO NOTHING`;

const PUT_ROWS = `UPDATE administrative_record SET value = $2, revision = revision + 1 WHERE kind = 'site-rows' AND id = $1`;

async function readTickets(client: ClientBase, ids: readonly string[], lock: 'FOR UPDATE' | '') {
  if (ids.length === 0) return [];
  const { rows } = await client.query<[id: string, ...columns: TicketColumns]>({
    name: `tickets ${lock}`,
    text: `SELECT id, ${SCANNED_COLUMNS}, uses_consumed, last_consumed_at FROM ticket
      WHERE id = ANY($1::text[]) ${lock && `ORDER BY id ${lock}`}`,
    values: [textArray(ids)],
    rowMode: 'array',
  });
  return rows.map(([id, ...columns]) => ticketFromColumns(id, eventOfTicketId(id) ?? '', columns));
}

/**
 * Repeated requests may arrive at several instances at once. An empty answer is inserted where there is none, so that
 * there is a row to lock and the second waits for the first.
 */
async function lockAnswers(client: ClientBase, { retries }: BatchSubjects): Promise<NamedAnswer[]> {
  const { rows } = await client.query<Omit<NamedAnswer, 'decision'> & { decision: string }>({
    name: 'lock-answers',
    text: LOCK_ANSWERS,
    values: [retries.map(({ keyId }) => keyId), retries.map(({ name }) => name)],
  });
  return rows
    .filter(({ decision }) => decision !== '')
    .map(({ decision, ...row }) => ({ ...row, decision: JSON.parse(decision) }));
}

const LOCK_ANSWERS = `
  INSERT INTO stored_answer (key_id, name, body_hash, decision, expires_at)
  SELECT key_id, name, '', '', 0 FROM unnest($1::text[], $2::text[]) AS wanted (key_id, name)
  ON CONFLICT (key_id, name) DO UPDATE SET body_hash = stored_answer.body_hash
  RETURNING key_id AS "keyId", name, body_hash AS "bodyHash", decision, expires_at AS "expiresAt"`;

/** Identifies a transaction in the database. */
export interface BatchMark {
  readonly connection: string;
  readonly operation: string;
  /** The shard in which this connection counts requests. */
  readonly shard: number;
  readonly serials: CountedSerials;
  readonly devices: ScannedDevices;
  /** The time at which the batch is given up, on `performance.now()`. */
  readonly deadlineMs: number;
  /** The latest time of its requests, milliseconds since 1970 UTC. */
  readonly at: number;
}

/**
 * Writes what a batch decided and commits it, in one round trip. Rows that other batches may wait for come last. The
 * results are not read before the commit, so the server itself rolls back where a check fails.
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
  const leftMs = mark.deadlineMs - performance.now();
  const { counted } = state;
  const answers = [...state.answers.values()];
  const scanned = mark.devices.dueIn(state.log);
  const devices = inOrder(devicesIn(state.contacts, scanned));
  const keys = new Set(devices.map(({ keyId }) => keyId));
  const silentSince = mark.at - DEVICE_FORGOTTEN_AFTER_MS;
  const asked = inOneWrite(client, () => {
    const written = [
      // The connection's own limit is for a batch that has its whole time.
      leftMs < LOCK_TIMEOUT_MS &&
        query('lock-limit', LIMIT_LOCKS, [`${Math.ceil(Math.max(1, leftMs))}ms`]),
      writeScans(client, state, mark),
      answers.length > 0 && query('answers', PUT_ANSWERS, arraysOf(ANSWER_COLUMNS, answers)),
      answers.length > 0 && query('old-answers', DROP_OLD_ANSWERS, [expiredForAll(mark.at)]),
      ...[...state.rows].map(([site, number]) =>
        query('site-rows', PUT_ROWS, [site, JSON.stringify({ number })]),
      ),
      counted.length > 0 && counters.writeCounts(client, state, mark.shard),
      counted.length > 0 && !exactly && counters.refuseNearQuota(client, counted, state),
      devices.length > 0 &&
        query('silent-devices', DROP_SILENT, [textArray([...keys]), silentSince]),
      devices.length > 0 && query('devices', PUT_DEVICES, arraysOf(DEVICE_COLUMNS, devices)),
    ];
    return { written: Promise.allSettled(written), committed: sendDurably(client, 'COMMIT') };
  });
  const [written, committed] = await Promise.allSettled([asked.written, asked.committed]);
  if (committed.status === 'rejected') throw committed.reason;
  const failed =
    written.status === 'fulfilled' ? written.value.find(isRejected)?.reason : undefined;
  if (failed === undefined) {
    if (committed.value !== undefined) mark.devices.wrote(scanned);
    return committed.value !== undefined;
  }
  if (committed.value === undefined) throw failed;
  // Either an answer came too late, or a statement was never sent. Whether the operation was stored tells which.
  throw new UnknownOutcomeError('A commit followed a statement that failed here.', {
    cause: failed,
  });
}

const LIMIT_LOCKS = "SELECT set_config('lock_timeout', $1, true)";

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
    connection,
    operation,
    at,
    uses.length,
    shard,
    ...arraysOf(USES, uses),
    ...arraysOf(LOG_COLUMNS, log, at),
    ...arraysOf(COUNT_COLUMNS, tally.take(serials)),
  ];
  try {
    await client.query({ name: 'scans', text: SCANS, values });
  } catch (error) {
    throw isFailedCheck(error) ? new Error('a ticket was used that is not there') : error;
  }
}

const USES: Columns<Ticket> = [
  ['id', 'text', ({ id }) => id],
  ['uses_consumed', 'integer', ({ usesConsumed }) => usesConsumed],
  ['at', 'bigint', ({ lastConsumedAt }) => lastConsumedAt],
];

const COUNT_COLUMNS = columnsFor(COUNTS);
const ANSWER_COLUMNS = columnsFor(ANSWERS);
const DEVICE_COLUMNS = columnsFor(DEVICES);

/** What a batch knows about devices: a heartbeat, a scan, or both. */
function devicesIn(
  contacts: ReadonlyMap<string, DeviceRecord>,
  scanned: readonly DeviceScan[],
): Map<string, DeviceRecord> {
  const devices = new Map(contacts);
  for (const { keyId, serial, at } of scanned) {
    const name = `${keyId} ${serial}`;
    const device = devices.get(name) ?? { ...deviceThatScans(keyId, serial), firstAt: at };
    devices.set(name, { ...device, lastScanAt: at });
  }
  return devices;
}

/** Sorts by key, the order of the rows, so that two batches never deadlock. */
function inOrder<Item>(items: ReadonlyMap<string, Item>): Item[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

const USES_AT = 6;
const LOG_AT = USES_AT + USES.length;
const COUNTS_AT = LOG_AT + LOG_COLUMNS.length;
const LOGGED_AT = '(SELECT floor(extract(epoch FROM now()) * 1000)::bigint)';

/**
 * Writes counters, log, statistics and operation in one statement, because a statement costs the server as much as several rows. It fails if a
 * ticket is missing, or if somebody has asked for the outcome meanwhile (`outcomeOf`): then the statement came too late.
 */
const SCANS = `
  WITH used AS (
    UPDATE ticket t SET uses_consumed = u.uses_consumed, last_consumed_at = u.at
    FROM ${unnested(USES, USES_AT)} AS u (id, uses_consumed, at) WHERE t.id = u.id
    RETURNING t.id
  ), logged AS (
    ${insertRows('scan_log', LOG_COLUMNS, LOG_AT, { logged_at: LOGGED_AT })}
  ), marked AS (
    INSERT INTO scan_operation (connection, operation, at) VALUES ($1, $2, $3)
    ON CONFLICT (connection) DO UPDATE SET operation = excluded.operation, at = excluded.at WHERE scan_operation.at >= 0
    RETURNING connection
  ), counted AS (
    ${insertRows('scan_count AS c', COUNT_COLUMNS, COUNTS_AT, { shard: '$5::integer' })}
    ON CONFLICT (quarter, key_id, event_id, kind, serial, operation, outcome, direction, shard)
    DO UPDATE SET scans = c.scans + excluded.scans
  )
  SELECT 1 / ((SELECT count(*) FROM used) = $4 AND EXISTS (SELECT 1 FROM marked))::integer`;

const PUT_ANSWERS = `
  ${insertRows('stored_answer', ANSWER_COLUMNS)}
  ON CONFLICT (key_id, name)
  DO UPDATE SET body_hash = excluded.body_hash, decision = excluded.decision, expires_at = excluded.expires_at`;

/** Drops expired answers, except those that another batch has locked. */
const DROP_OLD_ANSWERS = `
  DELETE FROM stored_answer WHERE (key_id, name) IN (
    SELECT key_id, name FROM stored_answer WHERE expires_at < $1 ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)`;

const DEVICE_NAMES = DEVICE_COLUMNS.map(([name]) => name);

/** The columns that a heartbeat sets: a device without a heartbeat in this batch keeps what its last one said. */
const FROM_HEARTBEAT = ['model', 'address', 'firmware', 'clock', 'last_contact_at']
  .map(
    (name) =>
      `${name} = CASE WHEN excluded.last_contact_at IS NULL THEN device.${name} ELSE excluded.${name} END`,
  )
  .join(', ');

/** True for a known device. One that only scanned so far counts as new when its first heartbeat is written. */
const KNOWN =
  '(d.serial IS NOT NULL AND (n.last_contact_at IS NULL OR d.last_contact_at IS NOT NULL))';

/**
 * Writes the devices that are known, and new ones while their key has room. Devices that sent a heartbeat and devices that only scan are
 * counted separately. Rows are written in their order, so that two batches never deadlock.
 */
const PUT_DEVICES = `
  INSERT INTO device (${DEVICE_NAMES.join(', ')})
  SELECT ${DEVICE_NAMES.join(', ')} FROM (
    SELECT n.*, ${KNOWN} AS is_known,
      (SELECT count(*) FROM device h WHERE h.key_id = n.key_id
        AND (h.last_contact_at IS NULL) = (n.last_contact_at IS NULL)) AS held,
      row_number() OVER (PARTITION BY n.key_id, n.last_contact_at IS NULL, ${KNOWN}
        ORDER BY n.last_contact_at, n.last_scan_at, n.serial) AS place
    FROM ${unnested(DEVICE_COLUMNS)} AS n (${DEVICE_NAMES.join(', ')})
      LEFT JOIN device d ON d.key_id = n.key_id AND d.serial = n.serial
  ) AS c WHERE is_known OR held + place <= ${DEVICES_PER_KEY_MAX}
  ORDER BY key_id COLLATE "C", serial COLLATE "C"
  ON CONFLICT (key_id, serial) DO UPDATE SET ${FROM_HEARTBEAT}, last_scan_at = coalesce(excluded.last_scan_at, device.last_scan_at)`;

/** Drops the silent devices of keys that have no room for another one, except those that another batch has locked. */
const DROP_SILENT = `
  DELETE FROM device WHERE (key_id, serial) IN (
    SELECT d.key_id, d.serial FROM device d WHERE d.key_id = ANY($1::text[]) AND coalesce(d.last_contact_at, d.last_scan_at) < $2
      AND (SELECT count(*) FROM device h WHERE h.key_id = d.key_id
        AND (h.last_contact_at IS NULL) = (d.last_contact_at IS NULL)) >= ${DEVICES_PER_KEY_MAX}
    FOR UPDATE SKIP LOCKED)`;
