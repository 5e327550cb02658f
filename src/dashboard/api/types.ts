import type {
  AccessTokenJson,
  AccountJson,
  LogEntryJson,
  Role,
} from '../../core/codecs/records.ts';
import type { RefusalListJson } from '../../core/codecs/refusals.ts';
import type { TicketJson } from '../../core/codecs/ticket.ts';
import type { OwnedAccessToken } from '../../service/admin/wire/accounts.ts';
import type { CreatedKey, Key } from '../../service/admin/wire/keys.ts';
import type {
  AuditEntry,
  Device,
  Server,
  Statistics,
} from '../../service/admin/wire/operations.ts';
import type {
  DeletionFacts,
  Event,
  OwnOrganisation,
} from '../../service/admin/wire/organisation.ts';
import type {
  CreatedPairing,
  PairingState,
  Phone,
  Redeemed,
  RedemptionState,
} from '../../service/admin/wire/phones.ts';
import type { ScanStatistics } from '../../service/admin/wire/scan-statistics.ts';
import type { LastUseOfTicket, ScanDone } from '../../service/admin/wire/scans.ts';
import type { SheetSettingsJson } from '../../service/admin/wire/sheets.ts';
import type { Session } from '../../service/admin/wire/sign-in.ts';
import type { Erased, ManyDone, TicketWithCode } from '../../service/admin/wire/tickets.ts';
import type {
  ChangedWebhook,
  Webhook,
  WebhookDelivery,
} from '../../service/admin/wire/webhooks.ts';

// Types of the admin API's answers, without its schemas: those stay on the server.
export type {
  AccountJson as Account,
  AuditEntry,
  CreatedKey,
  CreatedPairing,
  DeletionFacts,
  Device,
  Erased,
  Event,
  Key,
  LastUseOfTicket,
  LogEntryJson as LogEntry,
  OwnOrganisation as Organisation,
  Phone,
  Role,
  ScanDone,
  ScanStatistics,
  Session,
  SheetSettingsJson as SheetSettings,
  Statistics,
  TicketJson as Ticket,
  TicketWithCode,
  Webhook,
  WebhookDelivery,
};

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
}

/** A page of the log may be short and yet have a next: one answer examines a limited number of entries. */
export interface LogPage extends Page<LogEntryJson> {
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
  'GET /access-tokens': Page<AccessTokenJson>;
  'POST /access-tokens': { readonly name: string; readonly token: string };
  'GET /accounts': Page<AccountJson>;
  'GET /audit-trail': Page<AuditEntry>;
  'GET /devices': Page<Device>;
  'GET /events': Page<Event>;
  'GET /events/:id/deletion': DeletionFacts;
  'GET /keys': Page<Key>;
  'POST /keys': CreatedKey;
  'POST /key-rotations/:id': CreatedKey;
  'GET /log': LogPage;
  'GET /organisation': OwnOrganisation;
  'GET /organisation/access-tokens': Page<OwnedAccessToken>;
  'GET /organisation/sheets': SheetSettingsJson;
  'POST /pairings': CreatedPairing;
  'GET /pairings/:id': PairingState;
  'GET /phones': Page<Phone>;
  'POST /redemptions': Redeemed;
  'GET /redemptions/current': RedemptionState;
  'GET /refusals': RefusalListJson;
  'GET /scanners': Page<{ readonly id: string; readonly name: string }>;
  'GET /server': Server;
  'POST /sessions': Session;
  'GET /sessions/current': Session;
  'GET /statistics': Statistics;
  'GET /statistics/scans': ScanStatistics;
  'GET /tickets': Page<TicketJson>;
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
