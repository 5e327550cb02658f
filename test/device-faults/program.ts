import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import type { Reaction, Subject, SubjectSetup } from '../../src/check/index.ts';
import { type Answer, type NoAnswer, objectIn, post } from './http-post.ts';
import { every, HERE, type Place } from './place.ts';

/** The longest wait for one answer, milliseconds. */
export const ANSWER_MS = 900;
const TRIES_MAX = 5;
/** Until a code is sent that could not be sent. */
const LATER_MS = 20;

/** How software at a gate behaves: the steps that a fault replaces. */
export interface Program {
  readonly url: (setup: SubjectSetup) => string;
  readonly method: string;
  readonly headers: (setup: SubjectSetup) => Readonly<Record<string, string>>;
  readonly body: (code: string, setup: SubjectSetup) => string;
  /** Undefined sends none. @param tries of this presentation, from 1 */
  readonly idempotencyKey: (
    presentation: string,
    code: string,
    tries: number,
  ) => string | undefined;
  readonly opens: (answer: Answer) => boolean;
  /** Opens without an answer. */
  readonly failsOpen: (noAnswer: NoAnswer) => boolean;
  /** Opens for a code that it opened for before, whatever the answer is. */
  readonly opensKnown: (answer: Answer | NoAnswer) => boolean;
  /** Empty shows nothing. */
  readonly shows: (answer: Answer) => string;
  readonly tellsFailure: boolean;
  readonly opensAtStart: boolean;
  /** Milliseconds until the next try; undefined is none. */
  readonly retryMs: (answer: Answer | NoAnswer, tries: number) => number | undefined;
  readonly readsOnce: boolean;
  readonly followsRedirects: boolean;
  readonly trustsAll: boolean;
  /** After an outage. */
  readonly givesUp: boolean;
  /** Waits for a validate that says valid true before it consumes, and waits on 429 there, too. */
  readonly validatesFirst: boolean;
  /** The first so many requests of a session are consumes, the others validates. */
  readonly consumesMax: number;
  /** What it does when the answer to a consume is lost. */
  readonly afterLoss: 'nothing' | 'validates and opens' | 'validates and consumes';
  /** Validates before it consumes, and opens on that. */
  readonly opensOnValidate: boolean;
  /** A result that comes when the time is over opens, too. */
  readonly opensLate: boolean;
  /** Does not ask again for a code that was denied. */
  readonly keepsDenied: boolean;
  /** When no result can be read it does what the one before said. */
  readonly goesByTheLast: boolean;
  /** Sends codes that it could not send, when it can. */
  readonly sendsLater: boolean;
  /** Requests for one presentation that is answered at once. */
  readonly requests: number;
}

/** The result in an answer; undefined when it is none. */
export function resultIn({ text, isWhole }: Answer): Readonly<Record<string, unknown>> | undefined {
  return isWhole ? objectIn(text) : undefined;
}

/** Does everything right. */
export const HONEST_PROGRAM: Program = {
  url: ({ baseUrl }) => `${baseUrl}/scan/consume`,
  method: 'POST',
  headers: ({ key }) => ({ 'content-type': 'application/json', 'x-api-key': key }),
  body: (code) => JSON.stringify({ ticketCode: code }),
  idempotencyKey: (presentation) => presentation,
  opens: (answer) => answer.status === 200 && resultIn(answer)?.['valid'] === true,
  failsOpen: () => false,
  opensKnown: () => false,
  shows: (answer) => String(resultIn(answer)?.['message'] ?? 'No result. Please try again.'),
  tellsFailure: true,
  opensAtStart: false,
  retryMs(answer, tries) {
    if (tries >= TRIES_MAX || typeof answer === 'string' || answer.status !== 429) return undefined;
    return Math.max(Number(answer.headers['retry-after'] ?? 0) * 1000, 80 * 2 ** tries);
  },
  readsOnce: false,
  followsRedirects: false,
  trustsAll: false,
  givesUp: false,
  validatesFirst: false,
  consumesMax: Infinity,
  afterLoss: 'nothing',
  opensOnValidate: false,
  opensLate: false,
  keepsDenied: false,
  goesByTheLast: false,
  sendsLater: false,
  requests: 1,
};

/** Software of that behaviour, in this process. */
export function programSubject(does: Program, place: Place = HERE): Subject {
  let running: RunningProgram | undefined;
  return {
    tells: ['door', 'display'],
    async start(setup, tell) {
      running = new RunningProgram(does, place, setup, tell);
      if (does.opensAtStart) tell({ door: 'open' });
    },
    present: async (code) => running?.present(code),
    close: async () => running?.close(),
  };
}

class RunningProgram {
  readonly #does: Program;
  readonly #place: Place;
  readonly #setup: SubjectSetup;
  readonly #tell: (reaction: Reaction) => void;
  readonly #agent: Agent;
  #hasEnded = false;
  readonly #known = new Set<string>();
  readonly #denied = new Set<string>();
  #lastOpened = false;
  #consumes = 0;
  #callOffLater = (): void => undefined;

  constructor(
    does: Program,
    place: Place,
    setup: SubjectSetup,
    tell: (reaction: Reaction) => void,
  ) {
    this.#does = does;
    this.#place = place;
    this.#setup = setup;
    this.#tell = tell;
    this.#agent = place.agentTo(setup.baseUrl);
  }

  async present(code: string): Promise<void> {
    if (this.#hasEnded || (this.#does.keepsDenied && this.#denied.has(code))) return;
    if (this.#does.opensOnValidate) this.#react(code, await this.#validate(code));
    const before = this.#does.validatesFirst && (await this.#validateFirst(code));
    if (before && (typeof before === 'string' || !this.#does.opens(before)))
      return this.#react(code, before);
    const answer = await this.#consume(code);
    if (answer === 'refused') this.#noteOutage(code);
    if (answer === 'broken' && this.#does.afterLoss !== 'nothing') await this.#askAgain(code);
    else this.#react(code, answer);
  }

  async #consume(code: string): Promise<Answer | NoAnswer> {
    const presentation = randomUUID();
    for (let request = 1; request < this.#does.requests; request += 1) {
      await this.#send(code, this.#does.idempotencyKey(presentation, code, request));
    }
    for (let tries = 1; ; tries += 1) {
      const name = this.#does.idempotencyKey(presentation, code, tries);
      const consumes = ++this.#consumes <= this.#does.consumesMax;
      const answer = consumes ? await this.#send(code, name) : await this.#validate(code);
      const ms = this.#does.retryMs(answer, tries);
      if (ms === undefined) return answer;
      await this.#place.clock.sleep(ms);
    }
  }

  async #validateFirst(code: string): Promise<Answer | NoAnswer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#validate(code);
      const ms = this.#does.retryMs(answer, tries);
      if (ms === undefined) return answer;
      await this.#place.clock.sleep(ms);
    }
  }

  #noteOutage(code: string): void {
    if (this.#does.givesUp) this.#hasEnded = true;
    if (this.#does.sendsLater) this.#sendLater(code);
  }

  close(): void {
    this.#callOffLater();
    this.#agent.destroy();
  }

  #validate(code: string): Promise<Answer | NoAnswer> {
    const url = this.#does.url(this.#setup).replace('/consume', '/validate');
    return this.#send(code, undefined, url);
  }

  async #askAgain(code: string): Promise<void> {
    const answer = await this.#validate(code);
    if (this.#does.afterLoss === 'validates and consumes')
      this.#react(code, await this.#send(code, undefined));
    else if (typeof answer !== 'string') this.#tell({ door: 'open' });
  }

  #sendLater(code: string): void {
    this.#callOffLater();
    const send = async (): Promise<void> => {
      if ((await this.#send(code, undefined)) !== 'refused') this.#callOffLater();
    };
    this.#callOffLater = every(LATER_MS, this.#place.clock, () => void send());
  }

  async #send(
    code: string,
    idempotencyKey: string | undefined,
    at = this.#does.url(this.#setup),
  ): Promise<Answer | NoAnswer> {
    const { method, trustsAll, readsOnce, headers, opensLate } = this.#does;
    const body = this.#does.body(code, this.#setup);
    const send = (to: string) =>
      post({
        url: to,
        method,
        trustsAll,
        readsOnce,
        body,
        waitMs: opensLate ? 2 * ANSWER_MS : ANSWER_MS,
        agent: this.#agent,
        ca: this.#setup.ca,
        clock: this.#place.clock,
        headers: {
          ...headers(this.#setup),
          'content-length': String(Buffer.byteLength(body)),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
      });
    const answer = await send(at);
    const location = typeof answer === 'string' ? undefined : answer.headers.location;
    return this.#does.followsRedirects && location !== undefined ? send(location) : answer;
  }

  #remembers(code: string, answer: Answer | NoAnswer): boolean {
    return this.#known.has(code) && this.#does.opensKnown(answer);
  }

  #react(code: string, answer: Answer | NoAnswer): void {
    const isResult = typeof answer !== 'string' && resultIn(answer)?.['valid'] !== undefined;
    const opens = this.#opens(code, answer);
    if (!isResult && this.#does.goesByTheLast && this.#lastOpened) this.#tell({ door: 'open' });
    this.#lastOpened = isResult && opens;
    const note = typeof answer === 'string' ? 'No answer' : this.#does.shows(answer);
    if ((isResult || this.#does.tellsFailure) && note !== '') this.#tell({ display: { note } });
    if (opens) this.#tell({ door: 'open' });
  }

  #opens(code: string, answer: Answer | NoAnswer): boolean {
    const isKnown = this.#remembers(code, answer);
    if (typeof answer === 'string') return isKnown || this.#does.failsOpen(answer);
    const opens = this.#does.opens(answer);
    (opens ? this.#known : this.#denied).add(code);
    return opens || isKnown;
  }
}
