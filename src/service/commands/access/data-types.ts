import type { LogEntry } from '../../../core/records.ts';
import type { DataAccess as NewAccess } from '../../../operations/data-access.ts';
import type { DataStore } from './remote/remote-store.ts';

export interface DataAccess extends NewAccess {
  readonly store: DataStore;
  /** Takes back the use of a log entry. @throws TicketscanError as `TicketAdministration.undo` does */
  readonly undo: (sequence: number, reason: string) => Promise<LogEntry>;
}
