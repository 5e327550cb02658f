import {
  allowedUsesOf,
  type Target,
  type TargetTicket,
  type TicketKind,
} from '../deployment/target.ts';
import {
  type Endpoint,
  type Exchange,
  endpointAt,
  isConsume,
  isRest,
  keyIn,
  type RequestSpec,
} from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { mayTell } from '../facts/scan-result.ts';
import { cardOf } from '../requests/scan-request.ts';
import { allowedAnswers, isAccepted, type LimitedKey, type Shown } from './allowed.ts';
import { codeIn, type ShownKey, shownKey } from './shown.ts';
import { TicketFacts, type WrongFact } from './ticket-facts.ts';

/** What a right server answers to a request. */
export interface Expected {
  /** What was shown, in words: `a ticket (expired)`, `no key`. */
  readonly what: string;
  readonly outcomes: readonly Outcome[];
  /** True where the key is refused, so that everything about a ticket is wrong. */
  readonly isKeyRefused?: true;
  /** True where this run changed the key before: what is wrong may be that change. */
  readonly isKeyChanged?: true;
  readonly kind?: TicketKind;
  readonly code?: string;
}

type Window = Pick<TargetTicket, 'validFrom' | 'validUntil'>;

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
  /** Endpoint and key of what was decided. */
  readonly #accepted = new Set<string>();
  /** Endpoint, key and names of headers and parameters of what was decided. */
  readonly #acceptedForms = new Set<string>();
  /** The ticketId of a code: what the target says, else what validate first showed for it and for no other before. */
  readonly #ids = new Map<string, string>();
  /** The codes for which a ticketId was shown. */
  readonly #codesOf = new Map<string, Set<string>>();
  /** When validate first let the ticket in. */
  readonly #goodAt = new Map<string, number>();
  /** Codes of which a use may have been taken without an answer. */
  readonly #lost = new Set<string>();
  /** Every answer to a request that shows a ticket of the target. */
  readonly #about = new Map<string, Exchange[]>();
  #facts: TicketFacts | undefined;
  /** What the run has made of keys that it may change. */
  readonly #changedKeys = new Map<string, LimitedKey>();
  /** The key of each answer as it was then: a later change says nothing about it. */
  readonly #keys = new WeakMap<object, ShownKey | undefined>();
  readonly #all: Exchange[] = [];
  /** By what they show, whether the target knows it or not. */
  readonly #showing = new Map<string, Exchange[]>();
  /** By path and body. */
  readonly #alike = new Map<string, Exchange[]>();
  /** As far as it was looked. */
  readonly #areUsesKnown = new Map<string, boolean>();

  readonly #sold = new Map<string, Window>();

  constructor(target: () => Target) {
    this.#target = target;
    for (const [kind, tickets] of Object.entries(target().tickets))
      for (const { code, ticketId, ...sold } of tickets) {
        this.#kinds.set(code, kind as TicketKind);
        this.#sold.set(code, sold);
        if (ticketId !== undefined) this.#ids.set(code, ticketId);
      }
  }

  /** When a ticket may enter, as far as the target says it. */
  windowOf(code: string | undefined): Window | undefined {
    return this.#sold.get(code ?? '');
  }

  /** Every answer of an endpoint, in the order in which they came. */
  get exchanges(): readonly Exchange[] {
    return this.#all;
  }

  /** The answers to requests that ask the same, with whatever key, in the order in which they came. */
  alike(exchange: Pick<Exchange, 'request'>): readonly Exchange[] {
    return this.#alike.get(askedIn(exchange)) ?? [];
  }

  /** The answers to requests that show the same code, at every endpoint, in the order in which they came. */
  about({ request }: Pick<Exchange, 'request'>): readonly Exchange[] {
    const endpoint = endpointAt(request);
    return this.#showing.get((endpoint && codeIn(request, endpoint)) ?? '') ?? [];
  }

  /** Takes notice of an answer of the run. */
  note(exchange: Exchange): void {
    const endpoint = endpointAt(exchange.request);
    if (endpoint === undefined) return;
    this.#keys.set(exchange, this.keyOf(exchange, endpoint));
    this.#all.push(exchange);
    addTo(this.#alike, askedIn(exchange), exchange);
    this.#noteStatus(exchange, endpoint);
    const code = codeIn(exchange.request, endpoint);
    if (code === undefined) return;
    this.#shown.add(code);
    addTo(this.#showing, code, exchange);
    this.#noteAbout(exchange, code);
    this.#noteId(exchange, code);
    const { used, outcome } = read(exchange.answer);
    const isUse = isConsume(endpoint) && outcome === 'granted';
    const before = this.usesBefore(exchange, code);
    if (outcome === 'granted' && !isUse && !this.#goodAt.has(code))
      this.#goodAt.set(code, exchange.startedMs);
    if (used !== undefined && before !== undefined && !this.#atFirst.has(code))
      this.#atFirst.set(code, used - before - (isUse ? 1 : 0));
    if (isConsume(endpoint)) addTo(this.#uses, code, exchange);
  }

  #noteAbout(exchange: Exchange, code: string): void {
    if (!this.#kinds.has(code)) return;
    addTo(this.#about, code, exchange);
    this.#facts = undefined;
    this.#areUsesKnown.delete(code);
  }

  /**
   * Takes notice of what the run makes of a key that it may change: answers from now on are to a key of this state.
   * @param state undefined while it is changed, and for one that may be good: whether it was before is not known
   */
  noteKey(value: string, state: LimitedKey | undefined): void {
    if (state === undefined) this.#changedKeys.delete(value);
    else this.#changedKeys.set(value, state);
  }

  /** What an answer tells of its ticket against the target and other answers of the run; undefined where nothing speaks against it. */
  wrongFact({ request, answer }: Exchange): WrongFact | undefined {
    const endpoint = endpointAt(request);
    const code = endpoint && codeIn(request, endpoint);
    if (endpoint === undefined || code === undefined || !this.#kinds.has(code)) return undefined;
    this.#facts ??= this.#learned();
    return this.#facts.wrongIn({ code, endpoint, answer });
  }

  /** False for an answer with an outcome that the specification does not allow to its request. */
  isRightOutcome(exchange: Exchange): boolean {
    const { outcomes } = this.of(exchange) ?? {};
    return outcomes === undefined || outcomes.includes(read(exchange.answer).outcome);
  }

  /** The first answer before this one that let its ticket in, and had to refuse it: what later ones show of that use is right after it. */
  wrongGrantBefore({ request, startedMs }: Sent): Exchange | undefined {
    const endpoint = endpointAt(request);
    const code = endpoint && codeIn(request, endpoint);
    const uses = code === undefined ? [] : (this.#uses.get(code) ?? []);
    return uses.find(
      (one) =>
        one.startedMs + one.durationMs - ROUNDING_MS <= startedMs &&
        read(one.answer).outcome === 'granted' &&
        !this.isRightOutcome(one),
    );
  }

  /**
   * Says what later answers may be held against.
   * @param names fields of a scan result
   * @returns those that this answer does not tell wrongly: of their type or absent, not of another ticket, nothing that the target contradicts
   */
  heldIn(exchange: Exchange, names: readonly string[]): readonly string[] {
    if (!this.isRightOutcome(exchange)) return [];
    const body = isRecord(exchange.answer.json) ? exchange.answer.json : {};
    const isForeign = this.isOfAnotherTicket(exchange);
    const wrong = this.wrongFact(exchange)?.field;
    const isWrong = (name: string) =>
      name === wrong || (name === 'ticketId' && isForeign) || !mayTell(body, name);
    return names.filter((name) => !isWrong(name));
  }

  /** What the target says counts before what validate showed, and that before the rest. */
  #learned(): TicketFacts {
    const facts = new TicketFacts();
    for (const tickets of Object.values(this.#target().tickets)) tickets.forEach(facts.add, facts);
    const about = [...this.#about]
      .flatMap(([code, exchanges]) => exchanges.map((exchange) => ({ code, exchange })))
      .toSorted((one, other) => one.exchange.startedMs - other.exchange.startedMs);
    const isValidate = ({ exchange }: { readonly exchange: Exchange }) =>
      endpointAt(exchange.request) === 'validate';
    for (const { code, exchange } of [
      ...about.filter(isValidate),
      ...about.filter((one) => !isValidate(one)),
    ]) {
      const endpoint = endpointAt(exchange.request);
      if (endpoint && exchange.level === 'stated')
        facts.learn({ code, endpoint, answer: exchange.answer });
    }
    return facts;
  }

  /**
   * The uses that an answer had to show and those that it shows (section 3.2), also of a ticket that is refused: no refusal takes a use.
   * Undefined where they agree, and where the uses before it are not known. Gates share permanent cards.
   */
  miscountIn(exchange: Exchange): { readonly right: number; readonly shown: number } | undefined {
    const endpoint = endpointAt(exchange.request);
    const code = endpoint && codeIn(exchange.request, endpoint);
    const kind = code === undefined ? undefined : this.#kinds.get(code);
    if (endpoint === undefined || code === undefined || kind === undefined) return undefined;
    if (kind.startsWith('permanent')) return undefined;
    // Whether one that had to be refused took a use is not known.
    if (!this.areUsesKnown(code)) return undefined;
    const first = this.#countAfter(this.#about.get(code) ?? [], code);
    const seen = this.#countAfter([exchange], code);
    if (first === undefined || seen === undefined) return undefined;
    const isUnused = kind === 'single' && first.isGranted;
    const before = isUnused ? 0 : first.shown - first.granted;
    const right = before + seen.granted;
    return seen.shown === right ? undefined : { right, shown: seen.shown };
  }

  /**
   * False for a ticket that was let in where it had to be refused, whatever uses it had: by a key without access to it, or in a state that
   * admits nobody. Whether that took a use is not known.
   */
  areUsesKnown(code: string): boolean {
    const known = this.#areUsesKnown.get(code);
    if (known !== undefined) return known;
    const areKnown = (this.#about.get(code) ?? []).every(
      (one) => read(one.answer).outcome !== 'granted' || this.#mayBeGranted(one, code),
    );
    this.#areUsesKnown.set(code, areKnown);
    return areKnown;
  }

  /** True where the ticket may be let in while it has uses. */
  #mayBeGranted(exchange: Exchange, code: string): boolean {
    const endpoint = endpointAt(exchange.request);
    const key = endpoint && this.keyOf(exchange, endpoint);
    const kind = this.#kinds.get(code);
    if (endpoint === undefined || key === undefined || kind === undefined) return true;
    const shown = { is: 'ticket', kind } as const;
    const { outcomes } = allowedAnswers({ endpoint, key: key.state, shown });
    return outcomes === undefined || outcomes.includes('granted');
  }

  /** True where earlier answers of the run show that the ticket has uses left: others may have used it before the run. */
  hasUsesLeft(exchange: Exchange, code: string): boolean {
    const kind = this.#kinds.get(code);
    const allowed = kind && this.#allowedOf(code, kind);
    const before = this.usesBefore(exchange, code);
    const earlier = (this.#about.get(code) ?? []).filter(
      (one) => one.startedMs + one.durationMs <= exchange.startedMs,
    );
    const first = this.#countAfter(earlier, code);
    if (allowed === undefined || before === undefined || !first) return false;
    return this.areUsesKnown(code) && first.shown - first.granted + before < allowed;
  }

  /** The uses that the first of these answers shows, and those that were granted up to it, its own included. */
  #countAfter(exchanges: readonly Exchange[], code: string) {
    for (const exchange of exchanges) {
      const { used, outcome } = read(exchange.answer);
      const before = this.usesBefore(exchange, code);
      if (used === undefined || before === undefined) continue;
      const endpoint = endpointAt(exchange.request);
      const isGranted = outcome === 'granted';
      const own = endpoint !== undefined && isConsume(endpoint) && isGranted ? 1 : 0;
      return { shown: used, granted: before + own, isGranted };
    }
    return undefined;
  }

  #noteStatus({ request, answer: { status } }: Exchange, endpoint: Endpoint): void {
    if (status < 400) this.#served.add(endpoint);
    // What refuses a method or a length may do so before it looks at the key.
    const hasDecided = status < 400 || status === 403 || status === 404;
    if (!hasDecided || (request.method ?? 'POST') !== 'POST') return;
    this.#accepted.add(`${endpoint} ${keyIn(request)}`);
    this.#acceptedForms.add(`${endpoint} ${formOf(request)}`);
  }

  /** True where the endpoint has decided another request with this key. */
  wasAccepted(request: RequestSpec): boolean {
    return this.#accepted.has(`${endpointAt(request)} ${keyIn(request)}`);
  }

  /** True where a request with this key in the same form was accepted: its headers and parameters are no reason to refuse it. */
  wasFormAccepted(request: RequestSpec): boolean {
    return this.#acceptedForms.has(`${endpointAt(request)} ${formOf(request)}`);
  }

  /** How many other requests showed the same ticket while this one was under way. */
  besides(exchange: Exchange): number {
    const endpoint = endpointAt(exchange.request);
    const code = endpoint && codeIn(exchange.request, endpoint);
    const others = this.#about.get(code ?? '') ?? [];
    const end = exchange.startedMs + exchange.durationMs;
    return others.filter(
      (one) =>
        one !== exchange &&
        one.startedMs < end &&
        one.startedMs + one.durationMs > exchange.startedMs,
    ).length;
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
    const codes = (this.#codesOf.get(id) ?? new Set()).add(code);
    this.#codesOf.set(id, codes);
    const isFirst = endpointAt(request) === 'validate' && !this.#ids.has(code);
    if (isFirst && codes.size === 1) this.#ids.set(code, id);
  }

  /** True where the answer shows a ticketId that was shown for another code as well, and that is not the one of this code. */
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

  /** Undefined where the specification leaves it open. */
  of(exchange: Sent): Expected | undefined {
    const { request } = exchange;
    const endpoint = endpointAt(request);
    if (!endpoint || (request.method ?? 'POST') !== 'POST') return undefined;
    const key = this.keyOf(exchange, endpoint);
    if (key === undefined) return undefined;
    const code = codeIn(request, endpoint);
    // A key that must be refused is refused whatever it shows, so the uses of the ticket do not matter.
    const shown = isAccepted(key.state) ? this.#shownBy(exchange, endpoint, code) : unread(code);
    const { outcomes } = allowedAnswers({ endpoint, key: key.state, shown });
    if (outcomes === undefined) return undefined;
    const changed = key.isChanged ? { isKeyChanged: true as const } : {};
    if (!isAccepted(key.state))
      return { what: `a request with ${key.what}`, outcomes, isKeyRefused: true, ...changed };
    if (endpoint === 'heartbeat') return { what: 'a heartbeat', outcomes };
    return {
      what: inWords(shown, outcomes),
      outcomes,
      ...changed,
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

  #shownBy(exchange: Sent, endpoint: Endpoint, code: string | undefined): Shown {
    if (code === undefined || endpoint === 'heartbeat') return { is: 'nothing' };
    const kind = this.#kinds.get(code);
    if (kind === undefined) return { is: 'forged' };
    // Gates share a permanent card; its end is not described.
    if (kind === 'permanent') return { is: 'ticket', kind, uses: 'left' };
    if (!isGood(kind)) return { is: 'ticket', kind };
    const used = this.usesBefore(exchange, code);
    // Every ticket that is good has one use at least.
    const allowed = this.#allowedOf(code, kind) ?? (used === 0 ? 1 : undefined);
    // Other requests came between, so that the uses of the ticket are not known.
    if (used === undefined || allowed === undefined) return { is: 'ticket', kind };
    return { is: 'ticket', kind, uses: used < allowed ? 'left' : 'none' };
  }

  #allowedOf(code: string, kind: TicketKind): number | undefined {
    const ticket = this.#target().tickets[kind]?.find((one) => one.code === code);
    return allowedUsesOf(ticket ?? {}, kind);
  }

  /** True where the request carries a good key of its type in its place. */
  isKeyGood(sent: Pick<Exchange, 'request'>): boolean {
    const endpoint = endpointAt(sent.request);
    const key = endpoint && this.keyOf(sent, endpoint);
    return key !== undefined && isAccepted(key.state);
  }

  /** The key in its place. Undefined where the specification leaves open what it does. */
  keyOf(sent: Pick<Exchange, 'request'>, endpoint: Endpoint): ShownKey | undefined {
    if (this.#keys.has(sent)) return this.#keys.get(sent);
    return shownKey(sent.request, endpoint, this.#target().keys, this.#changedKeys);
  }
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

function addTo<T>(lists: Map<string, T[]>, name: string, one: T): void {
  const list = lists.get(name);
  if (list) list.push(one);
  else lists.set(name, [one]);
}

function askedIn({ request: { path, body } }: Pick<Exchange, 'request'>): string {
  return `${path} ${String(body)}`;
}

/** A request without what it shows: the same for two that differ in their ticket alone. */
function formOf(request: RequestSpec): string {
  const { headers = [], query = [] } = request;
  const names = [...headers, ...query].map(([name, value]) =>
    name.toLowerCase() === 'x-api-key' || name === 'key' ? name : `${name}: ${value}`,
  );
  return `${keyIn(request)} ${names.join(', ')}`;
}
