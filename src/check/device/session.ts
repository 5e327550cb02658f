import type { ConnectionRefusal } from '../../kit/refused-connections.ts';
import type { Clock } from '../time/clock.ts';
import type { Format } from './formats/format.ts';
import type { KnownFormat } from './formats/models.ts';
import { type Answer, pathOf, type SeenRequest } from './http.ts';
import type { Certificate, JudgeServer } from './judge-server.ts';
import type { Observer, Shown, Want } from './observer.ts';
import {
  CODES_MAX,
  type DeviceSettings,
  type SessionRecord,
  sessionCodes,
} from './session-record.ts';

const POLL_MS = 5;
/** How long own software may wait after HTTP 429 when it does not report its end. */
const LIMITED_MS_MAX = 5000;
/** After so many posts the device does not stop by itself: the scene ends. */
export const FLOOD_POSTS = 20;
/** The same, once that is known. */
const MORE_FLOOD_POSTS = 6;

/** A card that a scene presents. */
export interface Turn {
  /** The answer to the nth request about this card, from 0. */
  readonly answer: (request: SeenRequest, index: number) => Answer;
  readonly wants: readonly Want[];
  /** What the display should show. */
  readonly text?: Shown | undefined;
  /** For an operator: what the server is going to do. */
  readonly hint: string;
  /** The card of this earlier presentation, as soon as it may be posted again; a new one when it is left out. */
  readonly again?: string | undefined;
  /** Takes the longest code of the session. */
  readonly isLong?: boolean | undefined;
  /** How long the scene lasts at least after the presentation, where an answer comes late or never. */
  readonly holdMs?: number | undefined;
}

interface SessionParts {
  readonly clock: Clock;
  readonly record: SessionRecord;
  readonly settings: DeviceSettings;
  readonly format: KnownFormat;
  readonly observer: Observer;
  readonly signal: AbortSignal;
  readonly certificate: Certificate | undefined;
  readonly otherCertificate: Certificate | undefined;
}

/** The presentation of the moment. */
interface Current {
  readonly turn: Turn;
  readonly code: string;
  /** The number of the first request after it. */
  readonly since: number;
  readonly flooded: PromiseWithResolvers<void>;
}

/** Plays scenes: sets the answers of the server, and keeps what is seen. */
export class Session {
  readonly clock: Clock;
  readonly settings: DeviceSettings;
  readonly record: SessionRecord;
  readonly observer: Observer;
  readonly certificate: Certificate | undefined;
  /** For the same name, but not trusted. */
  readonly otherCertificate: Certificate | undefined;
  readonly #format: KnownFormat;
  readonly #signal: AbortSignal;
  readonly #startedMs: number;
  readonly #codes: readonly string[];
  readonly #stopped: Promise<never>;
  #current: Current | undefined;
  #postsMax = FLOOD_POSTS;
  #servers: { readonly server: JudgeServer; readonly elsewhere: JudgeServer } | undefined;
  #heartbeatAnswer: ((request: SeenRequest) => Answer) | undefined;

  constructor({
    clock,
    record,
    settings,
    format,
    observer,
    signal,
    ...certificates
  }: SessionParts) {
    this.clock = clock;
    this.record = record;
    this.settings = settings;
    this.observer = observer;
    this.certificate = certificates.certificate;
    this.otherCertificate = certificates.otherCertificate;
    this.#format = format;
    this.#signal = signal;
    this.#startedMs = clock.now() - record.elapsedMs;
    this.#codes = sessionCodes(record.key);
    this.#stopped = rejectedBy(signal);
  }

  get format(): Format {
    return this.#format.current;
  }

  get server(): JudgeServer {
    if (!this.#servers) throw new Error('the session has no server yet');
    return this.#servers.server;
  }

  /** The port to which nothing of the session should go. */
  get elsewherePort(): number {
    return this.#servers?.elsewhere.port ?? 0;
  }

  use(server: JudgeServer, elsewhere: JudgeServer): void {
    this.#servers = { server, elsewhere };
  }

  /** Milliseconds since the session began, without the time between an interruption and the resumption. */
  now(): number {
    return this.clock.now() - this.#startedMs;
  }

  /** Notes what arrived and was not HTTP. */
  broken(message: string): void {
    this.record.broken.push(message);
  }

  /** Counts what never became a request. */
  refused(reason: ConnectionRefusal): void {
    const { refused: before = {} } = this.record;
    this.record.refused = { ...before, [reason]: (before[reason] ?? 0) + 1 };
  }

  /** Notes the moment. */
  mark(name: string): void {
    this.record.marks[name] = this.now();
  }

  /** Waits; throws when the session is stopped. */
  async pause(ms: number): Promise<void> {
    await this.clock.sleep(ms, this.#signal);
  }

  /** Answers a request, and keeps it. */
  answer(request: SeenRequest): Answer {
    this.record.requests.push(request);
    if (request.place !== 'server') return { status: 404, headers: {}, body: '' };
    const aside = this.format.aside(request);
    if (aside)
      return isHeartbeat(request, this.format)
        ? (this.#heartbeatAnswer?.(request) ?? aside)
        : aside;
    this.#format.learn(request);
    this.record.model = this.#format.isKnown ? this.format.id : undefined;
    const current = this.#current;
    if (!current || this.#isOfAnEarlierCard(request, current.code))
      return this.format.denial('exhausted', request);
    const count = this.#cardsSince(current.since).length;
    if (count >= this.#postsMax) current.flooded.resolve();
    if (count >= FLOOD_POSTS) this.#postsMax = MORE_FLOOD_POSTS;
    return current.turn.answer(request, Math.max(0, count - 1));
  }

  /** What heartbeats get from now on; the answer of the format when it is left out. */
  answerHeartbeatsWith(answer: ((request: SeenRequest) => Answer) | undefined): void {
    this.#heartbeatAnswer = answer;
  }

  /** How many consumes the current card caused. */
  get consumesOfTurn(): number {
    return this.#cardsSince(this.#current?.since ?? 0).filter((one) =>
      pathOf(one).endsWith('/consume'),
    ).length;
  }

  /** Presents a card, waits until it causes no more requests, and keeps what was seen under this name. */
  async present(name: string, turn: Turn): Promise<void> {
    const { observer, record } = this;
    const code = await this.#codeFor(turn);
    const since = record.requests.length;
    const presentedAtMs = this.now();
    const flooded = Promise.withResolvers<void>();
    this.#current = { turn, code, since, flooded };
    record.presentations[name] = { code, presentedAtMs, seen: {} };
    const step = { code, number: this.#codes.indexOf(code) + 1, hint: turn.hint };
    await this.unlessStopped(Promise.race([observer.present(step), flooded.promise]));
    await this.#quiet(since, presentedAtMs, turn.holdMs ?? 0);
    const { reactionMs, openSeconds } = this.settings;
    const openMsMax = 1000 * Math.max(...openSeconds) + 2 * reactionMs + 1000;
    const { wants, text } = turn;
    const requests = this.#cardsSince(since).length;
    const missing =
      requests === 0 && this.server.isReachable ? this.#othersSince(since) : undefined;
    const seen = await this.unlessStopped(
      observer.observe({ wants, text, openMsMax, reactionMs, requests, missing }),
    );
    record.presentations[name] = { code, presentedAtMs, seen };
    this.server.endScene();
  }

  async power(on: boolean): Promise<void> {
    await this.unlessStopped(this.observer.power(on));
    this.mark(on ? 'power-on' : 'power-off');
  }

  /** Waits until `happened` is true, or the time is over. */
  async until(happened: () => boolean, msMax: number): Promise<boolean> {
    const end = this.now() + msMax;
    while (!happened()) {
      if (this.now() >= end) return false;
      await this.pause(POLL_MS);
    }
    return true;
  }

  heartbeatsSince(ms: number): SeenRequest[] {
    return this.record.requests.filter((one) => isHeartbeat(one, this.format) && one.atMs >= ms);
  }

  /** Forgets these presentations and what they caused, so that they can be played again. */
  forget(names: readonly string[]): void {
    const { record } = this;
    const times = names.flatMap((name) => record.presentations[name]?.presentedAtMs ?? []);
    const fromMs = Math.min(...times);
    record.requests = record.requests.filter(
      (one) => one.atMs < fromMs || isHeartbeat(one, this.format),
    );
    for (const name of names) delete record.presentations[name];
    this.#current = undefined;
    this.server.endScene();
  }

  /** Waits for somebody else; throws when the session is stopped meanwhile. */
  unlessStopped<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped]);
  }

  /** The cards that were posted since the request with this number. */
  #cardsSince(index: number): SeenRequest[] {
    return this.record.requests.slice(index).filter((one) => isCard(one, this.format));
  }

  /** What else was sent since then, as `GET /other/path`. */
  #othersSince(index: number): string[] {
    const others = this.record.requests
      .slice(index)
      .filter((one) => one.place === 'server' && this.format.kindOf(one) === undefined);
    return [...new Set(others.map((one) => `${one.method} ${pathOf(one)}`))];
  }

  /** First the first request, then the time for a reaction after the last. A flood is not waited for. */
  async #quiet(since: number, presentedAtMs: number, holdMs: number): Promise<void> {
    const { reactionMs } = this.settings;
    const waits = this.record.kind === 'client' && !this.observer.knowsEnd;
    const end = (): number => {
      const latest = this.#cardsSince(since).at(-1);
      const lastMs = Math.max(presentedAtMs, latest?.answer?.atMs ?? latest?.atMs ?? 0);
      const isLimited = waits && latest?.answer?.status === 429;
      return lastMs + (isLimited ? Math.max(reactionMs, LIMITED_MS_MAX) : reactionMs);
    };
    while (this.now() < Math.max(end(), presentedAtMs + holdMs)) {
      if (this.#cardsSince(since).length >= this.#postsMax) return;
      await this.pause(POLL_MS);
    }
  }

  async #codeFor({ again, isLong }: Turn): Promise<string> {
    const known = again === undefined ? undefined : this.record.presentations[again]?.code;
    if (known !== undefined) {
      await this.#untilItMayBePostedAgain(known);
      return known;
    }
    if (isLong) return this.#codes.at(-1) ?? '';
    const used = new Set(Object.values(this.record.presentations).map(({ code }) => code));
    const code = this.#codes.slice(0, -1).find((one) => !used.has(one));
    if (code === undefined) throw new Error(`a session has more than ${CODES_MAX - 1} codes`);
    return code;
  }

  /** Waits until the anti-repeat time of the device is over for this card. */
  async #untilItMayBePostedAgain(code: string): Promise<void> {
    const times = Object.values(this.record.presentations)
      .filter((one) => one.code === code)
      .map(({ presentedAtMs }) => presentedAtMs);
    const nextMs = Math.max(0, ...times) + this.settings.antiRepeatMs;
    await this.pause(Math.max(0, nextMs - this.now()) + 50);
  }

  /** A card of an earlier scene that is posted now belongs to that scene. */
  #isOfAnEarlierCard(request: SeenRequest, code: string): boolean {
    const sent = this.format.read(request)?.code;
    return sent !== undefined && sent !== code && this.#codes.includes(sent);
  }
}

/** A promise that is rejected when the session is stopped. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

export function isHeartbeat(request: SeenRequest, format: Format): boolean {
  return format.kindOf(request) === 'heartbeat';
}

/** A request that presents a card, well or badly. */
export function isCard(request: SeenRequest, format: Format): boolean {
  return request.place === 'server' && format.kindOf(request) === 'card';
}
