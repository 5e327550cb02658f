/** Types of the admin API's answers as JSON, without its schemas: those stay on the server. */
import type * as z from 'zod';
import type { LogEntryJson as LogEntry } from '../../core/codecs/log-entry.ts';
import type {
  AccessTokenJson as AccessToken,
  AccountJson as Account,
  RefusalListJson,
  Role,
} from '../../core/codecs/records.ts';
import type { TicketJson as Ticket } from '../../core/codecs/ticket.ts';
import type * as accounts from '../../features/accounts/operations.ts';
import type * as phones from '../../features/accounts/phone-operations.ts';
import type * as auditLog from '../../features/audit-log/operations.ts';
import type * as devices from '../../features/devices/operations.ts';
import type * as events from '../../features/events/operations.ts';
import type * as keys from '../../features/keys/operations.ts';
import type * as scans from '../../features/scans/operations.ts';
import type * as server from '../../features/server/operations.ts';
import type * as statistics from '../../features/statistics/operations.ts';
import type * as webhooks from '../../features/webhooks/operations.ts';
import type { AnswerJson } from '../../operations/operation.ts';
import type * as organisation from '../../service/admin/wire/organisation.ts';
import type * as lastUse from '../../service/admin/wire/scans.ts';
import type { SheetSettingsJson as SheetSettings } from '../../service/admin/wire/sheets.ts';
import type * as tickets from '../../service/admin/wire/tickets.ts';
import type { Erased, ManyDone } from '../../service/admin/wire/tickets.ts';

export type Refusals = z.input<typeof RefusalListJson>;
export type OwnedAccessToken = z.input<typeof accounts.OwnedAccessToken>;
export type CreatedKey = z.input<typeof keys.CreatedKey>;
export type Key = z.input<typeof keys.Key>;
export type AuditEntry = z.input<typeof auditLog.AuditEntry>;
export type Device = z.input<typeof devices.Device>;
export type Server = z.input<typeof server.Server>;
export type Statistics = z.input<typeof statistics.Statistics>;
export type DeletionFacts = AnswerJson<typeof events.showEventDeletion>;
export type Event = z.input<typeof events.Event>;
export type CreatedPairing = z.input<typeof phones.CreatedPairing>;
export type PairingState = z.input<typeof phones.PairingState>;
export type Phone = z.input<typeof phones.Phone>;
export type Redeemed = z.input<typeof phones.Redeemed>;
export type RedemptionState = z.input<typeof phones.RedemptionState>;
export type ScanStatistics = z.input<typeof statistics.ScanStatistics>;
export type LastUseOfTicket = z.input<typeof lastUse.LastUseOfTicket>;
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

/** A page of the log may be short and yet have a next: one answer examines a limited number of entries. */
export interface LogPage extends Page<LogEntry> {
  readonly searchedBackTo: number;
}

/** What an import would store. */
export interface ListPreview {
  readonly tickets: number;
  readonly ended: number;
}

interface Imported {
  readonly imported?: number;
  readonly existing?: number;
  readonly items?: readonly TicketWithCode[];
}

/** What the operations answer whose answers the page reads. */
export interface Answers {
  'GET /access-tokens': Page<AccessToken>;
  'POST /access-tokens': { readonly name: string; readonly token: string };
  'GET /accounts': Page<Account>;
  'GET /audit-trail': Page<AuditEntry>;
  'GET /devices': Page<Device>;
  'GET /events': Page<Event>;
  'GET /events/:id/deletion': DeletionFacts;
  'GET /keys': Page<Key>;
  'POST /keys': CreatedKey;
  'POST /key-rotations/:id': CreatedKey;
  'GET /log': LogPage;
  'GET /organisation': Organisation;
  'GET /organisation/access-tokens': Page<OwnedAccessToken>;
  'GET /organisation/sheets': SheetSettings;
  'POST /pairings': CreatedPairing;
  'GET /pairings/:id': PairingState;
  'GET /phones': Page<Phone>;
  'POST /redemptions': Redeemed;
  'GET /redemptions/current': RedemptionState;
  'GET /refusals': Refusals;
  'GET /scanners': Page<{ readonly id: string; readonly name: string }>;
  'GET /server': Server;
  'POST /sessions': Session;
  'GET /sessions/current': Session;
  'GET /statistics': Statistics;
  'GET /statistics/scans': ScanStatistics;
  'GET /tickets': Page<Ticket>;
  'POST /tickets': { readonly items: readonly TicketWithCode[] };
  'GET /tickets/:id': TicketWithCode;
  'GET /tickets/:id/last-use': LastUseOfTicket;
  'POST /tickets/cancel': ManyDone;
  'POST /tickets/delete': ManyDone;
  'POST /tickets/erase-holders': Erased;
  'POST /tickets/from-list': Imported;
  'POST /tickets/import': Imported;
  'POST /tickets/sheet.pdf': Blob;
  'GET /webhooks': Page<Webhook>;
  'POST /webhooks': ChangedWebhook;
  'PATCH /webhooks/:id': ChangedWebhook;
  'GET /webhooks/:id/deliveries': Page<WebhookDelivery>;
  'POST /webhooks/:id/test': WebhookDelivery;
}

export type { AccessToken, Account, Erased, LogEntry, ManyDone, Role, SheetSettings, Ticket };
