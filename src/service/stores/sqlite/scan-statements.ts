import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DEVICES_PER_ORGANISATION_MAX } from '../../../core/limits.ts';
import { TERM_COLUMNS } from '../sql/records.ts';
import { LOG_TABLE_COLUMNS } from './log-columns.ts';
import { SCANNED_COLUMNS } from './ticket-rows.ts';

const SQL = {
  state: `SELECT revision, folded, max((SELECT coalesce(max(sequence), 0) FROM scan_log), coalesce((SELECT json_extract(value, '$.removedTo')
       FROM document WHERE kind = 'log-ends' AND id = 'log'), 0)) AS last FROM state`,
  key: `SELECT k.ordinal, k.active, k.all_events, k.organisation_id, o.quota_per_month, o.rate_per_second, o.burst,
      ${TERM_COLUMNS}
    FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.id = ? AND k.deleted_at IS NULL`,
  eventsOfKey: 'SELECT event_id FROM api_key_event WHERE key_id = ?',
  organisationOf: 'SELECT organisation_id FROM event WHERE id = ?',
  ticket: `SELECT ordinal, ${SCANNED_COLUMNS} FROM ticket WHERE id = ?`,
  use: 'SELECT uses_consumed, last_consumed_at FROM ticket_use WHERE ticket = ?',
  requestsInMonth: 'SELECT requests FROM api_key_usage WHERE api_key = ? AND month = ?',
  addRequests: `INSERT INTO api_key_usage (api_key, month, requests, last_used_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
      last_used_at = max(coalesce(last_used_at, 0), excluded.last_used_at)`,
  addPassages: `INSERT INTO event_occupancy (event_id, entered, exited) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET entered = entered + excluded.entered, exited = exited + excluded.exited`,
  addScans: `INSERT INTO scan_count VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
    ON CONFLICT DO UPDATE SET scans = scans + excluded.scans`,
  storedAnswer:
    'SELECT body_hash, decision, expires_at FROM stored_answer WHERE api_key = ? AND name = ?',
  storeAnswer: `INSERT INTO stored_answer VALUES (?, ?, ?, ?, ?) ON CONFLICT (api_key, name)
    DO UPDATE SET body_hash = excluded.body_hash, decision = excluded.decision, expires_at = excluded.expires_at`,
  dropOldAnswers: `DELETE FROM stored_answer WHERE rowid IN
    (SELECT rowid FROM stored_answer WHERE expires_at < ? ORDER BY expires_at LIMIT 100)`,
  appendLog: `INSERT INTO scan_log (${LOG_TABLE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  renewContact: `UPDATE device SET model = ?, address = ?, firmware = ?, last_contact_at = ?, clock = ?
    WHERE api_key = ? AND serial = ?`,
  addContact: 'INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?)',
  dropOldContacts: `DELETE FROM device WHERE (api_key, serial) IN (
    SELECT d.api_key, d.serial FROM api_key own JOIN api_key k ON k.organisation_id = own.organisation_id
      JOIN device d ON d.api_key = k.ordinal
    WHERE own.ordinal = ? ORDER BY d.last_contact_at DESC LIMIT -1 OFFSET ${DEVICES_PER_ORGANISATION_MAX})`,
} as const;

/** What a batch reads and writes, by name. */
export type ScanStatements = Readonly<Record<keyof typeof SQL, StatementSync>>;

export function prepareScanStatements(database: DatabaseSync): ScanStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as ScanStatements;
}
