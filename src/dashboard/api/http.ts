/**
 * The path under which a proxy serves the service: `/svc`, or nothing. The page's scripts lie in `assets` below it, so the
 * address of this one tells.
 */
export const BASE_PATH = new URL(import.meta.url).pathname.split('/').slice(0, -2).join('/');

/** An operation of the admin API, as its document writes it: `PATCH /keys/:id`. */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

export type AnswerOf<R extends Route> = R extends keyof Answers ? Answers[R] : unknown;

/**
 * One flat object: members that the path names are put there. The others are the query of GET and DELETE, and the JSON body of
 * POST and PATCH; beside a `file`, which is sent as it is, they are the query.
 */
export type Input = Readonly<Record<string, unknown>>;

export type InputOf<R extends Route> = R extends keyof Inputs ? Inputs[R] : Input;

type Values = Readonly<Record<string, string | number>>;

/** What was refused, for a text in the language of the page. */
export interface Explained {
  readonly code?: string | undefined;
  readonly values?: Values | undefined;
}

export interface LineFault extends Explained {
  readonly line: number;
  /** The first lines with this fault. */
  readonly lines: readonly number[];
  readonly count: number;
  readonly column: string | null;
  readonly message: string;
}

interface Refused extends Explained {
  readonly message?: string;
  readonly faults?: readonly LineFault[];
  readonly field?: string;
  readonly good?: number | null;
  readonly badLines?: readonly number[];
  readonly shop?: ShopName;
}

/** An answer that is not 2xx, or no answer at all (`status` 0). */
export class ApiFailure extends Error implements Explained {
  override readonly name = 'ApiFailure';
  readonly status: number;
  /** What is wrong with the lines of a file. */
  readonly faults: readonly LineFault[];
  /** How many tickets a list has without the rows of `badLines`; null where that is not known, or it is no list. */
  readonly good: number | null;
  readonly badLines: readonly number[];
  /** The shop whose list was sent, as it seems. */
  readonly shop: ShopName | undefined;
  readonly code: string | undefined;
  readonly values: Values | undefined;

  constructor(status: number, message: string, refused: Refused = {}) {
    super(message);
    const { faults = [], good = null, badLines = [], code, values, field, shop } = refused;
    this.code = code;
    this.values = field === undefined ? values : { ...values, field };
    this.status = status;
    this.faults = faults;
    this.good = good;
    this.badLines = badLines;
    this.shop = shop;
  }
}

/**
 * Asks the admin API. The session travels in a cookie that no script can read.
 * @param signal gives up, as if no answer came
 * @throws ApiFailure
 */
export async function call<R extends Route>(
  route: R,
  input: InputOf<R>,
  signal: AbortSignal | null = null,
): Promise<AnswerOf<R>> {
  const { address, ...request } = requestOf(route, input);
  const response = await fetchInLanguage(address, { ...request, signal }).catch(() => {
    throw new ApiFailure(0, 'no answer');
  });
  const answer = await contentOf(response);
  if (response.ok) return answer as AnswerOf<R>;
  const refused = (answer ?? {}) as Refused;
  throw new ApiFailure(response.status, refused.message ?? response.statusText, refused);
}

interface OwnRequest extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the server for texts in the language of the page: the browser would ask for its own, and a person may have chosen the other one here. */
export function fetchInLanguage(address: string, request: OwnRequest): Promise<Response> {
  const headers = { ...request.headers, 'accept-language': document.documentElement.lang };
  return fetch(address, { ...request, headers });
}

/** The address for a link or a stream that the browser opens by itself. */
export function addressOf(route: Route, input: Input = {}): string {
  return requestOf(route, input).address;
}

function requestOf(route: Route, input: Input): OwnRequest & { readonly address: string } {
  const [method = '', template = ''] = route.split(' ');
  const { file, ...rest }: Record<string, unknown> = input;
  const path = template.replace(/:(\w+)/gu, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return value;
  });
  const address = `${BASE_PATH}${ADMIN_PREFIX}${path}`;
  if (file instanceof Blob) {
    const headers = { 'content-type': file.type || 'application/octet-stream' };
    return { method, headers, body: file, address: address + queryOf(rest) };
  }
  if (method === 'GET' || method === 'DELETE') return { method, address: address + queryOf(rest) };
  const headers = { 'content-type': 'application/json' };
  return { method, headers, body: JSON.stringify(rest), address };
}

/** JSON, or a file that the server made. */
function contentOf(response: Response): Promise<unknown> {
  const isJson = /json/u.test(response.headers.get('content-type') ?? 'json');
  return isJson ? response.json().catch(() => undefined) : response.blob();
}

/** A query string of what is set; empty values are left out. */
export function queryOf(values: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** What the page asks and is answered, as JSON: typed by the operations of the server, of which nothing else comes along. */
import type * as z from 'zod';
import type { AccountJson, Role } from '../../core/records.ts';
import type { ShopName } from '../../core/shop-names.ts';
import type { OPERATIONS } from '../../features/all.ts';
import type { Redeemed, RedemptionState } from '../../features/phones/operations.ts';
import { ADMIN_PREFIX, type AnswerJson, type InputJson } from '../../operations/operation.ts';

type Operations = { [Op in (typeof OPERATIONS)[number] as Op['http']]: Op };

/** The answers of requests that are no operations: files go in or out, or cookies are set. */
interface OtherAnswers {
  'POST /redemptions': z.input<typeof Redeemed>;
  'GET /redemptions/current': z.input<typeof RedemptionState>;
  'POST /redemptions/current': unknown;
  'POST /sessions': Session;
  'DELETE /sessions/current': unknown;
  'POST /tickets/from-list': Imported;
  'POST /tickets/import': Imported;
  'POST /tickets/list-from-workbook': WorksheetList;
  'POST /tickets/sheet.pdf': Blob;
}

/** The answers by method and path. */
type Answers = OtherAnswers & {
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
type Inputs = { [Http in keyof Operations]: Loose<InputJson<Operations[Http]>> };

type ItemOf<Http extends keyof Answers> = Answers[Http] extends {
  readonly items: readonly (infer Item)[];
}
  ? Item
  : never;

export type { Role };
export type Account = AccountJson;
export type AuditEntry = ItemOf<'GET /audit-log'>;
export type CreatedKey = Answers['POST /keys'];
export type CreatedPairing = Answers['POST /pairings'];
export type Device = ItemOf<'GET /devices'>;
export type Erased = Answers['POST /tickets/erase-holders'];
export type Event = ItemOf<'GET /events'>;
export type InForce = Answers['GET /in-force'];
export type Key = ItemOf<'GET /keys'>;
export type LogEntry = ItemOf<'GET /log'>;
export type LogPage = Answers['GET /log'];
export type Organisation = Answers['GET /organisation'];
export type Phone = ItemOf<'GET /phones'>;
export type ScanClosing = Answers['GET /statistics/closing'];
export type ScanDone = Answers['POST /scans'];
export type ScanStatistics = Answers['GET /statistics/scans'];
export type Session = Answers['GET /sessions/current'];
export type Site = ItemOf<'GET /sites'>;
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
  /** Those of them that are skipped, because their reference is known. */
  readonly known: number;
  /** Rows that say of themselves that they were cancelled. */
  readonly cancelledRows?: number;
  /** What it would change of tickets that are there. */
  readonly changes?: ListChanges;
  readonly otherNumbers?: OtherNumbers;
  readonly cancelledColumns?: readonly CancelledColumn[];
}

/** A column that says which rows were cancelled, and what it has besides. */
export interface CancelledColumn {
  readonly heading: string;
  readonly counting: readonly { readonly text: string; readonly count: number }[];
  readonly more: number;
  readonly unseen: readonly string[];
}

/** The references of which a list has another number of tickets than there are. */
export interface OtherNumbers {
  readonly count: number;
  readonly first: readonly {
    readonly reference: string;
    readonly listed: number;
    readonly here: number;
  }[];
}

/** What a list changes of the tickets of its references. */
export interface ListChanges {
  readonly changed: number;
  readonly cancelled: number;
  readonly unchanged: number;
  readonly stayCancelled: number;
  readonly elsewhere: number;
  readonly differing: number;
  readonly first: readonly {
    readonly ticketId: string;
    readonly reference: string;
    readonly isCancelled: boolean;
    readonly before: ListedTerms;
    readonly after: ListedTerms;
  }[];
}

/** What a list can say otherwise of a ticket. */
export interface ListedTerms {
  readonly holder?: { readonly firstName: string; readonly lastName: string } | null;
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
}

/** A sheet of a workbook as CSV, and the names of all sheets. */
export interface WorksheetList {
  readonly worksheet: string;
  readonly worksheets: readonly string[];
  readonly otherWorksheets: readonly string[];
  readonly hiddenRows: number;
  readonly hiddenColumns: readonly string[];
  readonly csv: string;
}

interface Imported {
  readonly imported?: number;
  readonly existing?: number;
  readonly known?: number;
  readonly changed?: number;
  readonly cancelled?: number;
  readonly otherNumbers?: OtherNumbers;
  readonly cancelledColumns?: readonly CancelledColumn[];
  readonly items?: readonly TicketWithCode[];
}
