import type { Random } from '../../kit/random.ts';
import { jsonObject } from '../models/device-model.ts';
import type { Time } from '../time.ts';
import type { Transport, WireAnswer, WireRequest } from '../wire.ts';
import { denial, type ExitRule, judge, judgeExit, type StandInTicket } from './stand-in-tickets.ts';
import { type StandInHost, StandInTransport } from './stand-in-transport.ts';
import { answerFor, readBody } from './stand-in-wire.ts';

export interface StandInOptions {
  readonly time: Time;
  readonly random: Random;
  /** By ticket code. A code that is not here does not exist. */
  readonly tickets: ReadonlyMap<string, StandInTicket>;
  /** Requests a second and burst of a key; none without. */
  readonly limit?: { readonly rate: number; readonly burst: number } | undefined;
  /** Mean time on the way and at work, milliseconds. */
  readonly latencyMs?: number | undefined;
  /** Which way readers point; `*` is all others, and models without readers. */
  readonly readers?: Readonly<Record<string, 'in' | 'out'>> | undefined;
  /** What a consume outwards does; `consume` when absent. */
  readonly onExit?: ExitRule | undefined;
}

const LEAST_LATENCY_MS = 0.5;

/**
 * A small scan service in memory, on the same clock as the devices: the other side of a run in virtual time.
 * It can be stopped, frozen, and told to refuse the key. It is no substitute for a real server.
 */
export class StandInServer implements StandInHost {
  readonly #options: StandInOptions;
  #up = true;
  #generation = 0;
  #frozenUntilMs = 0;
  #keyRefused = false;
  #tokens: number;
  #filledAtMs = 0;

  constructor(options: StandInOptions) {
    this.#options = options;
    this.#tokens = options.limit?.burst ?? 0;
  }

  get time(): Time {
    return this.#options.time;
  }

  get up(): boolean {
    return this.#up;
  }

  /** Changes at every stop: earlier requests are lost. */
  get generation(): number {
    return this.#generation;
  }

  connect(): Transport {
    return new StandInTransport(this);
  }

  stop(): void {
    this.#up = false;
    this.#generation += 1;
  }

  start(): void {
    this.#up = true;
  }

  /** Answers nothing for that long, then everything at once. */
  freeze(forMs: number): void {
    this.#frozenUntilMs = this.time.nowMs() + forMs;
  }

  refuseKey(): void {
    this.#keyRefused = true;
  }

  acceptKey(): void {
    this.#keyRefused = false;
  }

  /** When a request that is sent now is looked at. */
  delayMs(): number {
    const { random, latencyMs = 3 } = this.#options;
    const travelMs = LEAST_LATENCY_MS + random.exponential(latencyMs);
    return Math.max(travelMs, this.#frozenUntilMs - this.time.nowMs());
  }

  handle(request: WireRequest): WireAnswer {
    if (request.operation === 'heartbeat') return this.#heartbeat(request);
    const card = readBody(request.body);
    if (this.#keyRefused) return answerFor(card?.model, denial('Kein Zugriff', 401));
    if (!this.#takeToken()) return answerFor(card?.model, denial('Zu viele Anfragen', 429));
    if (!card) return answerFor(undefined, denial('Ungültiges Ticket', 400));
    const ticket = this.#options.tickets.get(card.code);
    if (!ticket) return answerFor(card.model, this.#unknown(card.code));
    const consume = request.operation === 'consume';
    const { readers = {}, onExit = 'consume' } = this.#options;
    const wallMs = this.time.wallMs();
    if ((readers[card.reader ?? '*'] ?? readers['*']) !== 'out') {
      return answerFor(card.model, judge(ticket, consume, wallMs));
    }
    return answerFor(card.model, judgeExit(ticket, consume ? onExit : 'validate', wallMs));
  }

  /** What looks like a code of ours is taken to be signed but unknown; anything else to be forged. */
  #unknown(code: string) {
    const wellFormed = /^\w+\.tkt_\w+\.[\w-]+$/.test(code);
    return wellFormed ? denial('Ticket nicht gefunden', 404) : denial('Ungültiges Ticket');
  }

  #heartbeat({ body }: WireRequest): WireAnswer {
    if (this.#keyRefused) return answerFor(undefined, denial('Kein Zugriff', 401));
    if (!this.#takeToken()) return answerFor(undefined, denial('Zu viele Anfragen', 429));
    return { status: 200, body: JSON.stringify({ Key: jsonObject(body)?.['Key'] }) };
  }

  #takeToken(): boolean {
    const { limit } = this.#options;
    if (!limit) return true;
    const nowMs = this.time.nowMs();
    const regained = ((nowMs - this.#filledAtMs) * limit.rate) / 1000;
    this.#tokens = Math.min(limit.burst, this.#tokens + regained);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
