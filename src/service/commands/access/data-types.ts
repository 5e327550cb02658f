import type { LogEntry } from '../../../core/records.ts';
import type { DataAccess as NewAccess } from '../../../operations/data-access.ts';
import type { AccessTokenRecord, AccountRecord } from '../../manage/accounts/account-records.ts';
import type { Administration } from '../../manage/administration.ts';
import type { UnfinishedDeletion } from '../../manage/deletions.ts';
import type { SheetAdministration } from '../../manage/sheet-administration.ts';
import type { RemoteAdministration } from './remote/remote-administration.ts';
import type { DataStore } from './remote/remote-store.ts';

/** What a server does as well. */
type DataAdministration = Pick<Administration, keyof RemoteAdministration>;

/** What organisations print on their tickets. */
export type DataSheets = Pick<SheetAdministration, 'settingsOf' | 'edit'>;

/** An access token as people see it, with the account that it acts for. */
export interface ListedToken extends Pick<AccessTokenRecord, 'id' | 'name' | 'role'> {
  readonly account: Pick<AccountRecord, 'id' | 'name'>;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface DataTokens {
  /** Of every account, oldest first. */
  list(): Promise<ListedToken[]>;
  /** Applies from the next request on. @throws TicketscanError `not_found` */
  revoke(id: string): Promise<void>;
}

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
  readonly tokens: DataTokens;
  readonly sheets: DataSheets;
}
