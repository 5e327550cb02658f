import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { KEY_STATE_COLUMNS } from '../sql/records.ts';
import { SCANNED_COLUMNS } from '../ticket-row.ts';
import { INSERT_ENTRY } from './log-values.ts';

const SQL = {
  state: `SELECT revision, flushed_to, max((SELECT coalesce(max(sequence), 0) FROM scan_log), coalesce((SELECT json_extract(value, '$.removedTo')
       FROM administrative_record WHERE kind = 'log-ends' AND id = 'log'), 0)) AS last FROM state`,
  key: `SELECT k.ordinal, k.deleted_at, ${KEY_STATE_COLUMNS}
    FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.id = ?`,
  event: `SELECT e.organisation_id, (SELECT value FROM administrative_record WHERE kind = 'event-home' AND id = e.id) AS home
    FROM event e WHERE e.id = ?`,
  siteOf: "SELECT 1 AS one FROM administrative_record WHERE kind = 'site-of'",
  rowsOf: `SELECT json_extract(value, '$.number') AS number FROM administrative_record WHERE kind = 'site-rows' AND id = ?`,
  saveRowsOf: `INSERT INTO administrative_record (kind, id, revision, value) VALUES ('site-rows', ?, 1, ?)
    ON CONFLICT DO UPDATE SET revision = revision + 1, value = excluded.value`,
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
  appendLog: INSERT_ENTRY,
  renewContact: `UPDATE device SET model = ?, address = ?, firmware = ?, last_contact_at = ?, clock = ?
    WHERE api_key = ? AND serial = ? AND last_contact_at IS NOT NULL`,
  addContact: `INSERT INTO device (api_key, serial, model, address, firmware, last_contact_at, clock, first_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET model = excluded.model, address = excluded.address, firmware = excluded.firmware,
      last_contact_at = excluded.last_contact_at, clock = excluded.clock`,
  countContacts:
    'SELECT count(*) AS devices FROM device WHERE api_key = ? AND last_contact_at IS NOT NULL',
  dropSilent: 'DELETE FROM device WHERE api_key = ? AND last_contact_at < ?',
  renewScan: 'UPDATE device SET last_scan_at = ? WHERE api_key = ? AND serial = ?',
  addScan: `INSERT INTO device (api_key, serial, model, address, firmware, last_scan_at, first_at) VALUES (?, ?, '', '', '', ?, ?)`,
  countScanning:
    'SELECT count(*) AS devices FROM device WHERE api_key = ? AND last_contact_at IS NULL',
  dropNotScanning:
    'DELETE FROM device WHERE api_key = ? AND last_contact_at IS NULL AND last_scan_at < ?',
} as const;

/** The statements of a batch, by name. */
export type ScanStatements = Readonly<Record<keyof typeof SQL, StatementSync>>;

export function prepareScanStatements(database: DatabaseSync): ScanStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as ScanStatements;
}
