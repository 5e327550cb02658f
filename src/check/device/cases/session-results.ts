import { Inconclusive } from '../../cases/case.ts';
import { isRecord, parsedJson, show } from '../../facts/json.ts';
import type { Format } from '../formats/format.ts';
import { pathOf, type SeenRequest } from '../http.ts';
import type { Observation } from '../observer.ts';
import { isCard, isHeartbeat } from '../session.ts';
import {
  type DeviceSettings,
  type Presentation,
  type SessionRecord,
  sessionCodes,
} from '../session-record.ts';

/** The ways in which an answer is sent completely. */
const WHOLE: readonly string[] = ['whole', 'slow', 'chunked', 'closed', 'late'];
/** Near the end of the Wait Time, the two sides may disagree about which came first. */
const SURELY_IN_TIME = 0.9;

/** How far the time between two openings of one admission may differ. */
const ECHO_OFF = 0.2;
const ECHO_OFF_MS_MIN = 20;
const ECHO_OFF_MS_MAX = 100;

/** Scenes with a plain admission, of which a session that judges what happens each time plays all. */
export const ADMITTING_SCENES: readonly string[] = [
  'granted',
  'again',
  'chunked',
  'rewritten',
  'closed',
  'denied-notYetValid',
  'admitted-later',
];

/** What is presented in scenes that a server answers as servers do: with an admission or a denial. */
const PLAIN: readonly string[] = [
  ...ADMITTING_SCENES,
  'after-closed',
  'relay-in',
  'relay-out',
  'slow',
  'in-time',
  'denied-exhausted',
  'denied-forged',
  'denied-expired',
  'known-denied',
  'back',
  'before-power-loss',
  'after-power-loss',
];

/** What a session left, as cases ask for it. */
export class SessionResults {
  readonly record: SessionRecord;
  readonly settings: DeviceSettings;
  readonly format: Format;
  #posts: Map<Presentation | undefined, SeenRequest[]> | undefined;
  readonly #codes: ReadonlySet<string>;

  constructor(record: SessionRecord, settings: DeviceSettings, format: Format) {
    this.record = record;
    this.settings = settings;
    this.format = format;
    this.#codes = new Set(sessionCodes(record.key));
  }

  /** @throws Inconclusive when there was none */
  presentation(name: string): Presentation {
    const found = this.record.presentations[name];
    if (found) return found;
    const reason = this.record.omitted[name];
    throw new Inconclusive(reason ?? 'the scene was not played', reason !== undefined);
  }

  /** What was seen of a presentation. @throws Inconclusive when nobody saw it */
  seen<Name extends keyof Observation>(
    name: string,
    what: Name,
    unseen: string,
  ): NonNullable<Observation[Name]> {
    const value = this.presentation(name).seen[what];
    if (value === undefined) throw new Inconclusive(unseen);
    return value as NonNullable<Observation[Name]>;
  }

  /** Whether the door opened, whether a card was posted or not. @throws Inconclusive when nobody saw it */
  opened(name: string): boolean {
    const opened = this.seen(name, 'opened', 'nobody saw whether the door opened');
    const { openedAtMs = [] } = this.presentation(name).seen;
    const early = this.openedEarly(name);
    const caused = openedAtMs.filter((atMs) => !early.includes(atMs) && !this.isEcho(atMs));
    return opened && (openedAtMs.length === 0 || caused.length > 0);
  }

  /** Whether this is the second opening of a door that was seen to open twice, as long after the first one. */
  isEcho(atMs: number): boolean {
    const { reopenings, presentations } = this.record;
    const times = Object.values(presentations).flatMap(({ seen }) => seen.openedAtMs ?? []);
    const delays = reopenings.map(
      (again) => again - Math.max(...times.filter((one) => one < again)),
    );
    return delays.some((delay) => {
      const off = Math.min(ECHO_OFF_MS_MAX, Math.max(ECHO_OFF_MS_MIN, delay * ECHO_OFF));
      return times.some((one) => one < atMs && Math.abs(atMs - one - delay) < off);
    });
  }

  /** When the door opened before the first request of a presentation came: no answer to it can be the reason. */
  openedEarly(name: string): number[] {
    const { openedAtMs = [] } = this.presentation(name).seen;
    const [first] = this.posts(name);
    return openedAtMs.filter((atMs) => first !== undefined && atMs < first.atMs);
  }

  /** Every card that was posted, well or badly. */
  get cards(): SeenRequest[] {
    return this.record.requests.filter((request) => isCard(request, this.format));
  }

  get heartbeats(): SeenRequest[] {
    return this.record.requests.filter((request) => isHeartbeat(request, this.format));
  }

  /**
   * For how long the judge itself stood still while these scenes were played.
   * @returns the longest time, milliseconds; 0 where it did not
   */
  delayIn(scenes: readonly string[]): number {
    const { delays = [], marks, presentations, elapsedMs } = this.record;
    const begun = Object.values(presentations).map(({ presentedAtMs }) => presentedAtMs);
    const spans = scenes.flatMap((name) => {
      const fromMs = presentations[name]?.presentedAtMs;
      const endMs = marks[`${name}-end`];
      // what has no card, and counts what comes in some time, goes by all that came before its end
      if (fromMs === undefined) return endMs === undefined ? [] : [[0, endMs] as const];
      const next = Math.min(...begun.filter((atMs) => atMs > fromMs), elapsedMs || Infinity);
      return [[fromMs, next] as const];
    });
    const inside = delays.filter(({ atMs, ms }) =>
      spans.some(([fromMs, toMs]) => atMs > fromMs && atMs - ms < toMs),
    );
    return Math.max(0, ...inside.map(({ ms }) => ms));
  }

  /** Cards and heartbeats: what was sent to the URLs of the setup. @throws Inconclusive when nothing was */
  get sent(): SeenRequest[] {
    const sent = this.record.requests.filter(({ place }) => place === 'server');
    if (sent.length > 0) return sent;
    throw new Inconclusive('nothing was sent');
  }

  /** The cards that were posted because of a presentation, also when they came after the next one. */
  posts(name: string): SeenRequest[] {
    // every case asks, and each card is decoded for it
    this.#posts ??= Map.groupBy(this.cards, (request) => this.#causeOf(request));
    return this.#posts.get(this.presentation(name)) ?? [];
  }

  /** The same, where the case does not apply without one. @throws Inconclusive when none was posted */
  posted(name: string): SeenRequest[] {
    const posts = this.posts(name);
    if (posts.length > 0) return posts;
    throw new Inconclusive('no card was posted');
  }

  /** Method and path of a request, with the key of the session hidden. */
  targetOf(request: SeenRequest): string {
    return `${request.method} ${pathOf(request).replace(this.record.key, '$KEY')}`;
  }

  /** Those of these scenes that could be played with this device. */
  played(scenes: readonly string[]): string[] {
    return scenes.filter((scene) => this.record.omitted[scene] === undefined);
  }

  /** Those presentations of the session that got a plain answer, in their order. */
  get plain(): string[] {
    return Object.keys(this.record.presentations).filter((name) => PLAIN.includes(name));
  }

  /** Whether the answer came whole, with a decision, and well within the Wait Time. */
  isAnsweredInTime({ atMs, answer }: SeenRequest): boolean {
    if (answer?.status !== 200 || !WHOLE.includes(answer.how)) return false;
    return answer.atMs - atMs < SURELY_IN_TIME * this.settings.waitTimeMs;
  }

  /** The latest presentation before this opening, where the door opened for its card; undefined where it did not. */
  openedBefore(
    atMs: number,
  ): { readonly name: string; readonly presentedAtMs: number } | undefined {
    const [latest] = Object.entries(this.record.presentations)
      .filter(([name, one]) => one.presentedAtMs < atMs && !this.openedEarly(name).includes(atMs))
      .sort(([, a], [, b]) => b.presentedAtMs - a.presentedAtMs);
    if (!latest) return undefined;
    const [name, { presentedAtMs, seen }] = latest;
    return seen.opened && this.opened(name) ? { name, presentedAtMs } : undefined;
  }

  /** The value of the member that decides, in the answer to a request; undefined where there is none. */
  decisionIn({ answer }: SeenRequest): unknown {
    const [member] = this.format.decision ?? [];
    const result = answer && parsedJson(this.textOf(answer));
    return isRecord(result) && member !== undefined ? result[member] : undefined;
  }

  /** What was sent of an answer. */
  textOf({ body, how }: NonNullable<SeenRequest['answer']>): string {
    return how === 'cut' ? body.slice(0, body.length / 2) : body;
  }

  /** An answer in words: `HTTP 200, AcsRes "0"`. */
  answerTo(request: SeenRequest | undefined): string {
    if (request === undefined) return 'no request';
    const { answer, atMs } = request;
    if (answer === undefined || answer.how === 'never') return 'a request without an answer';
    if (answer.how === 'lost') return 'a broken connection';
    const late = answer.how === 'late' ? ` after ${inSeconds(answer.atMs - atMs)}` : '';
    const half = answer.how === 'cut' ? 'half of ' : '';
    return `${half}HTTP ${answer.status}${late}, ${this.#content(request, this.textOf(answer))}`;
  }

  #content(request: SeenRequest, text: string): string {
    const [member] = this.format.decision ?? [];
    if (text === '') return 'an empty body';
    if (!isRecord(parsedJson(text)) || member === undefined) return show(text, 60);
    const value = this.decisionIn(request);
    return value === undefined ? `${member} missing` : `${member} ${show(value)}`;
  }

  #causeOf(request: SeenRequest): Presentation | undefined {
    const code = this.format.read(request)?.code;
    const isOurs = code !== undefined && this.#codes.has(code);
    return Object.values(this.record.presentations)
      .filter((one) => one.presentedAtMs <= request.atMs && (!isOurs || one.code === code))
      .sort((a, b) => b.presentedAtMs - a.presentedAtMs)[0];
  }
}

export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
