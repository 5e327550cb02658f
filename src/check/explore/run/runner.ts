import { setTimeout as sleep } from 'node:timers/promises';
import { TransportFailure } from '../../judging/deviation.ts';
import { BucketPace } from '../../pace/bucket-pace.ts';
import { Pace } from '../../pace/pace.ts';
import type { Connection } from '../../requests/connection.ts';
import type { HttpClientOptions } from '../../requests/dial.ts';
import type { RequestSpec } from '../../requests/exchange.ts';
import { HttpClient } from '../../requests/http-client.ts';
import type { Target, TargetLimits, TargetTicket } from '../../target/target.ts';
import type { ConnectionName, Group, Step, TicketPlace } from '../histories/history.ts';
import { isLimited } from '../model/meaning.ts';
import type { Observation } from './observation.ts';
import { RequestWriter } from './requests.ts';

const LIMITED_TRIES_MAX = 5;
const LIMITED_WAIT_MS = 1100;
const LIMITED_WAIT_MS_MAX = 30_000;
/** Long enough for the request to arrive, short enough to be gone before the answer. */
const ABANDON_MS = 1;

export interface RunnerOptions extends HttpClientOptions {
  readonly keys: Target['keys'];
  readonly limits: Required<TargetLimits>;
  /** Requests a second at most, over all keys. */
  readonly maxRate?: number | undefined;
  /** Throws for a request that must not be sent. */
  readonly guard: (request: RequestSpec) => void;
}

type TicketAt = (place: TicketPlace) => TargetTicket;

/** Sends the groups of a history and says what came back. Repeats nothing but what was refused for the rate. */
export class Runner {
  readonly writer: RequestWriter;
  readonly #options: RunnerOptions;
  readonly #client: HttpClient;
  readonly #buckets: BucketPace;
  readonly #pace: Pace | undefined;
  readonly #kept = new Map<ConnectionName, Connection>();
  #requests = 0;
  #limited = 0;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#client = new HttpClient(options);
    const clock = { now: () => performance.now(), sleep: (ms: number) => this.#sleep(ms) };
    this.#buckets = new BucketPace(options.limits, clock);
    this.#pace = options.maxRate === undefined ? undefined : new Pace(options.maxRate, clock);
    this.writer = new RequestWriter(options.keys);
  }

  get origin(): string {
    return this.#options.baseUrl.origin;
  }

  /** Requests sent so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Answers so far that said that a limit was exceeded. */
  get limited(): number {
    return this.#limited;
  }

  get atOnceMax(): number {
    return Math.min(this.#buckets.burst, this.#options.maxRate ?? Number.POSITIVE_INFINITY);
  }

  /** @throws TransportFailure `refused`, `unknown-host`, `tls` or `stopped` when the service cannot be asked */
  async run(group: Group, ticketAt: TicketAt): Promise<Observation[]> {
    if (group.pauseMs !== undefined) await this.#sleep(group.pauseMs);
    const observations = await this.#sendGroup(group, ticketAt);
    // what was under way when the run was stopped says nothing about the service
    this.#throwIfStopped();
    return observations;
  }

  async #sendGroup(group: Group, ticketAt: TicketAt): Promise<Observation[]> {
    this.writer.startGroup();
    const steps = group.steps.flatMap((step) => Array.from({ length: step.times }, () => step));
    if (group.way === 'in-turn') return this.#inTurn(steps, group.over, ticketAt);
    await this.#wait(steps);
    const connections =
      group.way === 'pipelined'
        ? await this.#connection(group.over).then((one) => steps.map(() => one))
        : await this.#client.connectMany(steps.length);
    // nothing is awaited between two sends: all leave in the same turn of the event loop
    const sent = steps.map((step, i) => this.#send(step, connections[i] as Connection, ticketAt));
    const observations = (await Promise.all(sent)).map((one) =>
      // a server may close a connection on which the next request came too early
      group.way === 'pipelined' && steps.length > 1 ? { ...one, mayBeCut: true } : one,
    );
    if (group.way === 'at-once' || group.over === 'new') for (const one of connections) one.close();
    return observations;
  }

  /** The next history begins on new connections, with another key that does not exist. */
  startAnew(): void {
    this.dropConnections();
    this.writer.changeUnknownKey();
  }

  dropConnections(): void {
    for (const connection of this.#kept.values()) connection.close();
    this.#kept.clear();
  }

  close(): void {
    this.dropConnections();
    this.#client.close();
  }

  async #inTurn(
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

  /** What was refused for the rate is waited for, and sent again. */
  async #untilServed(step: Step, over: ConnectionName, ticketAt: TicketAt): Promise<Observation[]> {
    const observations: Observation[] = [];
    for (let tries = 1; ; tries += 1) {
      await this.#wait([step]);
      const connection = await this.#connection(over);
      const observation = await this.#send(step, connection, ticketAt);
      if (over === 'new') connection.close();
      observations.push(observation);
      if (!isLimited(observation) || tries === LIMITED_TRIES_MAX) return observations;
      await this.#sleep(retryAfterMs(observation));
    }
  }

  async #wait(steps: readonly Step[]): Promise<void> {
    this.#throwIfStopped();
    for (const [key, same] of Map.groupBy(steps, (step) => step.key))
      await this.#buckets.wait(same.length, key);
    await this.#pace?.wait(steps.length);
  }

  #throwIfStopped(): void {
    if (this.#options.signal?.aborted) throw new TransportFailure('stopped', 'the run was stopped');
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() =>
      this.#throwIfStopped(),
    );
  }

  async #connection(name: ConnectionName): Promise<Connection> {
    const kept = this.#kept.get(name);
    if (name !== 'new' && kept?.isOpen) return kept;
    const opened = await this.#client.connect();
    if (name !== 'new') this.#kept.set(name, opened);
    return opened;
  }

  /** A key that was limited is slower from then on, in every way of sending. */
  #countLimited(observation: Observation): void {
    const { key } = observation.step;
    if (isLimited(observation)) {
      this.#limited += 1;
      this.#buckets.slowDown(key, retryAfterMs(observation));
    } else this.#buckets.speedUp(key);
  }

  async #send(step: Step, connection: Connection, ticketAt: TicketAt): Promise<Observation> {
    const request = this.writer.write(step, ticketAt);
    this.#options.guard(request);
    const retryOf = this.writer.retryOf(step);
    const facts = {
      step,
      request,
      ...(retryOf === undefined ? {} : { retryOf }),
      ...(step.card ? { ticket: ticketAt(step.card.ticket) } : {}),
      mayBeReset: connection.wasUsed,
    };
    this.#requests += 1;
    const startedAt = performance.now();
    const giveUp = step.abandoned && setTimeout(() => connection.close(), ABANDON_MS);
    try {
      const answer = await connection.send(request);
      if (answer.cut) throw new TransportFailure('incomplete', 'the answer is longer than 256 KiB');
      const observation = { ...facts, startedAt, endedAt: performance.now(), answer };
      this.#countLimited(observation);
      return observation;
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      return { ...facts, startedAt, endedAt: performance.now(), failure: error };
    } finally {
      // the answer may have been quicker: then the next request must not lose its connection
      if (giveUp) clearTimeout(giveUp);
      if (giveUp) connection.close();
    }
  }
}

/** What the answer asks for (`Retry-After`, in seconds), or a little more than a second. */
function retryAfterMs({ answer }: Observation): number {
  const seconds = Number(answer?.headers['retry-after']);
  if (!(seconds > 0)) return LIMITED_WAIT_MS;
  return Math.min(LIMITED_WAIT_MS_MAX, Math.max(LIMITED_WAIT_MS, seconds * 1000));
}
