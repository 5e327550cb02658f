import {
  type KeyName,
  keyVariable,
  limitsOf,
  type TargetLimits,
  type TargetTicket,
  type TicketKind,
} from '../deployment/target.ts';
import {
  type DeviceEndpoint,
  type Endpoint,
  type Exchange,
  endpointAt,
  isRest,
  type RequestSpec,
  type ScanEndpoint,
} from '../facts/exchange.ts';
import { CheckerBug, Deviation } from '../facts/failures.ts';
import type { SpareKeys } from '../key-changes/spare-keys.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import type { HttpsLook } from '../requests/https-look.ts';
import { ANY_DEVICE, keylessRequest, withKey } from '../requests/scan-request.ts';
import type { Clock } from '../time/clock.ts';
import type { Allotment, RequestOrigin, RunServices, Send, Spoil } from './run-services.ts';

const NOTHING: Allotment = { tickets: {}, decoys: [], sharedCard: undefined };

/** What a case works with: the endpoints, its own tickets, the keys, and what the run has seen so far. */
export class Scan {
  readonly #run: RunServices;
  readonly #owner: RequestOrigin;
  readonly #given: Allotment;
  readonly #asked = new Set<Endpoint>();
  /** How many requests this question has sent. */
  requests = 0;
  #last: Exchange | undefined;

  constructor(run: RunServices, owner: RequestOrigin, given: Allotment = NOTHING) {
    this.#run = run;
    this.#owner = owner;
    this.#given = given;
  }

  /** How the deployment is reached. */
  get https(): HttpsLook {
    return this.#run.https;
  }

  /** The keys that may be changed. */
  get spareKeys(): SpareKeys {
    this.#run.throwIfGone();
    return this.#run.spareKeys;
  }

  /** The endpoints that answered this question, shared answers included. */
  get asked(): ReadonlySet<Endpoint> {
    return this.#asked;
  }

  /** The last exchange of this case: what a failure without one of its own shows. */
  get last(): Exchange | undefined {
    return this.#last;
  }

  get baseUrl(): URL {
    return this.#run.baseUrl;
  }

  /** What the keys of the target are allowed. */
  get limits(): Required<TargetLimits> {
    return limitsOf(this.#run.target);
  }

  /** POST /scan/validate (section 4.1). */
  validate(code: string, key?: KeyName): Promise<Exchange> {
    return this.ask('validate', code, key);
  }

  /** POST /scan/consume (section 4.2). */
  consume(code: string, key?: KeyName): Promise<Exchange> {
    return this.ask('consume', code, key);
  }

  /**
   * Shows a code to an endpoint, as its integration type sends it.
   * @param reader of the device that reads the code
   */
  ask(endpoint: ScanEndpoint, code: string, key?: KeyName, reader?: number): Promise<Exchange> {
    return this.send(this.request(endpoint, code, key, reader));
  }

  /** Shows a code that is not genuine. @throws CheckerBug when it is one of the target's */
  async askForged(endpoint: ScanEndpoint, code: string, key?: KeyName): Promise<Exchange> {
    return this.send(this.forgedRequest(endpoint, code, key));
  }

  /** The same with a code that the specification does not describe, so that no other case judges its answer. */
  askAside(endpoint: ScanEndpoint, code: string, key?: KeyName): Promise<Exchange> {
    return this.aside((scan) => scan.askForged(endpoint, code, key));
  }

  /** Asks what the specification does not describe, so that no other case judges the answer. */
  async aside(ask: (scan: Scan) => Promise<Exchange>): Promise<Exchange> {
    const exchange = await ask(
      new Scan(this.#run, { ...this.#owner, level: 'unstated' }, this.#given),
    );
    this.judges(exchange);
    return exchange;
  }

  /** A request with a good key and a code that is not genuine. @throws CheckerBug when it is one of the target's */
  forgedRequest(endpoint: ScanEndpoint, code: string, key?: KeyName): RequestSpec {
    if (this.#run.isGenuine(code)) throw this.#fault('a genuine code instead of a forged one');
    return this.request(endpoint, code, key);
  }

  /** Sends a request whose key must be refused. @throws CheckerBug when its key is a good one in the right place */
  sendRefused(spec: RequestSpec): Promise<Exchange> {
    const isOwnSoftware = isRest(endpointAt(spec));
    const given = isOwnSoftware
      ? (spec.headers ?? []).filter(([name]) => name.toLowerCase() === 'x-api-key')
      : (spec.query ?? []).filter(([name]) => name === 'key');
    const good = isOwnSoftware
      ? (['rest', 'restScoped'] as const)
      : (['hardware', 'hardwareScoped'] as const);
    if (given.length === 1 && good.some((name) => this.#run.target.keys[name] === given[0]?.[1]))
      throw this.#fault('a good key instead of a refused one');
    return this.send(spec);
  }

  #fault(what: string): CheckerBug {
    return new CheckerBug(`${this.#owner.id} was about to send ${what}`);
  }

  /** A request with a good key: the given code, or a heartbeat. */
  request(endpoint: Endpoint, code: string, key?: KeyName, reader?: number): RequestSpec {
    const good = key ?? (isRest(endpoint) ? 'rest' : 'hardware');
    return withKey(keylessRequest(endpoint, code, reader), this.key(good));
  }

  /** A device's request with any body; `Serial` and `Reader` are filled in. */
  cardRequest(endpoint: DeviceEndpoint, body: object, key: KeyName = 'hardware'): RequestSpec {
    const filled = JSON.stringify({ Serial: ANY_DEVICE, Reader: 0, ...body });
    return { ...this.request(endpoint, '', key), body: filled };
  }

  /** Sends one request at the run's pace. @throws TransportFailure when no complete answer came */
  async send(spec: RequestSpec): Promise<Exchange> {
    this.#note(spec);
    this.#last = await this.#run.send(spec, this.#owner);
    return this.#last;
  }

  #note(spec: RequestSpec): void {
    this.requests += 1;
    const endpoint = endpointAt(spec);
    if (endpoint) this.#asked.add(endpoint);
  }

  /** Sends requests at the same instant, each on a connection that is already open. */
  async together(specs: readonly RequestSpec[]): Promise<Exchange[]> {
    for (const spec of specs) this.#note(spec);
    const exchanges = await this.#run.sendTogether(specs, this.#owner);
    this.#last = exchanges.at(-1);
    return exchanges;
  }

  /** How many of that number of requests with one key may leave at once. */
  atOnce(count: number): number {
    return Math.min(count, this.#run.burst);
  }

  /** Waits until an answer is so old; what is done meanwhile counts. */
  async untilOld(exchange: Exchange, ageMs: number): Promise<void> {
    const ms = exchange.startedMs + exchange.durationMs + ageMs - this.clock.now();
    if (ms > 0) await this.pause(ms);
  }

  /** Waits; throws when the run is stopped meanwhile. */
  pause(ms: number): Promise<void> {
    return this.#run.pause(ms);
  }

  /** The time of the run: what a case waits for, and what it calls now. */
  get clock(): Clock {
    return this.#run.clock;
  }

  /** Sends one request after the other over one connection, as long as the server keeps it open. */
  inARow(specs: readonly RequestSpec[]): Promise<Exchange[]> {
    return this.onOneConnection(async (send) => {
      const exchanges: Exchange[] = [];
      for (const spec of specs) exchanges.push(await send(spec));
      return exchanges;
    });
  }

  /** Keeps a connection open while others are used. A request that finds it closed is sent over a new one. */
  onOneConnection<T>(work: (send: Send) => Promise<T>): Promise<T> {
    return this.#run.onOneConnection(this.#owner, (send) =>
      work(async (spec) => {
        this.#note(spec);
        this.#last = await send(spec);
        return this.#last;
      }),
    );
  }

  /** Sends without pacing, for the rate-limit cases only. */
  async unpaced(spec: RequestSpec): Promise<Exchange> {
    this.#note(spec);
    return this.#run.sendUnpaced(spec, this.#owner);
  }

  ticket(kind: TicketKind, index = 0): TargetTicket {
    const ticket = this.#given.tickets[kind]?.[index];
    if (!ticket) throw new Error(`${this.#owner.id} did not ask for ${index + 1} ${kind} tickets`);
    return ticket;
  }

  /** Every ticket of a kind that it got. */
  tickets(kind: TicketKind): readonly TargetTicket[] {
    return this.#given.tickets[kind] ?? [];
  }

  /** A code for an endpoint to refuse: nothing is taken from its ticket. */
  decoy(index = 0): string {
    const ticket = this.#given.decoys[index] ?? this.#given.tickets.single?.[index];
    if (!ticket)
      throw new Error(`${this.#owner.id} did not ask for ${index + 1} tickets as decoys`);
    return ticket.code;
  }

  /** The permanent card that cells share which want something to be let in, and count nothing. */
  sharedCard(): string {
    const { sharedCard } = this.#given;
    if (!sharedCard) throw new Error(`${this.#owner.id} did not ask for the shared permanent card`);
    return sharedCard.code;
  }

  key(name: KeyName): string {
    const key = this.#run.target.keys[name];
    if (key === undefined) throw new Error(`${this.#owner.id} did not ask for the key ${name}`);
    return key;
  }

  hasKey(name: KeyName): boolean {
    return this.#run.target.keys[name] !== undefined;
  }

  /** A key made wrong in one way; as secret as the key itself. Undefined when that changes nothing. */
  spoiledKey(name: KeyName, spoil: Spoil): string | undefined {
    const key = this.key(name);
    const { value, bash } = spoil(key, keyVariable(name));
    if (value === key) return undefined;
    this.#run.redactor.add(value, bash);
    return value;
  }

  /** A shared answer that the case declared. */
  async sample(name: string): Promise<Exchange> {
    const exchange = await this.#run.sample(name);
    this.#note(exchange.request);
    this.#last = exchange;
    return exchange;
  }

  /** What several questions judge, made for the first of them that asks. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#run.once(name, make);
  }

  /** Takes an answer that another question of the run got as one of its own. */
  judges(exchange: Exchange): void {
    this.#note(exchange.request);
    this.#last = exchange;
  }

  /** True for a shared answer that the target allows to ask for. */
  has(sample: string): boolean {
    return this.#run.has(sample);
  }

  /** For a sample: keeps what validate answered about its ticket before the use. */
  remember(exchange: Exchange): void {
    this.#run.remember(this.#owner.id, exchange);
  }

  /** What validate answered about the ticket of a sample before it was consumed. */
  before(sample: string): Exchange {
    const exchange = this.#run.before(sample);
    if (!exchange) throw new Error(`the sample ${sample} does not validate before it consumes`);
    return exchange;
  }

  /** The ticket that a sample shows. */
  ticketOf(sample: string, kind: TicketKind): TargetTicket {
    const ticket = this.#run.ticketsOf(sample).tickets[kind]?.[0];
    if (!ticket) throw new Error(`the sample ${sample} shows no ${kind} ticket`);
    return ticket;
  }

  /** True where a text has a key of the target in it, also a part of one or in another encoding. */
  showsKey(text: string): boolean {
    return this.#run.redactor.redact(text) !== text;
  }

  /** True where the request carries a good key of its type in its place. */
  isKeyGood(sent: Pick<Exchange, 'request'>): boolean {
    return this.#run.answers.isKeyGood(sent);
  }

  /** What the run knows of its tickets and keys. */
  get answers(): ExpectedAnswers {
    return this.#run.answers;
  }

  /** True for a deviation by a symptom that another case of the run has failed by, or by the same answer. */
  isExplained(deviation: Deviation): boolean {
    return this.#run.isExplained(deviation);
  }

  /** Every exchange of the run up to now, but for those of cases that came after its requirement set. */
  exchanges(): readonly Exchange[] {
    return this.#run.exchanges.filter(({ later }) => !later);
  }

  /** @throws Deviation always: with this exchange as the evidence */
  fail(
    expected: string,
    observed: string,
    exchange: Exchange | undefined = this.#last,
    fields?: readonly string[],
  ): never {
    throw new Deviation(expected, observed, exchange, { fields });
  }
}
