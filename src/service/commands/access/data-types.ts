import type { LogEntry } from '../../../core/records.ts';
import type { SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import type { DataAccess as NewAccess } from '../../../operations/data-access.ts';
import type { Administration } from '../../manage/administration.ts';
import type { UnfinishedDeletion } from '../../manage/deletions.ts';
import type { RemoteAdministration } from './remote/remote-administration.ts';
import type { DataStore } from './remote/remote-store.ts';

/** What a server does as well. */
type DataAdministration = Pick<Administration, keyof RemoteAdministration>;

/** What organisations print on their tickets. */
export type DataSheets = Pick<SheetAdministration, 'settingsOf' | 'edit'>;

/** Events and organisations that are being deleted with their tickets. */
interface DataDeletions {
  unfinished(): Promise<UnfinishedDeletion[]>;
  /** Removes what is left of them; a server does that by itself. */
  finish(): Promise<unknown>;
}

export interface DataAccess extends NewAccess {
  readonly deletions: DataDeletions;
  readonly store: DataStore;
  readonly administration: DataAdministration;
  /** Takes back the use of a log entry. @throws TicketscanError as `TicketAdministration.undo` does */
  readonly undo: (sequence: number, reason: string) => Promise<LogEntry>;
  readonly sheets: DataSheets;
}
