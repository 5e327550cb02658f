import { isRecord, parsedJson } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { allowedAnswers, isAccepted, type KeyState, type Shown } from '../law/allowed.ts';
import {
  type Endpoint,
  type Exchange,
  endpointAt,
  isConsume,
  isRest,
  keyIn,
  type RequestSpec,
} from '../requests/exchange.ts';
import { cardOf } from '../requests/scan-request.ts';
import { KEY_NAMES, type KeyName, type Target, type TicketKind } from '../target/target.ts';

/** What a right server answers to a request. */
export interface Expected {
  /** What was shown, in words: `a ticket (expired)`, `no key`. */
  readonly what: string;
  readonly outcomes: readonly Outcome[];
  /** True where the key is refused, so that everything about a ticket is wrong. */
  readonly isKeyRefused?: true;
  readonly kind?: TicketKind;
  readonly code?: string;
}

/** What a sum of times is wrong by. */
const ROUNDING_MS = 0.001;

type Sent = Pick<Exchange, 'request' | 'startedMs' | 'durationMs'>;

/** What the run knows of its tickets and keys: enough to say what each single answer had to be. */
export class ExpectedAnswers {
  readonly #kinds = new Map<string, TicketKind>();
  readonly #target: () => Target;
  /** The answers of the consume endpoints to each code, as they came. */
  readonly #uses = new Map<string, Exchange[]>();
  readonly #atFirst = new Map<string, number>();
  readonly #shown = new Set<string>();
  readonly #served = new Set<Endpoint>();
  /** Endpoint and key of what was not answered with 401. */
  readonly #accepted = new Set<string>();
  /** The ticketId that validate first showed for a code. */
  readonly #ids = new Map<string, string>();
  /** The codes for which a ticketId was shown. */
  readonly #codesOf = new Map<string, Set<string>>();
  /** When validate first let the ticket in. */
  readonly #goodAt = new Map<string, number>();
  /** Codes of which a use may have been taken without an answer. */
  readonly #lost = new Set<string>();

  constructor(target: () => Target) {
    this.#target = target;
    for (const [kind, tickets] of Object.entries(target().tickets))
      for (const { code } of tickets) this.#kinds.set(code, kind as TicketKind);
  }

  /** Takes notice of an answer of the run. */
  note(exchange: Exchange): void {
    const endpoint = endpointAt(exchange.request);
    if (endpoint === undefined) return;
    this.#noteStatus(exchange, endpoint);
    const code = codeIn(exchange.request, endpoint);
    if (code === undefined) return;
    this.#shown.add(code);
    this.#noteId(exchange, code);
    const { used, outcome } = read(exchange.answer);
    const isUse = isConsume(endpoint) && outcome === 'granted';
    const before = this.usesBefore(exchange, code);
    if (outcome === 'granted' && !isUse && !this.#goodAt.has(code))
      this.#goodAt.set(code, exchange.startedMs);
    if (used !== undefined && before !== undefined && !this.#atFirst.has(code))
      this.#atFirst.set(code, used - before - (isUse ? 1 : 0));
    if (isConsume(endpoint)) this.#uses.set(code, [...(this.#uses.get(code) ?? []), exchange]);
  }

  #noteStatus({ request, answer: { status } }: Exchange, endpoint: Endpoint): void {
    if (status < 400) this.#served.add(endpoint);
    if (status !== 401) this.#accepted.add(`${endpoint} ${keyIn(request)}`);
  }

  /** True where the endpoint has answered another request with this key otherwise than with 401. */
  wasAccepted(request: RequestSpec): boolean {
    return this.#accepted.has(`${endpointAt(request)} ${keyIn(request)}`);
  }

  /** False for an endpoint of which every answer of the run was an HTTP error. */
  isServed(endpoint: Endpoint): boolean {
    return this.#served.has(endpoint);
  }

  /** True where an earlier answer of the run said that the ticket was good. */
  wasGood(exchange: Exchange, code: string): boolean {
    return (this.#goodAt.get(code) ?? Number.POSITIVE_INFINITY) < exchange.startedMs;
  }

  #noteId({ request, answer }: Exchange, code: string): void {
    const id = idIn(answer);
    if (id === undefined || !this.#kinds.has(code)) return;
    this.#codesOf.set(id, (this.#codesOf.get(id) ?? new Set()).add(code));
    if (endpointAt(request) === 'validate' && !this.#ids.has(code)) this.#ids.set(code, id);
  }

  /** True where the answer shows the ticketId of another code as well, and validate did not show it for this one. */
  isOfAnotherTicket({ request, answer }: Exchange): boolean {
    const endpoint = endpointAt(request);
    const code = endpoint && codeIn(request, endpoint);
    const shown = idIn(answer) ?? '';
    return this.#ids.get(code ?? '') !== shown && (this.#codesOf.get(shown)?.size ?? 0) > 1;
  }

  /** The uses that a ticket had before the run: of permanent cards, which every run may use. */
  usesAtFirst(code: string): number {
    return this.#kinds.get(code) === 'permanent' ? (this.#atFirst.get(code) ?? 0) : 0;
  }

  /** Takes notice of a request without an answer: whether it took a use is not known. */
  noteLost(request: RequestSpec): void {
    const endpoint = endpointAt(request);
    const code = endpoint && codeIn(request, endpoint);
    if (endpoint === undefined || code === undefined) return;
    this.#shown.add(code);
    if (isConsume(endpoint)) this.#lost.add(code);
  }

  /** The same request with other tickets of its kind, which were not shown in this run: at most so many. */
  withOtherTickets(request: RequestSpec, most: number): RequestSpec[] {
    const endpoint = endpointAt(request);
    const code = endpoint && codeIn(request, endpoint);
    const kind = code === undefined ? undefined : this.#kinds.get(code);
    if (endpoint === undefined || code === undefined || kind === undefined) return [];
    const others = (this.#target().tickets[kind] ?? []).filter((one) => !this.#shown.has(one.code));
    const [from, to] = isRest(endpoint) ? [code, (text: string) => text] : [cardOf(code), cardOf];
    return others.slice(0, most).map((other) => ({
      ...request,
      body: String(request.body).replace(from, to(other.code)),
    }));
  }

  /** What a request gets that is sent now. */
  ofRequest(request: RequestSpec): Expected | undefined {
    // every answer that is known came before it
    return this.of({ request, startedMs: Number.POSITIVE_INFINITY, durationMs: 0 });
  }

  /** Undefined where the specification leaves it open, or where other requests came between. */
  of(exchange: Sent): Expected | undefined {
    const { request } = exchange;
    const endpoint = endpointAt(request);
    if (!endpoint || (request.method ?? 'POST') !== 'POST') return undefined;
    const key = this.keyOf(request, endpoint);
    if (key === undefined) return undefined;
    const code = codeIn(request, endpoint);
    // A key that must be refused is refused whatever it shows, so the uses of the ticket do not matter.
    const shown = isAccepted(key.state) ? this.#shownBy(exchange, endpoint, code) : unread(code);
    if (shown === undefined) return undefined;
    const { outcomes } = allowedAnswers({ endpoint, key: key.state, shown });
    if (outcomes === undefined) return undefined;
    if (!isAccepted(key.state))
      return { what: `a request with ${key.what}`, outcomes, isKeyRefused: true };
    if (endpoint === 'heartbeat') return { what: 'a heartbeat', outcomes };
    return {
      what: inWords(shown, outcomes),
      outcomes,
      ...(shown.is === 'ticket' && { kind: shown.kind }),
      ...(shown.is !== 'nothing' && code !== undefined && { code }),
    };
  }

  /** The uses of a ticket that were granted before this answer; undefined where requests overlapped. */
  usesBefore(exchange: Sent, code: string): number | undefined {
    if (this.#lost.has(code)) return undefined;
    const begun = exchange.startedMs;
    let uses = 0;
    for (const one of this.#uses.get(code) ?? []) {
      if (one === exchange) continue;
      const from = one.startedMs;
      if (from + one.durationMs - ROUNDING_MS <= begun)
        uses += read(one.answer).outcome === 'granted' ? 1 : 0;
      else if (from < begun + exchange.durationMs - ROUNDING_MS) return undefined;
    }
    return uses;
  }

  /** Undefined where other requests came between, so that the uses of a ticket are not known. */
  #shownBy(exchange: Sent, endpoint: Endpoint, code: string | undefined): Shown | undefined {
    if (code === undefined || endpoint === 'heartbeat') return { is: 'nothing' };
    const kind = this.#kinds.get(code);
    if (kind === undefined) return { is: 'forged' };
    // Gates share a permanent card; its end is not described.
    if (kind === 'permanent') return { is: 'ticket', kind, uses: 'left' };
    if (!isGood(kind)) return { is: 'ticket', kind };
    const used = this.usesBefore(exchange, code);
    // Every ticket that is good has one use at least.
    const allowed = this.#allowedOf(code, kind) ?? (used === 0 ? 1 : undefined);
    if (used === undefined || allowed === undefined) return undefined;
    return { is: 'ticket', kind, uses: used < allowed ? 'left' : 'none' };
  }

  #allowedOf(code: string, kind: TicketKind): number | undefined {
    const ticket = this.#target().tickets[kind]?.find((one) => one.code === code);
    if (ticket?.usesAllowed !== undefined) return ticket.usesAllowed;
    if (kind === 'permanent') return 9999;
    return kind === 'single' ? 1 : kind === 'hundred' ? 100 : undefined;
  }

  /** True where the request carries a good key of its type in its place. */
  isKeyGood(request: RequestSpec): boolean {
    const endpoint = endpointAt(request);
    const key = endpoint && this.keyOf(request, endpoint);
    return key !== undefined && isAccepted(key.state);
  }

  /** The key in its place. Undefined where the specification leaves open what it does. */
  keyOf(
    { headers = [], query = [] }: RequestSpec,
    endpoint: Endpoint,
  ): { what: string; state: KeyState } | undefined {
    const given = isRest(endpoint)
      ? headers.filter(([name]) => name.toLowerCase() === 'x-api-key')
      : query.filter(([name]) => name === 'key');
    if (given.length > 1) return undefined;
    const value = given[0]?.[1];
    const name = KEY_NAMES.find((one) => value !== undefined && this.#target().keys[one] === value);
    if (name === undefined)
      return { what: this.#whatIsShown(value, { headers, query }), state: 'refused' };
    if (/spare|quota/i.test(name)) return undefined;
    const isOwnType = name.startsWith('hardware') !== isRest(endpoint);
    return {
      what: isOwnType ? (KEY_IN_WORDS[name] ?? `the key "${name}"`) : 'a key of the other type',
      state: stateOf(name, isOwnType),
    };
  }

  #whatIsShown(
    value: string | undefined,
    { headers = [], query = [] }: Partial<RequestSpec>,
  ): string {
    if (value !== undefined) return 'a wrong key';
    const keys = Object.values(this.#target().keys);
    const isElsewhere = [...headers, ...query].some(([, text]) =>
      keys.some((key) => text.includes(key)),
    );
    return isElsewhere ? 'a key in the wrong place' : 'no key';
  }
}

const KEY_IN_WORDS: Readonly<Partial<Record<KeyName, string>>> = {
  disabled: 'a disabled key',
  hardwareDisabled: 'a disabled key',
  deleted: 'a deleted key',
  hardwareDeleted: 'a deleted key',
};

function stateOf(name: KeyName, isOwnType: boolean): KeyState {
  if (/disabled/i.test(name)) return 'disabled';
  if (!isOwnType || /deleted/i.test(name)) return 'refused';
  return name.endsWith('Scoped') ? 'scoped' : 'good';
}

/** What a request shows to a service that does not read its code. */
function unread(code: string | undefined): Shown {
  return { is: code === undefined ? 'nothing' : 'forged' };
}

/** True for a ticket that is let in while it has uses. */
function isGood(kind: TicketKind): boolean {
  const shown = { is: 'ticket', kind } as const;
  const { outcomes } = allowedAnswers({ endpoint: 'validate', key: 'good', shown });
  return outcomes?.includes('granted') === true;
}

function inWords(shown: Shown, outcomes: readonly Outcome[]): string {
  if (shown.is === 'nothing') return 'a body without a usable ticketCode';
  if (shown.is === 'forged') return 'a forged code';
  if (outcomes[0] === 'event_not_allowed') return 'a ticket outside the scope of the key';
  const ticket = `a ticket (${shown.kind})`;
  return shown.uses === 'none' ? `${ticket} whose uses were taken` : ticket;
}

function idIn({ json }: Exchange['answer']): string | undefined {
  const id = isRecord(json) ? json['ticketId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The code that a request shows; undefined for a body that holds none. */
function codeIn({ body }: RequestSpec, endpoint: Endpoint): string | undefined {
  const json = parsedJson(Buffer.from(body ?? '').toString('utf8'));
  if (!isRecord(json)) return undefined;
  const { ticketCode, Card } = json;
  if (isRest(endpoint))
    return typeof ticketCode === 'string' && ticketCode !== '' ? ticketCode : undefined;
  if (typeof Card !== 'string' || Card === '') return undefined;
  return Buffer.from(Card, 'base64').toString('utf8');
}
