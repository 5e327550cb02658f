import type { Allotment, RequestOrigin, RunServices, Send } from '../cases/run-services.ts';
import { Scan } from '../cases/scan.ts';
import { type KeyName, keyVariable, limitsOf, type Target } from '../deployment/target.ts';
import { type Exchange, keyIn, mayTakeUse, type RequestSpec } from '../facts/exchange.ts';
import { TransportFailure, UnreachableError } from '../facts/failures.ts';
import { type KeyAccess, SpareKeys } from '../key-changes/spare-keys.ts';
import { ExpectedAnswers } from '../law/expected.ts';
import { RateLimitWaits } from '../pace/limited.ts';
import { Pace, type Pacer, TokenBucketPace } from '../pace/pace.ts';
import type { Plan } from '../planning/plan.ts';
import { HttpClient } from '../requests/http-client.ts';
import { HttpsLook } from '../requests/https-look.ts';
import { Redactor } from '../requests/redact.ts';
import { Serials } from '../requests/scan-request.ts';
import type { HttpClientOptions, Sender, World } from '../requests/world.ts';
import { type Sample, sampleNamed, sampleOf } from '../samples/samples.ts';
import type { Clock } from '../time/clock.ts';
import { refuseToSpend } from './consent.ts';

/** After this number of unanswered requests in a row, it is seen whether the server is gone; a path that never answered gets no more. */
const SILENCE_MAX = 4;
/** After this number, a path that answered before gets no more. */
const DEAD_AFTER = 24;
/** A request without an answer is sent so often at once, and at least as often again at the end of the run. */
const TRIES_MAX = 3;
/** So seldom may a line alone have lost every try of a request for which the server is blamed. */
const ALL_LOST_BY_CHANCE = 1e-6;
const FIRST_REQUEST = sampleOf('noKey', 'validate');

/** The state of one run: the client, the pace, the plan, and every exchange so far. */
export class Run {
  readonly baseUrl: URL;
  /** With the keys that were made for the run, without tickets that were used up before it. */
  target: Target;
  /** As it was given. */
  readonly given: Target;
  plan: Plan;
  readonly https: HttpsLook;
  readonly spareKeys: SpareKeys;
  readonly redactor = new Redactor();
  readonly exchanges: Exchange[] = [];
  readonly answers: ExpectedAnswers;
  /** Says what the cases before have shown: for those that compare every answer of the run. */
  isExplained: RunServices['isExplained'] = () => false;
  /** What the checker itself did wrong. */
  readonly ownFaults: string[] = [];
  /** How often a request was answered only when it was sent again, by cell or sample. */
  readonly losses = new Map<string, number>();
  readonly #client: HttpClient;
  readonly limited: RateLimitWaits;
  readonly #pace: Pacer;
  readonly #samples = new Map<string, Promise<Exchange>>();
  readonly #once = new Map<string, Promise<unknown>>();
  readonly #before = new Map<string, Exchange>();
  readonly #genuine: ReadonlySet<string>;
  readonly #consent: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #world: World;
  readonly #silences = new Map<string, number>();
  readonly #answering = new Set<string>();
  readonly #serials = new Serials();
  #gone: UnreachableError | undefined;

  constructor(
    target: Target,
    plan: Plan,
    options: HttpClientOptions & {
      maxRate: number | undefined;
      consent: boolean;
      access?: KeyAccess;
    },
    world: World,
  ) {
    this.baseUrl = options.baseUrl;
    this.target = target;
    this.given = target;
    this.plan = plan;
    this.answers = new ExpectedAnswers(() => this.target);
    this.#genuine = new Set(
      Object.values(target.tickets).flatMap((tickets) => tickets.map(({ code }) => code)),
    );
    this.#consent = options.consent;
    this.#signal = options.signal;
    this.#world = world;
    this.#client = new HttpClient(options, world);
    this.https = new HttpsLook(options, world);
    this.#pace =
      options.maxRate === undefined
        ? new TokenBucketPace(limitsOf(target), world)
        : new Pace(options.maxRate, world);
    this.limited = new RateLimitWaits(target, this.#pace, options.maxRate === undefined, world);
    for (const [name, secret] of Object.entries(target.keys)) {
      this.redactor.add(secret, `$${keyVariable(name as KeyName)}`);
    }
    this.spareKeys = new SpareKeys(options.access ?? { hooks: {} }, target, {
      made: (name, secret) => {
        this.redactor.add(secret, `$${keyVariable(name)}`);
        this.target = { ...this.target, keys: { ...this.target.keys, [name]: secret } };
      },
      changed: (value, state) => this.answers.noteKey(value, state),
    });
  }

  /** Set when the server stopped answering. */
  get gone(): UnreachableError | undefined {
    return this.#gone;
  }

  get clock(): Clock {
    return this.#world;
  }

  async send(spec: RequestSpec, owner: RequestOrigin): Promise<Exchange> {
    this.throwIfGone();
    await this.#pace.wait(1, keyIn(spec) ?? '');
    return this.#untilServed(spec, owner);
  }

  async sendTogether(specs: readonly RequestSpec[], owner: RequestOrigin): Promise<Exchange[]> {
    this.throwIfGone();
    const byKey = Map.groupBy(specs, (spec) => keyIn(spec) ?? '');
    for (const [key, same] of byKey) await this.#pace.wait(same.length, key);
    await this.#untilNonePaused([...byKey.keys()]);
    const connections = await this.#connectMany(specs);
    try {
      const ends = await Promise.allSettled(
        specs.map((spec, i) => this.#untilServed(spec, owner, connections[i])),
      );
      // all have ended: closing a connection under a request would look like the end of the run
      return ends.map((end) => {
        if (end.status === 'rejected') throw end.reason;
        return end.value;
      });
    } finally {
      for (const connection of connections) connection.close();
    }
  }

  /** A key may have been limited while requests with another one waited for their turn. */
  async #untilNonePaused(keys: readonly string[]): Promise<void> {
    for (;;) {
      const ms = Math.max(...keys.map((key) => this.#pace.pausedMs(key)));
      if (ms <= 0) return;
      await this.#world.sleep(ms, this.#signal).catch(() => undefined);
      this.throwIfGone();
    }
  }

  /** All of them would be unanswered, so a failure is as bad as many silences. */
  async #connectMany(specs: readonly RequestSpec[]) {
    try {
      return await this.#client.connectMany(specs.length);
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      error.request ??= specs[0];
      for (const route of new Set(specs.map(routeOf))) await this.#noteSilence(route, error);
      await this.#seeWhetherGone(error);
      // nothing was sent yet, so a server that is gone has deviated from nothing
      this.throwIfGone();
      throw error;
    }
  }

  async onOneConnection<T>(owner: RequestOrigin, work: (send: Send) => Promise<T>): Promise<T> {
    const line = this.#client.openKeptAlive();
    try {
      return await work(async (spec) => {
        this.throwIfGone();
        await this.#pace.wait(1, keyIn(spec) ?? '');
        return this.#untilServed(spec, owner, line);
      });
    } finally {
      line.close();
    }
  }

  /** A 429 that should not be there is waited for, and the request sent again. */
  async #untilServed(spec: RequestSpec, owner: RequestOrigin, over?: Sender): Promise<Exchange> {
    let exchange = await this.#exchange(spec, owner, over);
    const key = keyIn(spec) ?? '';
    for (let tries = 1; this.limited.isWaitedFor(exchange, key, tries); tries += 1) {
      await this.limited.wait(exchange, key, tries, this.#signal);
      await this.#pace.wait(1, key);
      exchange = await this.#exchange(spec, owner);
    }
    return exchange;
  }

  get burst(): number {
    return this.#pace.burst;
  }

  async pause(ms: number): Promise<void> {
    await this.#world.sleep(ms, this.#signal).catch(() => undefined);
    this.throwIfGone();
  }

  sendUnpaced(spec: RequestSpec, owner: RequestOrigin): Promise<Exchange> {
    return this.#exchange(spec, { ...owner, unpaced: true });
  }

  /** The first request of a run: without a key, so that it spends nothing and shows whether the service answers. */
  firstRequest(): Promise<Exchange> {
    return this.sample(FIRST_REQUEST);
  }

  /** Fetches a sample once; later calls get the same answer. */
  sample(name: string): Promise<Exchange> {
    const known = this.#samples.get(name);
    if (known !== undefined) return known;
    const sample: Sample = sampleNamed(name);
    const scan = new Scan(this, { id: name, level: 'stated' }, this.ticketsOf(name));
    const exchange = sample.run(scan);
    this.#samples.set(name, exchange);
    return exchange;
  }

  /** Makes something once; later calls with that name get the same. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#once.get(name) ?? make();
    this.#once.set(name, known);
    return known as Promise<T>;
  }

  /** True for a sample that the target allows to ask for. */
  has(sample: string): boolean {
    return this.plan.given.has(sample) && !this.plan.skipped.has(sample);
  }

  /** What the plan gave to a cell or sample. */
  ticketsOf(name: string): Allotment {
    return this.plan.given.get(name) ?? { tickets: {}, decoys: [], sharedCard: undefined };
  }

  remember(sample: string, exchange: Exchange): void {
    this.#before.set(sample, exchange);
  }

  before(sample: string): Exchange | undefined {
    return this.#before.get(sample);
  }

  isGenuine(code: string): boolean {
    return this.#genuine.has(code);
  }

  close(): void {
    this.#client.close();
    this.limited.close();
  }

  /** Sends a request, and again where no answer came and no use can have been taken. */
  async #exchange(asked: RequestSpec, owner: RequestOrigin, over?: Sender): Promise<Exchange> {
    const spec = this.#serials.ownSerial(asked);
    const isRepeated = over === undefined && !this.mayBeGranted(spec);
    for (let tries = 1; ; tries += 1) {
      try {
        const exchange = await this.#exchangeOnce(spec, owner, over, tries === 1);
        if (tries > 1) this.losses.set(owner.id, (this.losses.get(owner.id) ?? 0) + tries - 1);
        return exchange;
      } catch (error) {
        if (!isRepeated || tries >= TRIES_MAX || !this.#mayComeNow(error, spec)) throw error;
      }
    }
  }

  /** A path that has never answered in time is not waited for again and again. */
  #mayComeNow(error: unknown, spec: RequestSpec): boolean {
    if (!(error instanceof TransportFailure) || error.kind === 'stopped') return false;
    return error.kind !== 'timeout' || this.#answering.has(routeOf(spec));
  }

  /** True for a request that a right server may answer by taking a use: it is never sent twice with one ticket. */
  mayBeGranted(request: RequestSpec): boolean {
    if (!mayTakeUse(request)) return false;
    const expected = this.answers.ofRequest(request);
    return expected === undefined || expected.outcomes.includes('granted');
  }

  /**
   * Sends a request that was not answered in the run again, and where it may take a use with another ticket each time.
   * @returns whether an answer came now; true also where too few tickets are left to see it
   */
  async isAnsweredNow(request: RequestSpec): Promise<boolean> {
    if (this.#isSilent(routeOf(request))) return false;
    const tries = this.#triesOverThisLine();
    const again = this.mayBeGranted(request)
      ? this.answers.withOtherTickets(request, tries)
      : Array.from({ length: tries }, () => request);
    const owner = { id: 'asked again', level: 'unstated' } as const;
    for (const one of again) {
      try {
        await this.#exchangeOnce(one, owner, undefined, false);
        return true;
      } catch (error) {
        if (!(error instanceof TransportFailure)) throw error;
      }
    }
    return again.length < tries;
  }

  /** A line that loses some requests may lose all tries of one: the more it has lost in this run, the more tries blame the server. */
  #triesOverThisLine(): number {
    const lost = [...this.losses.values()].reduce((total, one) => total + one, 0);
    if (lost === 0) return TRIES_MAX;
    const share = lost / (lost + this.exchanges.length);
    return Math.max(TRIES_MAX, Math.ceil(Math.log(ALL_LOST_BY_CHANCE) / Math.log(share)));
  }

  async #exchangeOnce(
    spec: RequestSpec,
    owner: RequestOrigin,
    over: Sender | undefined,
    isFirst: boolean,
  ): Promise<Exchange> {
    this.throwIfGone();
    this.#refuseToAskSilentPath(spec);
    if (!isFirst) await this.#pace.wait(1, keyIn(spec) ?? '');
    if (!this.#consent) refuseToSpend(spec, this.target);
    const startedAt = new Date(this.#world.wallNow());
    const startedMs = this.#world.now();
    try {
      const answer = await (over ?? this.#client).send(spec);
      this.#silences.delete(routeOf(spec));
      this.#answering.add(routeOf(spec));
      const durationMs = this.#world.now() - startedMs;
      const { id: caseId, ...judged } = owner;
      const excused = this.limited.isExcused(answer) ? { excused: true as const } : {};
      const exchange = {
        caseId,
        ...judged,
        request: spec,
        answer,
        startedAt,
        startedMs,
        durationMs,
        ...excused,
      };
      this.exchanges.push(exchange);
      this.answers.note(exchange);
      return exchange;
    } catch (error) {
      if (error instanceof TransportFailure) {
        error.request = spec;
        this.answers.noteLost(spec);
        if (isFirst) await this.#noteSilence(routeOf(spec), error);
      }
      throw error;
    }
  }

  /** @throws UnreachableError when the server is gone or the run was stopped */
  throwIfGone(): void {
    if (this.#signal?.aborted) this.#gone ??= new UnreachableError('the run was stopped.');
    if (this.#gone) throw this.#gone;
  }

  /** After some silence on one path: is the server gone, or only this path dead? */
  async #noteSilence(route: string, failure: TransportFailure): Promise<void> {
    if (failure.kind === 'stopped') this.#gone = new UnreachableError(`${failure.message}.`);
    const silences = (this.#silences.get(route) ?? 0) + 1;
    this.#silences.set(route, silences);
    if (silences % SILENCE_MAX === 0) await this.#seeWhetherGone(failure);
  }

  async #seeWhetherGone(failure: TransportFailure): Promise<void> {
    if (this.#gone) return;
    try {
      await this.#client.send((await this.sample(FIRST_REQUEST)).request);
    } catch {
      this.#gone = new UnreachableError(
        `${this.baseUrl.origin} stopped answering: ${failure.ending}`,
      );
    }
  }

  #refuseToAskSilentPath(spec: RequestSpec): void {
    const route = routeOf(spec);
    if (!this.#isSilent(route)) return;
    const text = `${spec.path} left ${this.#silences.get(route)} requests in a row unanswered and gets no further ones`;
    const failure = new TransportFailure('timeout', text);
    failure.request = spec;
    throw failure;
  }

  /** True for a path that left so many requests in a row unanswered that one more would be in vain. */
  #isSilent(route: string): boolean {
    const most = this.#answering.has(route) ? DEAD_AFTER : SILENCE_MAX;
    return (this.#silences.get(route) ?? 0) >= most;
  }
}

/** What a server may leave unanswered as a whole: a path, for one method. */
function routeOf({ method = 'POST', path }: RequestSpec): string {
  return `${method} ${path}`;
}
