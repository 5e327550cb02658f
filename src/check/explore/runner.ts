import { randomBytes } from 'node:crypto';
import { readTarget } from '../deployment/read-target.ts';
import {
  CheckUsageError,
  limitsOf,
  type Target,
  type TargetInput,
  type TargetLimits,
  type TargetTicket,
} from '../deployment/target.ts';
import { HEARTBEAT_BODY } from '../facts/device-answer.ts';
import { type Answer, type Endpoint, isRest, type RequestSpec } from '../facts/exchange.ts';
import { TransportFailure, UnreachableError } from '../facts/failures.ts';
import { readStrictly } from '../law/strict-reading.ts';
import { Pace, TokenBucketPace } from '../pace/pace.ts';
import { readBaseUrl } from '../requests/base-url.ts';
import { HttpClient } from '../requests/http-client.ts';
import { ANY_DEVICE, keylessRequest, Serials, withKey } from '../requests/scan-request.ts';
import type { Line, World } from '../requests/world.ts';
import { refuseToSpend } from '../run/consent.ts';
import type { Clock } from '../time/clock.ts';
import { type ConnectionName, forged, type Group, type Slot, type Step } from './history.ts';
import type { Observation } from './observation.ts';

const TIMEOUT_MS_DEFAULT = 10_000;
const PREFLIGHT_TRIES_MAX = 3;
const LIMITED_TRIES_MAX = 5;
const LIMITED_WAIT_MS = 1100;
const LIMITED_WAIT_MS_MAX = 30_000;
/** Long enough for the request to arrive, short enough to be gone before the answer. */
const ABANDON_MS = 1;

/** What every way to send a history needs to know. */
export interface ConnectOptions {
  /** Where the service is; the target's own base address otherwise. */
  readonly baseUrl?: string | URL | undefined;
  readonly target?: TargetInput | undefined;
  /** Allows to spend uses of the target's tickets. Nothing is spent without it. */
  readonly consume?: boolean | undefined;
  /** For one request as a whole. */
  readonly timeoutMs?: number | undefined;
  /** Requests a second at most, over all keys; without it only the limits of each key count. */
  readonly maxRate?: number | undefined;
  /** The limits of a key where they differ from those that the target or section 8 states. */
  readonly limits?: TargetLimits | undefined;
  readonly insecureHttp?: boolean | undefined;
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Accepts any certificate: for test servers only. */
  readonly insecureTls?: boolean | undefined;
  /** Makes new tickets, so that the target's own last longer. */
  readonly mint?: Mint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a new, unused ticket of a kind; undefined where it cannot. */
export type Mint = (kind: Slot['kind']) => Promise<TargetTicket | undefined>;

/** Gives the ticket that this run put into a slot. */
export type TicketAt = (slot: Slot) => TargetTicket;

/** Sends the groups of a history to a service and says what came back. Repeats nothing but what was refused for the rate. */
export class Runner {
  readonly target: Target;
  readonly baseUrl: URL;
  readonly consent: boolean;
  /** Requests sent so far. */
  requests = 0;
  /** Answers so far that said that a limit was exceeded. */
  limited = 0;
  readonly #client: HttpClient;
  readonly #buckets: TokenBucketPace;
  readonly #pace: Pace | undefined;
  readonly #maxRate: number;
  readonly #signal: AbortSignal | undefined;
  readonly #world: World;
  readonly #kept = new Map<ConnectionName, Line>();
  readonly #serials = new Serials();
  /** What the repetitions of a step have in common. */
  readonly #retries = new WeakMap<Step, string>();
  #unknownKey = unknownKey();
  #heartbeats = 0;
  #emptyHeartbeats = false;

  /** @throws CheckUsageError when the options make no sense */
  constructor(options: ConnectOptions, world: World) {
    const { timeoutMs = TIMEOUT_MS_DEFAULT, maxRate, limits, insecureHttp = false } = options;
    this.target = readTarget(options.target ?? {}, undefined, world.wallNow());
    this.baseUrl = readBaseUrl(options.baseUrl ?? this.target.baseUrl, insecureHttp);
    this.consent = options.consume ?? false;
    const { keys } = this.target;
    if (keys.rest === undefined && keys.hardware === undefined)
      throw new CheckUsageError(
        'The target has no key "rest" and no key "hardware": one of them is needed.',
      );
    this.#world = world;
    this.#client = new HttpClient({ ...options, baseUrl: this.baseUrl, timeoutMs }, world);
    const clock = { now: () => world.now(), sleep: (ms: number) => this.#sleep(ms) };
    this.#buckets = new TokenBucketPace({ ...limitsOf(this.target), ...limits }, clock);
    this.#pace = maxRate === undefined ? undefined : new Pace(maxRate, clock);
    this.#maxRate = maxRate ?? Number.POSITIVE_INFINITY;
    this.#signal = options.signal;
  }

  get clock(): Clock {
    return this.#world;
  }

  get togetherMax(): number {
    return Math.min(this.#buckets.burst, this.#maxRate);
  }

  get isStopped(): boolean {
    return this.#signal?.aborted === true;
  }

  /**
   * Sees whether the service answers, and to which heartbeats: their body is not shown.
   * @returns true when heartbeats are answered
   * @throws UnreachableError when there is no answer
   */
  async preflight(): Promise<boolean> {
    try {
      await this.#ask({ endpoint: 'validate', key: 'missing', times: 1 });
      if (this.target.keys.hardware === undefined) return false;
      for (const isEmpty of [false, true]) {
        this.#emptyHeartbeats = isEmpty;
        const beat = await this.#ask({ endpoint: 'heartbeat', key: 'hardware', times: 1 });
        if (beat?.outcome === 'confirmed') return true;
      }
      return false;
    } catch (error) {
      if (!(error instanceof TransportFailure) || isStop(error)) throw error;
      const message = `${this.baseUrl.origin} cannot be explored: ${error.ending}`;
      throw new UnreachableError(message, { cause: error });
    }
  }

  async #ask(step: Step): Promise<Observation | undefined> {
    for (let tries = 1; ; tries += 1) {
      const [seen] = await this.#oneByOne([step], 'new', noTicket);
      // any line loses a connection now and then
      const isLost = seen?.failure?.kind === 'reset' || seen?.failure?.kind === 'incomplete';
      if (isLost && tries < PREFLIGHT_TRIES_MAX) continue;
      if (seen?.failure) throw seen.failure;
      return seen;
    }
  }

  /** @throws TransportFailure `refused`, `unknown-host`, `tls` or `stopped` when the service cannot be asked */
  async run(group: Group, ticketAt: TicketAt): Promise<Observation[]> {
    if (group.pauseMs !== undefined) await this.#sleep(group.pauseMs);
    const observations = await this.#sendGroup(group, ticketAt);
    // what was under way when the run was stopped says nothing about the service
    this.#throwIfStopped();
    return observations;
  }

  async #sendGroup({ dispatch, over, ...group }: Group, ticketAt: TicketAt) {
    for (const step of group.steps) this.#retries.delete(step);
    const steps = group.steps.flatMap((step) => Array.from({ length: step.times }, () => step));
    if (dispatch === 'one-by-one') return this.#oneByOne(steps, over, ticketAt);
    await this.#waitForPace(steps);
    const connections =
      dispatch === 'pipelined'
        ? await this.#connection(over).then((one) => steps.map(() => one))
        : await this.#client.connectMany(steps.length);
    // nothing is awaited between two sends: all leave in the same turn of the event loop
    const sent = steps.map((step, i) => this.#send(step, connections[i] as Line, ticketAt));
    const observations = (await Promise.all(sent)).map((one) =>
      // a server may close a connection on which the next request came too early
      dispatch === 'pipelined' && steps.length > 1 ? { ...one, mayBeCut: true } : one,
    );
    if (dispatch === 'together' || over === 'new') for (const one of connections) one.close();
    return observations;
  }

  /** The next history begins on new connections, with another key that does not exist: what one made a service remember of it must not help the next. */
  startAnew(): void {
    for (const connection of this.#kept.values()) connection.close();
    this.#kept.clear();
    this.#unknownKey = unknownKey();
  }

  close(): void {
    this.startAnew();
    this.#client.close();
  }

  async #oneByOne(
    steps: readonly Step[],
    over: ConnectionName,
    ticketAt: TicketAt,
  ): Promise<Observation[]> {
    const observations: Observation[] = [];
    for (const step of steps) {
      observations.push(...(await this.#untilServed(step, over, ticketAt)));
      // one that does not answer would be waited for again and again
      if (observations.at(-1)?.failure?.kind === 'timeout') break;
    }
    return observations;
  }

  /** What was refused for the rate is sent again; its key waits for its turn. */
  async #untilServed(step: Step, over: ConnectionName, ticketAt: TicketAt): Promise<Observation[]> {
    const observations: Observation[] = [];
    for (let tries = 1; ; tries += 1) {
      await this.#waitForPace([step]);
      const connection = await this.#connection(over);
      const observation = await this.#send(step, connection, ticketAt);
      if (over === 'new') connection.close();
      observations.push(observation);
      if (observation.outcome !== 'limited' || tries === LIMITED_TRIES_MAX) return observations;
    }
  }

  async #waitForPace(steps: readonly Step[]): Promise<void> {
    this.#throwIfStopped();
    for (const [key, same] of Map.groupBy(steps, (step) => step.key))
      await this.#buckets.wait(same.length, key);
    await this.#pace?.wait(steps.length);
  }

  #throwIfStopped(): void {
    if (this.isStopped) throw new TransportFailure('stopped', 'the run was stopped');
  }

  async #sleep(ms: number): Promise<void> {
    await this.#world.sleep(ms, this.#signal).catch(() => this.#throwIfStopped());
  }

  async #connection(name: ConnectionName): Promise<Line> {
    const kept = this.#kept.get(name);
    if (name !== 'new' && kept?.isOpen) return kept;
    const opened = await this.#client.connect();
    if (name !== 'new') this.#kept.set(name, opened);
    return opened;
  }

  async #send(step: Step, connection: Line, ticketAt: TicketAt): Promise<Observation> {
    const ticket = step.ticket && ticketAt(step.ticket);
    const request = this.#requestOf(step, ticket);
    if (!this.consent) refuseToSpend(request, this.target);
    const retryOf = step.retry && this.#retryOf(step);
    const facts = {
      step,
      request,
      ...(retryOf === undefined ? {} : { retryOf }),
      ...(ticket === undefined ? {} : { ticket }),
      mayBeReset: connection.wasUsed,
    };
    this.requests += 1;
    const startedAt = this.#world.now();
    const callOff = step.abandon && this.#world.after(ABANDON_MS, () => connection.close());
    try {
      const answer = await connection.send(request);
      if (answer.cut) throw new TransportFailure('incomplete', 'the answer is longer than 256 KiB');
      const ended = this.#ended();
      const reading = readStrictly(step.endpoint, answer);
      this.#keepPace(step, answer, reading.outcome === 'limited');
      return { ...facts, startedAt, ...ended, answer, ...reading };
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      return { ...facts, startedAt, ...this.#ended(), failure: error, outcome: 'lost' };
    } finally {
      // the answer may have been quicker: then the next request must not lose its connection
      if (callOff) {
        callOff();
        connection.close();
      }
    }
  }

  #ended(): Pick<Observation, 'endedAt' | 'wallEndedAt'> {
    return { endedAt: this.#world.now(), wallEndedAt: this.#world.wallNow() };
  }

  /** A key that was limited is slower from then on, in every way of sending. */
  #keepPace({ key }: Step, answer: Answer, isLimited: boolean): void {
    if (isLimited) this.limited += 1;
    if (isLimited) this.#buckets.slowDown(key, retryAfterMs(answer));
    else this.#buckets.speedUp(key);
  }

  #requestOf(step: Step, ticket: TargetTicket | undefined): RequestSpec {
    const { endpoint, forge } = step;
    const code = ticket && (forge === undefined ? ticket.code : forged(ticket.code, forge));
    const plain =
      code === undefined ? this.#codelessRequest(endpoint) : keylessRequest(endpoint, code);
    const request = step.retry ? this.#asRetry(step, plain) : this.#serials.ownSerial(plain);
    if (step.key === 'missing') return request;
    return withKey(
      request,
      step.key === 'unknown' ? this.#unknownKey : (this.target.keys[step.key] ?? ''),
    );
  }

  #codelessRequest(endpoint: Endpoint): RequestSpec {
    const request = keylessRequest(endpoint, '');
    if (endpoint === 'heartbeat') return { ...request, body: this.#heartbeat() };
    const body = isRest(endpoint) ? {} : { Serial: ANY_DEVICE, Reader: 0 };
    return { ...request, body: JSON.stringify(body) };
  }

  /** Each heartbeat carries values of its own, so that an echo shows its origin. */
  #heartbeat(): string {
    if (this.#emptyHeartbeats) return '';
    this.#heartbeats += 1;
    const number = String(this.#heartbeats).padStart(6, '0');
    return JSON.stringify({ ...HEARTBEAT_BODY, Key: `BEAT-${number}`, Serial: `CHECK-${number}` });
  }

  /** The same request again: with one Idempotency-Key, or from one device. */
  #asRetry(step: Step, request: RequestSpec): RequestSpec {
    const name = this.#retryOf(step);
    if (!isRest(step.endpoint))
      return { ...request, body: String(request.body).replace(ANY_DEVICE, name) };
    return { ...request, headers: [['Idempotency-Key', name], ...(request.headers ?? [])] };
  }

  #retryOf(step: Step): string {
    const name = this.#retries.get(step) ?? `CHECK-${randomBytes(6).toString('hex')}`;
    this.#retries.set(step, name);
    return name;
  }
}

/** True for what a run throws that was stopped from outside. */
export function isStop(error: unknown): boolean {
  return error instanceof TransportFailure && error.kind === 'stopped';
}

/** Does something with a service, and closes its connections. @throws UnreachableError where the service stopped answering */
export async function withRunner<Result>(
  runner: Runner,
  work: (runner: Runner) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(runner);
  } catch (error) {
    throw unreachableOf(error, runner);
  } finally {
    runner.close();
  }
}

/** The error to throw: an UnreachableError where the service stopped answering. */
export function unreachableOf(error: unknown, { baseUrl, requests }: Runner): unknown {
  if (!(error instanceof TransportFailure)) return error;
  return new UnreachableError(
    `${baseUrl.origin} stopped answering after ${requests} requests: ${error.ending}`,
    { cause: error },
  );
}

function noTicket(): TargetTicket {
  throw new Error('a preflight has no ticket');
}

/** A value that no service can know. */
function unknownKey(): string {
  return `explore-${randomBytes(12).toString('hex')}`;
}

/** What the answer asks for (`Retry-After`, in seconds), or a little more than a second. */
function retryAfterMs({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  if (!(seconds > 0)) return LIMITED_WAIT_MS;
  return Math.min(LIMITED_WAIT_MS_MAX, Math.max(LIMITED_WAIT_MS, seconds * 1000));
}
