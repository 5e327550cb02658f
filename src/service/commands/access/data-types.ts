import type { SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import type { DataAccess as NewAccess } from '../../../operations/data-access.ts';
import type { Administration } from '../../manage/administration.ts';
import type { UnfinishedDeletion } from '../../manage/deletions.ts';
import type { ManyTicketsAdministration } from '../../manage/many-tickets.ts';
import type { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { RemoteAdministration } from './remote/remote-administration.ts';
import type { DataStore } from './remote/remote-store.ts';

/** What a server does as well. */
type DataAdministration = Pick<Administration, keyof RemoteAdministration>;

export type DataTickets = Pick<
  TicketAdministration,
  'cancel' | 'reinstate' | 'import' | 'edit' | 'deleteOne' | 'undo' | 'eraseHolders'
>;

export type ManySteps = Pick<ManyTicketsAdministration, 'step'>;

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
  readonly tickets: DataTickets;
  readonly many: ManySteps;
  /** What erased data left in the files is overwritten; false when some may still be there. */
  readonly purgeErased: () => Promise<boolean>;
  readonly sheets: DataSheets;
}
