import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { DEVICES_PER_ORGANISATION_MAX } from '../../core/limits.ts';
import type { DeviceRecord, LogEntry } from '../../core/records.ts';
import type { LogFilter } from '../store.ts';
import { textFrom } from './stored-text.ts';

export const LOG_COLUMNS = `sequence, at, key_id AS "keyId", serial, reader, action, status, reason, ticket_id AS "ticketId",
    excerpt, uses_consumed AS "usesConsumed", replayed`;
/** Everything there is of an entry. */
export const LOG_SELECT = `SELECT ${LOG_COLUMNS} FROM scan_log`;
/** An entry with its texts as they are stored. */
export type LogRow = LogEntry;

/** Longer than any transaction may last: a number that is missing before an entry of this age was never used. */
const GAP_AGE_MS = 15_000;
const GAP_POLL_MS = 20;

/** Oldest first: from `afterSequence` on, or the newest `limit` when that is not given. */
export async function readLog(client: ClientBase, filter: LogFilter): Promise<LogEntry[]> {
  const { afterSequence, ticketId, limit } = filter;
  if (afterSequence !== undefined) await gapsClosed(client, afterSequence, limit);
  const values: unknown[] = [afterSequence ?? 0, limit];
  const ofTicket = ticketId === undefined ? '' : `AND ticket_id = $${values.push(ticketId)}`;
  const order = afterSequence === undefined ? 'DESC' : 'ASC';
  const { rows } = await client.query<LogEntry>(
    `${LOG_SELECT} WHERE sequence > $1 ${ofTicket} ORDER BY sequence ${order} LIMIT $2`,
    values,
  );
  const entries = rows.map(logEntryFrom);
  return afterSequence === undefined ? entries.reverse() : entries;
}

export function logEntryFrom(row: LogRow): LogEntry {
  return {
    ...row,
    serial: textFrom(row.serial),
    reader: textFrom(row.reader),
    excerpt: textFrom(row.excerpt),
  };
}

/**
 * Batches take their numbers before they commit, so that an entry may appear after one with a higher number. Who reads on
 * from a number would miss it: this waits until it is there, or cannot come any more because it was rolled back.
 */
export async function gapsClosed(
  client: ClientBase,
  afterSequence: number,
  limit: number,
): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ open: boolean }>(OPEN_GAP, [
      afterSequence,
      limit,
      GAP_AGE_MS,
    ]);
    if (!rows[0]?.open) return;
    await sleep(GAP_POLL_MS);
  }
}

const OPEN_GAP = `
  SELECT EXISTS (
    SELECT 1 FROM (
      SELECT sequence, logged_at, lag(sequence, 1, $1::bigint) OVER (ORDER BY sequence) AS before
      FROM (SELECT sequence, logged_at FROM scan_log WHERE sequence > $1 ORDER BY sequence LIMIT $2) AS page
    ) AS pairs
    WHERE sequence > before + 1 AND logged_at > floor(extract(epoch FROM now()) * 1000) - $3
  ) AS open`;

export const DEVICE_COLUMNS =
  'd.key_id AS "keyId", d.model, d.serial, d.address, d.firmware, d.clock, d.last_contact_at AS "lastContactAt"';

export async function listDevices(
  client: ClientBase,
  organisationId: string,
): Promise<DeviceRecord[]> {
  const { rows } = await client.query<DeviceRecord>(
    `SELECT ${DEVICE_COLUMNS} FROM device d JOIN api_key k ON k.id = d.key_id
     WHERE k.organisation_id = $1 AND k.deleted_at IS NULL
     ORDER BY d.last_contact_at DESC, k.ordinal, d.serial COLLATE "C" LIMIT ${DEVICES_PER_ORGANISATION_MAX}`,
    [organisationId],
  );
  return rows.map(deviceFrom);
}

export function deviceFrom(row: DeviceRecord): DeviceRecord {
  return {
    ...row,
    model: textFrom(row.model),
    serial: textFrom(row.serial),
    address: textFrom(row.address),
    firmware: textFrom(row.firmware),
    clock: textFrom(row.clock),
  };
}
