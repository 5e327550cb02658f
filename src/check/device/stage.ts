import { setTimeout as wait } from 'node:timers/promises';
import { CODES_MAX, sessionCodes } from './codes.ts';
import type { Format } from './formats/format.ts';
import type { KnownFormat } from './formats/formats.ts';
import type { SessionRecord } from './session.ts';
import type { DeviceSettings } from './settings.ts';
import type { Answer } from './wire/answer.ts';
import type { Certificate, JudgeServer } from './wire/judge-server.ts';
import { pathOf, type SeenRequest } from './wire/seen-request.ts';
import type { Shown, Want, Witness } from './witness.ts';

const POLL_MS = 5;
/** How long own software may wait after HTTP 429 when it does not report its end. */
const LIMITED_MS_MAX = 5000;
/** After so many posts the device does not stop by itself: the scene ends. */
export const FLOOD_POSTS = 20;

/** One presentation of a scene. */
export interface Presentation {
  /** The answer to the nth request about this card, from 0. */
  readonly answer: (format: Format, request: SeenRequest, index: number) => Answer;
  readonly wants: readonly Want[];
  /** What the display should show. */
  readonly text?: Shown | undefined;
  /** For an operator: what the server is going to do. */
  readonly hint: string;
  /** The code of an earlier presentation, in place of a new one. */
  readonly again?: string | undefined;
  /** Takes the longest code of the session. */
  readonly isLong?: boolean | undefined;
  /** How long the scene lasts at least after the presentation, where an answer comes late or never. */
  readonly atLeastMs?: number | undefined;
}

export interface StageParts {
  readonly record: SessionRecord;
  readonly settings: DeviceSettings;
  readonly format: KnownFormat;
  readonly witness: Witness;
  readonly signal: AbortSignal;
  readonly otherCertificate: Certificate | undefined;
  readonly certificate: Certificate | undefined;
}

/** Where scenes are played: sets the answers of the server, and keeps what is seen. */
export class Stage {
  readonly settings: DeviceSettings;
  readonly record: SessionRecord;
  readonly #parts: StageParts;
  readonly #startedMs = performance.now();
  readonly #elapsedBefore: number;
  readonly #codes: readonly string[];
  readonly #stopped: Promise<never>;
  #current: { presentation: Presentation; code: string; since: number } | undefined;
  #server: JudgeServer | undefined;
  #elsewhere: JudgeServer | undefined;
  #heartbeatAnswer: ((request: SeenRequest) => Answer) | undefined;

  constructor(parts: StageParts) {
    this.#parts = parts;
    this.settings = parts.settings;
    this.record = parts.record;
    this.#elapsedBefore = parts.record.elapsedMs;
    this.#codes = sessionCodes(parts.record.key);
    this.#stopped = rejectedBy(parts.signal);
  }

  get format(): Format {
    return this.#parts.format.current;
  }

  get server(): JudgeServer {
    if (!this.#server) throw new Error('no server is on stage');
    return this.#server;
  }

  get hasPower(): boolean {
    return this.#parts.witness.hasPower;
  }

  get otherCertificate(): Certificate | undefined {
    return this.#parts.otherCertificate;
  }

  get certificate(): Certificate | undefined {
    return this.#parts.certificate;
  }

  /** The port to which nothing of the session should go. */
  get elsewherePort(): number {
    return this.#elsewhere?.port ?? 0;
  }

  use(server: JudgeServer, elsewhere: JudgeServer): void {
    this.#server = server;
    this.#elsewhere = elsewhere;
  }

  /** Milliseconds since the session began, without the time between an interruption and the resumption. */
  now(): number {
    return this.#elapsedBefore + performance.now() - this.#startedMs;
  }

  broken(message: string): void {
    this.record.broken.push(message);
  }

  /** Notes the moment. */
  mark(name: string): void {
    this.record.marks[name] = this.now();
  }

  /** Waits; throws when the session is stopped. */
  async pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#parts.signal });
  }

  /** Answers a request, and keeps it. */
  answer(request: SeenRequest): Answer {
    this.record.requests.push(request);
    if (request.place !== 'server') return { status: 404, headers: {}, body: '' };
    const { format } = this.#parts;
    const aside = format.current.aside(request);
    if (aside)
      return isHeartbeat(request, format.current)
        ? (this.#heartbeatAnswer?.(request) ?? aside)
        : aside;
    format.learn(request);
    this.record.model = format.isKnown ? format.current.id : undefined;
    const current = this.#current;
    if (!current || this.#isOfAnEarlierCard(request, current.code))
      return format.current.denial('exhausted', request);
    const index = this.requestsSince(current.since).length - 1;
    return current.presentation.answer(format.current, request, Math.max(0, index));
  }

  /** What heartbeats get from now on; the answer of the format when it is left out. */
  answerHeartbeatsWith(answer: ((request: SeenRequest) => Answer) | undefined): void {
    this.#heartbeatAnswer = answer;
  }

  /** How many consumes the current card caused. */
  get consumesOfTurn(): number {
    return this.requestsSince(this.#current?.since ?? 0).filter((one) =>
      pathOf(one).endsWith('/consume'),
    ).length;
  }

  /** Presents a card, waits until it causes no more requests, and keeps what was seen under this name. */
  async present(name: string, presentation: Presentation): Promise<void> {
    const { witness } = this.#parts;
    const code = presentation.again ?? (presentation.isLong ? this.#longCode() : this.#nextCode());
    const since = this.record.requests.length;
    const presentedAtMs = this.now();
    this.#current = { presentation, code, since };
    this.record.observations[name] = { code, presentedAtMs, sight: {} };
    const { reactionMs, openSeconds } = this.settings;
    const number = this.#codes.indexOf(code) + 1;
    const { hint } = presentation;
    await this.unlessStopped(witness.present({ code, number, hint }));
    await this.#quiet(since, presentedAtMs, presentation.atLeastMs ?? 0);
    const openMsMax = 1000 * Math.max(...openSeconds) + 2 * reactionMs + 1000;
    const { wants, text } = presentation;
    const requests = this.requestsSince(since).length;
    const sight = await this.unlessStopped(witness.sight({ wants, text, openMsMax, requests }));
    this.record.observations[name] = { code, presentedAtMs, sight };
    this.server.endScene();
  }

  /** Says what is going on, where a person waits. */
  tell(text: string): void {
    this.#parts.witness.tell(text);
  }

  async power(on: boolean): Promise<void> {
    await this.unlessStopped(this.#parts.witness.power(on));
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

  /** The cards that were posted since the request with this number. */
  requestsSince(index: number): SeenRequest[] {
    return this.record.requests.slice(index).filter((one) => isCard(one, this.format));
  }

  codeOf(name: string): string | undefined {
    return this.record.observations[name]?.code;
  }

  /** First the first request, then the time for a reaction after the last. A flood is not waited for. */
  async #quiet(since: number, presentedAtMs: number, atLeastMs: number): Promise<void> {
    const { reactionMs } = this.settings;
    const waits = this.record.kind === 'client' && !this.#parts.witness.knowsEnd;
    const end = (): number => {
      const latest = this.requestsSince(since).at(-1);
      const lastMs = Math.max(presentedAtMs, latest?.answer?.atMs ?? latest?.atMs ?? 0);
      const isLimited = waits && latest?.answer?.status === 429;
      return lastMs + (isLimited ? Math.max(reactionMs, LIMITED_MS_MAX) : reactionMs);
    };
    while (this.now() < Math.max(end(), presentedAtMs + atLeastMs)) {
      if (this.requestsSince(since).length >= FLOOD_POSTS) return;
      await this.pause(POLL_MS);
    }
  }

  /** Waits for somebody else; throws when the session is stopped meanwhile. */
  unlessStopped<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped]);
  }

  #longCode(): string {
    return this.#codes.at(-1) ?? '';
  }

  #nextCode(): string {
    const used = new Set(Object.values(this.record.observations).map(({ code }) => code));
    const code = this.#codes.slice(0, -1).find((one) => !used.has(one));
    if (code === undefined) throw new Error(`a session has more than ${CODES_MAX - 1} codes`);
    return code;
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
