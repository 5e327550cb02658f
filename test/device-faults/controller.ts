import type { Agent } from 'node:http';
import type { Reaction, Subject, SubjectSetup } from '../../src/check/index.ts';
import { type Answer, type NoAnswer, objectIn, type Post, post } from './http-post.ts';
import { every, HERE, type Place } from './place.ts';

/** Milliseconds: short, so that a session takes seconds. */
export const WAIT_MS = 1000;
export const HEARTBEAT_MS = 400;
export const ANTI_REPEAT_MS = 200;
const PULSE_MS = 10;
const SERIAL = 'HONEST-0001';

/** What a controller does with an answer. */
export interface Decision {
  readonly opens: boolean;
  readonly relay: string;
  readonly seconds: number;
  readonly name: string;
  readonly note: string;
}

/** How a controller behaves: the steps that a fault replaces. */
export interface Controller {
  readonly cardUrl: (setup: SubjectSetup, code: string, count: number) => string;
  /** Undefined for a device without heartbeats. */
  readonly heartUrl: ((setup: SubjectSetup, count: number) => string) | undefined;
  readonly headers: (setup: SubjectSetup) => Readonly<Record<string, string>>;
  readonly method: string;
  readonly waitMs: number;
  readonly trustsAll: boolean;
  readonly readsOnce: boolean;
  /** Members of the body of a card; a text is the body itself. @param count of cards so far, from 1 */
  readonly card: (code: string, count: number) => object | string;
  /** @param count of heartbeats so far, from 1 */
  readonly heartbeat: (count: number, now: Date, bootedAt: Date) => object;
  readonly heartbeatMs: (count: number) => number;
  /** Whether a card is posted that was posted so long ago, milliseconds; infinite for a new one. */
  readonly postsAgain: (agoMs: number) => boolean;
  /** Whether the card is posted once more after this. */
  readonly repeats: (answer: Answer | NoAnswer, tries: number) => boolean;
  /** Undefined where the answer is none that it understands. */
  readonly decide: (answer: Answer) => Decision | undefined;
  /** Without a decision the door opens all the same. */
  readonly failsOpen: (answer: Answer | NoAnswer) => boolean;
  /** Opens for a card that it opened for before, whatever the answer is. */
  readonly opensKnown: (answer: Answer | NoAnswer, agoMs: number) => boolean;
  /** Stays shut for a card that it opened for before. */
  readonly refusesKnown: boolean;
  /** Opens because of what a heartbeat is answered. */
  readonly opensOnBeat: (answer: Answer) => boolean;
  readonly tellsFailure: boolean;
  /** The light that it shows for a decision. */
  readonly light: (opens: boolean) => 'red' | 'green';
  /** Sends a heartbeat again every so many milliseconds while it is unanswered. */
  readonly hurriedMs: number | undefined;
  readonly followsRedirects: (status: number) => boolean;
  readonly acceptsEcho: (sent: unknown, echo: unknown) => boolean;
  /** After an outage. */
  readonly givesUp: boolean;
  /** Heartbeats come again after one that failed. */
  readonly beatsAgain: boolean;
  readonly opensAtPowerOn: boolean;
  /** What the reader makes of a code; undefined reads none. @param before the code that was read before */
  readonly scanned: (code: string, before: string) => string | undefined;
  /** Without a decision it does what the one before said. */
  readonly goesByTheLast: boolean;
  /** Shuts at once, and opens again. */
  readonly opensTwice: boolean;
  /** Does not ask again for a card that was denied. */
  readonly keepsDenied: boolean;
  /** Posts cards that it could not post, with the next heartbeat that is answered. */
  /** Posts a card once more when there is no answer after so many milliseconds. */
  readonly hedgeMs: number | undefined;
  readonly sendsLater: boolean;
  readonly beatsFollowRedirects: boolean;
  readonly afterPower: 'reads' | 'dead' | 'posts-stored-cards';
}

/** Decides as section 4.6 says. */
export function decided(members: Readonly<Record<string, unknown>>): Decision {
  const text = (name: string) => (typeof members[name] === 'string' ? String(members[name]) : '');
  return {
    opens: members['AcsRes'] === '1',
    relay: text('ActIndex'),
    seconds: Number(members['Time']),
    name: text('Name'),
    note: text('Note'),
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Does everything right. */
export const HONEST: Controller = {
  cardUrl: ({ cardUrl }) => cardUrl,
  heartUrl: ({ heartUrl }) => heartUrl,
  headers: () => ({ 'content-type': 'application/json' }),
  method: 'POST',
  waitMs: WAIT_MS,
  trustsAll: false,
  readsOnce: false,
  card: (code) => ({ Card: base64(code), Serial: SERIAL, Reader: 0 }),
  heartbeat: (_, now) => ({ Key: 'C0FFEE01', Serial: SERIAL, Now: clockDigits(now) }),
  heartbeatMs: () => HEARTBEAT_MS,
  postsAgain: (agoMs) => agoMs >= ANTI_REPEAT_MS,
  repeats: () => false,
  decide(answer) {
    const members = answer.isWhole ? objectIn(answer.text) : undefined;
    if (members?.['AcsRes'] === undefined) return undefined;
    const decision = decided(members);
    return { ...decision, opens: decision.opens && answer.status === 200 };
  },
  failsOpen: () => false,
  opensKnown: () => false,
  refusesKnown: false,
  opensOnBeat: () => false,
  tellsFailure: true,
  light: (opens) => (opens ? 'green' : 'red'),
  hurriedMs: undefined,
  followsRedirects: () => false,
  acceptsEcho: (sent, echo) => sent === echo,
  givesUp: false,
  beatsAgain: true,
  opensAtPowerOn: false,
  scanned: (code) => code,
  goesByTheLast: false,
  opensTwice: false,
  keepsDenied: false,
  sendsLater: false,
  beatsFollowRedirects: false,
  afterPower: 'reads',
  hedgeMs: undefined,
};

/** Sixteen digits: date, time, day of the week. */
export function clockDigits(at: Date): string {
  return `${at.toISOString().replace(/\D/g, '').slice(0, 14)}0${at.getUTCDay()}`;
}

/** A controller of that behaviour, in this process. */
export function controllerSubject(behaviour: Controller, place: Place = HERE): Subject {
  let running: RunningController | undefined;
  return {
    async start(setup, tell) {
      running = new RunningController(behaviour, place, setup, tell);
    },
    present: async (code) => running?.present(code),
    power: async (on) => running?.power(on),
    close: async () => running?.power(false),
  };
}

class RunningController {
  readonly #does: Controller;
  readonly #place: Place;
  readonly #bootedAt: Date;
  readonly #setup: SubjectSetup;
  readonly #tell: (reaction: Reaction) => void;
  #agent: Agent;
  #callOffBeat = (): void => undefined;
  #callOffShutting = (): void => undefined;
  #isOn = true;
  #hadPowerLoss = false;
  #cards = 0;
  #beats = 0;
  #stored: string | undefined;
  #before = '';
  #last: Decision | undefined;
  readonly #unsent: string[] = [];
  readonly #denied = new Set<string>();
  readonly #postedAt = new Map<string, number>();
  readonly #knownAt = new Map<string, number>();

  constructor(
    does: Controller,
    place: Place,
    setup: SubjectSetup,
    tell: (reaction: Reaction) => void,
  ) {
    this.#does = does;
    this.#place = place;
    this.#bootedAt = new Date(place.clock.wallNow());
    this.#setup = setup;
    this.#tell = tell;
    this.#agent = this.#newAgent();
    if (does.opensAtPowerOn) this.#open('0', 1);
    void this.#beat();
  }

  async present(content: string): Promise<void> {
    const code = this.#does.scanned(content, this.#before);
    this.#before = content;
    if (code === undefined || (this.#does.keepsDenied && this.#denied.has(code))) return;
    if (!this.#isOn || (this.#hadPowerLoss && this.#does.afterPower === 'dead')) return;
    if (!this.#does.postsAgain(this.#place.clock.now() - (this.#postedAt.get(code) ?? -Infinity)))
      return;
    this.#postedAt.set(code, this.#place.clock.now());
    let tries = 0;
    let answer: Answer | NoAnswer;
    do {
      tries += 1;
      answer = await this.#hedged(code);
      if (this.#isOn) this.#react(code, answer);
    } while (this.#isOn && this.#does.repeats(answer, tries));
  }

  power(on: boolean): void {
    this.#callOffBeat();
    this.#callOffShutting();
    this.#isOn = on;
    this.#agent.destroy();
    if (!on) return;
    this.#hadPowerLoss = true;
    this.#agent = this.#newAgent();
    if (this.#does.opensAtPowerOn) this.#open('0', 1);
    if (this.#does.afterPower === 'dead') return;
    const stored = this.#stored;
    if (this.#does.afterPower === 'posts-stored-cards' && stored !== undefined) {
      void this.#postCard(stored);
    }
    void this.#beat();
  }

  async #hedged(code: string): Promise<Answer | NoAnswer> {
    const { hedgeMs } = this.#does;
    const hedge = () => void this.#postCard(code);
    const callOff = hedgeMs === undefined ? undefined : this.#place.clock.after(hedgeMs, hedge);
    const answer = await this.#postCard(code);
    callOff?.();
    return answer;
  }

  async #postCard(code: string): Promise<Answer | NoAnswer> {
    this.#cards += 1;
    const body = this.#does.card(code, this.#cards);
    const url = this.#does.cardUrl(this.#setup, code, this.#cards);
    const answer = await this.#send(url, typeof body === 'string' ? body : JSON.stringify(body));
    if (typeof answer === 'string') {
      this.#stored = code;
      return answer;
    }
    this.#stored = undefined;
    const { location } = answer.headers;
    if (!this.#does.followsRedirects(answer.status) || location === undefined) return answer;
    return this.#send(location, JSON.stringify(body));
  }

  async #send(url: string, body: string): Promise<Answer | NoAnswer> {
    const { method, waitMs, trustsAll, readsOnce, headers } = this.#does;
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const options: Post = {
      url,
      method,
      waitMs,
      trustsAll,
      readsOnce,
      body,
      headers: { ...headers(this.#setup), ...length },
      agent: this.#agent,
      ca: this.#setup.ca,
      clock: this.#place.clock,
    };
    const answer = await post(options);
    if (answer === 'refused' && this.#does.givesUp) this.power(false);
    return answer;
  }

  #react(code: string, answer: Answer | NoAnswer): void {
    const decision = this.#decisionOn(answer);
    if (answer === 'refused') this.#unsent.push(code);
    if (!decision && this.#does.tellsFailure) this.#tell({ display: { note: 'Offline' } });
    const knownAt = this.#knownAt.get(code);
    const isRefused = knownAt !== undefined && this.#does.refusesKnown;
    const isAdmitted = decision?.opens === true && !isRefused;
    const opensAnyway = this.#opensAnyway(knownAt, decision, answer);
    if (decision) this.#keep(code, decision.opens);
    if (isAdmitted) this.#open(decision.relay, decision.seconds);
    else if (opensAnyway) this.#open('0', 1);
    if (decision) this.#show(decision, isAdmitted || opensAnyway);
  }

  #opensAnyway(
    knownAt: number | undefined,
    decision: Decision | undefined,
    answer: Answer | NoAnswer,
  ): boolean {
    return this.#opensKnown(knownAt, answer) || (!decision && this.#does.failsOpen(answer));
  }

  #show({ name, note }: Decision, opens: boolean): void {
    this.#tell({ light: this.#does.light(opens) });
    this.#tell({ display: { name, note } });
  }

  #opensKnown(knownAt: number | undefined, answer: Answer | NoAnswer): boolean {
    if (knownAt === undefined) return false;
    return this.#does.opensKnown(answer, this.#place.clock.now() - knownAt);
  }

  #keep(code: string, opens: boolean): void {
    if (opens) this.#knownAt.set(code, this.#place.clock.now());
    else this.#denied.add(code);
  }

  #decisionOn(answer: Answer | NoAnswer): Decision | undefined {
    const own = typeof answer === 'string' ? undefined : this.#does.decide(answer);
    const last = this.#does.goesByTheLast ? this.#last : undefined;
    this.#last = own;
    return own ?? last;
  }

  #open(relay: string, seconds: number): void {
    this.#tell({ door: 'open', relay });
    this.#callOffShutting();
    const shut = () => this.#tell({ door: 'closed' });
    const { after } = this.#place.clock;
    const ms = seconds * 1000;
    if (!this.#does.opensTwice) {
      this.#callOffShutting = after(ms, shut);
      return;
    }
    this.#callOffShutting = after(PULSE_MS, () => {
      shut();
      this.#tell({ door: 'open', relay });
      this.#callOffShutting = after(ms, shut);
    });
  }

  async #beat(): Promise<void> {
    const { heartUrl } = this.#does;
    if (!heartUrl) return;
    this.#beats += 1;
    const { clock } = this.#place;
    this.#callOffBeat = clock.after(this.#does.heartbeatMs(this.#beats), () => void this.#beat());
    const now = new Date(clock.wallNow());
    const members = this.#does.heartbeat(this.#beats, now, this.#bootedAt);
    const body = JSON.stringify(members);
    const url = heartUrl(this.#setup, this.#beats);
    const callOff = every(
      this.#does.hurriedMs ?? HEARTBEAT_MS,
      clock,
      () => void (this.#does.hurriedMs && this.#isOn && this.#send(url, body)),
    );
    const answer = await this.#send(url, body);
    callOff();
    await this.#afterBeat(answer, body);
    if (typeof answer !== 'string' && this.#does.opensOnBeat(answer)) this.#open('0', 1);
    if (answer === 'refused' && !this.#does.beatsAgain) this.#callOffBeat();
    if (!this.#isOn) return;
    const sent = (members as { Key?: unknown }).Key;
    const isServer = typeof answer !== 'string' && answer.status === 200;
    const echo = isServer && objectIn(answer.text)?.['Key'];
    this.#tell({ online: isServer && this.#does.acceptsEcho(sent, echo) });
  }

  async #afterBeat(answer: Answer | NoAnswer, body: string): Promise<void> {
    if (typeof answer === 'string') return;
    const { location } = answer.headers;
    if (this.#does.beatsFollowRedirects && location !== undefined) await this.#send(location, body);
    if (this.#does.sendsLater)
      for (const code of this.#unsent.splice(0)) await this.#postCard(code);
  }

  #newAgent(): Agent {
    return this.#place.agentTo(this.#setup.baseUrl);
  }
}
