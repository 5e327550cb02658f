/** Types of the admin API's answers as JSON, without its schemas: those stay on the server. */
import type * as z from 'zod';
import type { RefusalListJson } from '../../core/codecs/records.ts';
import type * as accounts from '../../features/accounts/operations.ts';
import type * as phones from '../../features/accounts/phone-operations.ts';
import type * as events from '../../features/events/operations.ts';
import type * as keys from '../../features/keys/operations.ts';
import type { AnswerJson } from '../../operations/operation.ts';
import type * as operations from '../../service/admin/wire/operations.ts';
import type * as organisation from '../../service/admin/wire/organisation.ts';
import type * as statistics from '../../service/admin/wire/scan-statistics.ts';
import type * as scans from '../../service/admin/wire/scans.ts';
import type * as tickets from '../../service/admin/wire/tickets.ts';
import type * as webhooks from '../../service/admin/wire/webhooks.ts';

export type { LogEntryJson as LogEntry } from '../../core/codecs/log-entry.ts';
export type {
  AccessTokenJson as AccessToken,
  AccountJson as Account,
  Role,
} from '../../core/codecs/records.ts';
export type { TicketJson as Ticket } from '../../core/codecs/ticket.ts';
export type { SheetSettingsJson as SheetSettings } from '../../service/admin/wire/sheets.ts';
export type { Erased, ManyDone } from '../../service/admin/wire/tickets.ts';

export type Refusals = z.input<typeof RefusalListJson>;
export type OwnedAccessToken = z.input<typeof accounts.OwnedAccessToken>;
export type CreatedKey = z.input<typeof keys.CreatedKey>;
export type Key = z.input<typeof keys.Key>;
export type AuditEntry = z.input<typeof operations.AuditEntry>;
export type Device = z.input<typeof operations.Device>;
export type Server = z.input<typeof operations.Server>;
export type Statistics = z.input<typeof operations.Statistics>;
export type DeletionFacts = AnswerJson<typeof events.showEventDeletion>;
export type Event = z.input<typeof events.Event>;
export type CreatedPairing = z.input<typeof phones.CreatedPairing>;
export type PairingState = z.input<typeof phones.PairingState>;
export type Phone = z.input<typeof phones.Phone>;
export type Redeemed = z.input<typeof phones.Redeemed>;
export type RedemptionState = z.input<typeof phones.RedemptionState>;
export type ScanStatistics = z.input<typeof statistics.ScanStatistics>;
export type LastUseOfTicket = z.input<typeof scans.LastUseOfTicket>;
export type ScanDone = z.input<typeof scans.ScanDone>;
export type Session = z.input<typeof accounts.Session>;
export type TicketWithCode = z.input<typeof tickets.TicketWithCode>;
export type ChangedWebhook = z.input<typeof webhooks.ChangedWebhook>;
export type Webhook = z.input<typeof webhooks.Webhook>;
export type WebhookDelivery = z.input<typeof webhooks.WebhookDelivery>;
export type Organisation = z.input<typeof organisation.OwnOrganisation>;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}
