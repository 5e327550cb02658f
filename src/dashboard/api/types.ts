/** Types of the admin API's answers, without its schemas: those stay on the server. */
export type {
  AccessToken,
  Account,
  OwnedAccessToken,
} from '../../admin/wire/accounts.ts';
export type { CreatedKey, Key } from '../../admin/wire/keys.ts';
export type { LogEntry } from '../../admin/wire/log.ts';
export type { AuditEntry, Device, Server, Statistics } from '../../admin/wire/operations.ts';
export type { Event, Organisation } from '../../admin/wire/organisation.ts';
export type { Role, Session } from '../../admin/wire/sign-in.ts';
export type { Ticket, TicketWithCode } from '../../admin/wire/tickets.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}
