import { DEVICES_PER_ORGANISATION_MAX } from '../../../core/limits.ts';
import type { DeviceRecord, LogEntry } from '../../../core/records.ts';
import type { LogFilter } from '../store.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { logEnds } from './deletion.ts';
import { SqlTickets } from './tickets.ts';

/** What an entry says itself; of `log_record`. */
export const ENTRY_COLUMNS = `sequence, at, key_id AS "keyId", serial, reader, action AS operation, status, reason,
  ticket_id AS "ticketId", excerpt, uses_consumed AS "usesConsumed", replayed, direction, done,
  undoes, undo_by AS "undoBy", undo_reason AS "undoReason"`;

/** And what follows from later entries. */
export const LOG_COLUMNS = `${ENTRY_COLUMNS}, undone_by AS "undoneBy"`;

/** An entry with its texts as they are stored. */
export interface LogRow
  extends Omit<LogEntry, 'replayed' | 'undo' | 'undoneBy' | 'direction' | 'done'> {
  readonly direction: LogEntry['direction'] | null;
  readonly done: LogEntry['done'] | null;
  /** A number or a boolean, as the engine has it. */
  readonly replayed: unknown;
  /** Null unless the entry takes back a use. */
  readonly undoes: number | null;
  readonly undoBy: string | null;
  readonly undoReason: string | null;
  /** Missing where only what the entry says itself was asked for. */
  readonly undoneBy?: number | null;
}

/** Written out, because a log has millions of entries, and copying all members of a row takes twice as long. */
export function logEntryFrom(connection: SqlConnection, row: LogRow): LogEntry {
  const { sequence, at, keyId, operation, status, reason, ticketId, usesConsumed } = row;
  const { undoes, undoBy, undoReason, undoneBy } = row;
  const entry: LogEntry = {
    sequence,
    at,
    keyId,
    serial: connection.textFrom(row.serial),
    reader: connection.textFrom(row.reader),
    operation,
    status,
    reason,
    ticketId,
    excerpt: connection.textFrom(row.excerpt),
    usesConsumed,
    replayed: Boolean(row.replayed),
    ...(row.direction && { direction: row.direction }),
    ...(row.done && { done: row.done }),
  };
  if (undoes !== null) {
    const note = { sequence: undoes, by: undoBy ?? '', reason: undoReason ?? '' };
    return { ...entry, undo: note };
  }
  return undoneBy == null ? entry : { ...entry, undoneBy };
}

/** `device` as d and `api_key` as k. */
export function devicesWithKeys({ column, target }: SqlConnection['key']): string {
  return `device d JOIN api_key k ON k.${target} = d.${column}`;
}

/** Of `devicesWithKeys`. */
export const DEVICE_COLUMNS =
  'k.id AS "keyId", d.model, d.serial, d.address, d.firmware, d.clock, d.last_contact_at AS "lastContactAt"';

export function deviceFrom(connection: SqlConnection, row: DeviceRecord): DeviceRecord {
  return {
    ...row,
    model: connection.textFrom(row.model),
    serial: connection.textFrom(row.serial),
    address: connection.textFrom(row.address),
    firmware: connection.textFrom(row.firmware),
    clock: connection.textFrom(row.clock),
  };
}

/** The scan log and the devices that it shows. Methods are described in `Store`. */
export abstract class SqlLog extends SqlTickets {
  /** Oldest first: from `afterSequence` on, or the newest `limit` when that is not given. */
  readLog({ afterSequence, ticketId, limit }: LogFilter): Promise<LogEntry[]> {
    return this.patiently(async (connection) => {
      const { newest, settled } = await logEnds(connection);
      if (afterSequence !== undefined) {
        await connection.awaitLogGaps(Math.max(afterSequence, settled), newest, limit);
      }
      const values: SqlValue[] = [afterSequence ?? 0, limit, newest];
      const ofTicket =
        ticketId === undefined
          ? ''
          : `AND ${connection.isLoggedTicket(`$${values.push(ticketId)}`)}`;
      const order = afterSequence === undefined ? 'DESC' : 'ASC';
      const rows = await connection.rows<LogRow>(
        `SELECT ${LOG_COLUMNS} FROM log_record WHERE sequence > $1 AND sequence <= $3 ${ofTicket} ORDER BY sequence ${order} LIMIT $2`,
        values,
      );
      const entries = rows.map((row) => logEntryFrom(connection, row));
      return afterSequence === undefined ? entries.reverse() : entries;
    });
  }

  listDevices(organisationId: string): Promise<DeviceRecord[]> {
    return this.quickly(async (connection) => {
      const rows = await connection.rows<DeviceRecord>(
        `SELECT ${DEVICE_COLUMNS} FROM ${devicesWithKeys(connection.key)}
     WHERE k.organisation_id = $1 AND k.deleted_at IS NULL
     ORDER BY d.last_contact_at DESC, k.ordinal, ${connection.bytewise('d.serial')} LIMIT ${DEVICES_PER_ORGANISATION_MAX}`,
        [organisationId],
      );
      return rows.map((row) => deviceFrom(connection, row));
    });
  }
}
