/** What the page asks and is answered, as JSON: typed by the operations of the server, of which nothing else comes along. */
import type * as z from 'zod';
import type { AccountJson, Role } from '../../core/records.ts';
import type { Redeemed, RedemptionState } from '../../features/accounts/phone-operations.ts';
import type { OPERATIONS } from '../../features/all.ts';
import type { AnswerJson, InputJson } from '../../operations/operation.ts';

type Operations = { [Op in (typeof OPERATIONS)[number] as Op['http']]: Op };

/** The answers of requests that are no operations: files go in or out, or cookies are set. */
interface OtherAnswers {
  'POST /redemptions': z.input<typeof Redeemed>;
  'GET /redemptions/current': z.input<typeof RedemptionState>;
  'POST /sessions': Session;
  'DELETE /sessions/current': unknown;
  'POST /tickets/from-list': Imported;
  'POST /tickets/import': Imported;
  'POST /tickets/sheet.pdf': Blob;
}

/** By method and path. */
export type Answers = OtherAnswers & {
  [Http in keyof Operations]: AnswerJson<Operations[Http]>;
};

/** Members that may be left out may also be empty: a filter that is not chosen. */
type Loose<Input> = {
  [Name in keyof Input as undefined extends Input[Name] ? never : Name]: Input[Name];
} & {
  [Name in keyof Input as undefined extends Input[Name] ? Name : never]?:
    | Input[Name]
    | null
    | undefined
    | '';
};
/** What each of them takes (path, query and body), in one flat object. */
export type Inputs = { [Http in keyof Operations]: Loose<InputJson<Operations[Http]>> };

type ItemOf<Http extends keyof Answers> = Answers[Http] extends {
  readonly items: readonly (infer Item)[];
}
  ? Item
  : never;

export type { Role };
export type Account = AccountJson;
export type AuditEntry = ItemOf<'GET /audit-trail'>;
export type CreatedKey = Answers['POST /keys'];
export type CreatedPairing = Answers['POST /pairings'];
export type DeletionFacts = Answers['GET /events/:id/deletion'];
export type Device = ItemOf<'GET /devices'>;
export type Erased = Answers['POST /tickets/erase-holders'];
export type Event = ItemOf<'GET /events'>;
export type Key = ItemOf<'GET /keys'>;
export type LastUseOfTicket = Answers['GET /tickets/:id/last-use'];
export type LogEntry = ItemOf<'GET /log'>;
export type LogPage = Answers['GET /log'];
export type Organisation = Answers['GET /organisation'];
export type Phone = ItemOf<'GET /phones'>;
export type ScanDone = Answers['POST /scans'];
export type ScanStatistics = Answers['GET /statistics/scans'];
export type Session = Answers['GET /sessions/current'];
export type SheetSettings = Answers['GET /organisation/sheets'];
export type Statistics = Answers['GET /statistics'];
export type Ticket = ItemOf<'GET /tickets'>;
export type ShownTicket = Answers['GET /tickets/:id'];
export type TicketWithCode = ItemOf<'POST /tickets'>;
export type Webhook = ItemOf<'GET /webhooks'>;
export type WebhookDelivery = ItemOf<'GET /webhooks/:id/deliveries'>;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last. */
  readonly next: string | number | null;
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
