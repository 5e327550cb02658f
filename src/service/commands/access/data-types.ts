import type { Clock } from '../../../core/clock.ts';
import type { AccessTokenRecord, AccountRecord } from '../../manage/accounts/account-records.ts';
import type { Administration } from '../../manage/administration.ts';
import type { SheetAdministration } from '../../manage/sheet-administration.ts';
import type { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { RemoteAdministration } from './remote/remote-administration.ts';
import type { DataStore } from './remote/remote-store.ts';

/** What a server does as well. */
type DataAdministration = Pick<Administration, keyof RemoteAdministration>;

export type DataTickets = Pick<TicketAdministration, 'cancel' | 'reinstate' | 'import'>;

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

export interface DataAccess {
  readonly store: DataStore;
  readonly administration: DataAdministration;
  readonly tickets: DataTickets;
  readonly tokens: DataTokens;
  readonly sheets: DataSheets;
  /** Of the server, when it is one. */
  readonly url?: string;
  readonly clock: Clock;
}
