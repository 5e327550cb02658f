/** Types of the admin API's answers, without its schemas: those stay on the server. */
export type {
  AccessTokenJson as AccessToken,
  AccountJson as Account,
  LogEntryJson as LogEntry,
  Role,
} from '../../core/codecs/records.ts';
export type { RefusalListJson as Refusals } from '../../core/codecs/refusals.ts';
export type { TicketJson as Ticket } from '../../core/codecs/ticket.ts';
export type { OwnedAccessToken } from '../../service/admin/wire/accounts.ts';
export type { CreatedKey, Key } from '../../service/admin/wire/keys.ts';
export type {
  AuditEntry,
  Device,
  Server,
  Statistics,
} from '../../service/admin/wire/operations.ts';
export type { DeletionFacts, Event } from '../../service/admin/wire/organisation.ts';
export type {
  CreatedPairing,
  PairingState,
  Phone,
  Redeemed,
  RedemptionState,
} from '../../service/admin/wire/phones.ts';
export type { ScanStatistics } from '../../service/admin/wire/scan-statistics.ts';
export type { LastUseOfTicket, ScanDone } from '../../service/admin/wire/scans.ts';
export type { SheetSettingsJson as SheetSettings } from '../../service/admin/wire/sheets.ts';
export type { Session } from '../../service/admin/wire/sign-in.ts';
export type { Erased, ManyDone, TicketWithCode } from '../../service/admin/wire/tickets.ts';
export type {
  ChangedWebhook,
  Webhook,
  WebhookDelivery,
} from '../../service/admin/wire/webhooks.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}
export type { OwnOrganisation as Organisation } from '../../service/admin/wire/organisation.ts';
