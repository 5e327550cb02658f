/** Types of the admin API's answers, without its schemas: those stay on the server. */
export type {
  AccessToken,
  Account,
  OwnedAccessToken,
} from '../../service/admin/wire/accounts.ts';
export type { CreatedKey, Key } from '../../service/admin/wire/keys.ts';
export type { LogEntry } from '../../service/admin/wire/log.ts';
export type {
  AuditEntry,
  Device,
  Server,
  Statistics,
} from '../../service/admin/wire/operations.ts';
export type { Event, Organisation } from '../../service/admin/wire/organisation.ts';
export type { Role, Session } from '../../service/admin/wire/sign-in.ts';
export type { Ticket, TicketWithCode } from '../../service/admin/wire/tickets.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}
