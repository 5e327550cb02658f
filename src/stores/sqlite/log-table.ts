import type { DatabaseSync } from 'node:sqlite';
import { DEVICES_PER_ORGANISATION_MAX } from '../../core/limits.ts';
import type { DeviceRecord, LogEntry } from '../../core/records.ts';
import type { LogFilter } from '../store.ts';

/** Everything there is of an entry. */
export const LOG_SELECT = `SELECT l.sequence, l.at, k.public_id AS key_id, l.serial, l.reader, l.action, l.status, l.reason,
    coalesce(t.public_id, l.ticket_text) AS ticket_id, l.excerpt, l.uses_consumed, l.replayed
  FROM scan_log l LEFT JOIN api_key k ON k.id = l.api_key LEFT JOIN ticket t ON t.id = l.ticket`;

/** Oldest first: from `afterSequence` on, or the newest `limit` when that is not given. */
export function readLog(database: DatabaseSync, filter: LogFilter): LogEntry[] {
  const { afterSequence, ticketId, limit } = filter;
  const conditions = ['l.sequence > ?'];
  const values: (string | number)[] = [afterSequence ?? 0];
  if (ticketId !== undefined) {
    conditions.push(
      '(l.ticket = (SELECT id FROM ticket WHERE public_id = ?) OR l.ticket_text = ?)',
    );
    values.push(ticketId, ticketId);
  }
  const order = afterSequence === undefined ? 'DESC' : 'ASC';
  const sql = `${LOG_SELECT} WHERE ${conditions.join(' AND ')} ORDER BY l.sequence ${order} LIMIT ?`;
  const entries = database
    .prepare(sql)
    .all(...values, limit)
    .map(logEntryFrom);
  return afterSequence === undefined ? entries.reverse() : entries;
}

export function logEntryFrom(row: Record<string, unknown>): LogEntry {
  return {
    sequence: row['sequence'] as number,
    at: row['at'] as number,
    keyId: row['key_id'] as string,
    serial: row['serial'] as string | null,
    reader: row['reader'] as string | null,
    action: row['action'] as LogEntry['action'],
    status: row['status'] as LogEntry['status'],
    reason: row['reason'] as string | null,
    ticketId: row['ticket_id'] as string | null,
    excerpt: row['excerpt'] as string | null,
    usesConsumed: row['uses_consumed'] as number | null,
    replayed: row['replayed'] === 1,
  };
}

export const DEVICE_COLUMNS =
  'k.public_id AS key_id, d.model, d.serial, d.address, d.firmware, d.clock, d.last_contact_at';

export function listDevices(database: DatabaseSync, organisationId: string): DeviceRecord[] {
  const sql = `SELECT ${DEVICE_COLUMNS} FROM device d JOIN api_key k ON k.id = d.api_key
    WHERE k.organisation = (SELECT id FROM organisation WHERE public_id = ?) AND k.deleted_at IS NULL
    ORDER BY d.last_contact_at DESC, d.api_key, d.serial LIMIT ${DEVICES_PER_ORGANISATION_MAX}`;
  return database.prepare(sql).all(organisationId).map(deviceFrom);
}

export function deviceFrom(row: Record<string, unknown>): DeviceRecord {
  return {
    keyId: row['key_id'] as string,
    model: row['model'] as string,
    serial: row['serial'] as string,
    address: row['address'] as string,
    firmware: row['firmware'] as string,
    clock: row['clock'] as string | null,
    lastContactAt: row['last_contact_at'] as number,
  };
}
