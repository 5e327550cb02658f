/** Types of the admin API's answers, without its schemas: those stay on the server. */
export type {
  AccessTokenJson as AccessToken,
  AccountJson as Account,
  LogEntryJson as LogEntry,
  OrganisationJson as Organisation,
  Role,
} from '../../core/codecs/records.ts';
export type { TicketJson as Ticket } from '../../core/codecs/ticket.ts';
export type { OwnedAccessToken } from '../../service/admin/wire/accounts.ts';
export type { CreatedKey, Key } from '../../service/admin/wire/keys.ts';
export type {
  AuditEntry,
  Device,
  Server,
  Statistics,
} from '../../service/admin/wire/operations.ts';
export type { Event } from '../../service/admin/wire/organisation.ts';
export type { SheetSettingsJson as SheetSettings } from '../../service/admin/wire/sheets.ts';
export type { Session } from '../../service/admin/wire/sign-in.ts';
export type { TicketWithCode } from '../../service/admin/wire/tickets.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}
