import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reaction, Subject, SubjectSetup } from '../../src/check/index.ts';
import { type Answer, type NoAnswer, objectIn, post } from './http-post.ts';

/** The longest wait for one answer, milliseconds. */
export const ANSWER_MS = 900;
const TRIES_MAX = 5;

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
  requests: 1,
};

/** Software of that behaviour, in this process. */
export function programSubject(does: Program): Subject {
  let running: RunningProgram | undefined;
  return {
    tells: ['door', 'display'],
    async start(setup, tell) {
      running = new RunningProgram(does, setup, tell);
      if (does.opensAtStart) tell({ door: 'open' });
    },
    present: async (code) => running?.present(code),
    close: async () => running?.close(),
  };
}

class RunningProgram {
  readonly #does: Program;
  readonly #setup: SubjectSetup;
  readonly #tell: (reaction: Reaction) => void;
  readonly #agent: Agent;
  #hasEnded = false;
  readonly #known = new Set<string>();

  constructor(does: Program, setup: SubjectSetup, tell: (reaction: Reaction) => void) {
    this.#does = does;
    this.#setup = setup;
    this.#tell = tell;
    const options = { keepAlive: false };
    this.#agent = setup.baseUrl.startsWith('https:') ? new TlsAgent(options) : new Agent(options);
  }

  async present(code: string): Promise<void> {
    if (this.#hasEnded) return;
    const presentation = randomUUID();
    for (let request = 1; request < this.#does.requests; request += 1) {
      await this.#send(code, this.#does.idempotencyKey(presentation, code, request));
    }
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#send(code, this.#does.idempotencyKey(presentation, code, tries));
      if (answer === 'refused' && this.#does.givesUp) this.#hasEnded = true;
      const ms = this.#does.retryMs(answer, tries);
      if (ms === undefined) {
        this.#react(code, answer);
        return;
      }
      await wait(ms);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(code: string, idempotencyKey: string | undefined): Promise<Answer | NoAnswer> {
    const { method, trustsAll, readsOnce, url, headers } = this.#does;
    const body = this.#does.body(code, this.#setup);
    const send = (to: string) =>
      post({
        url: to,
        method,
        trustsAll,
        readsOnce,
        body,
        waitMs: ANSWER_MS,
        agent: this.#agent,
        ca: this.#setup.ca,
        headers: {
          ...headers(this.#setup),
          'content-length': String(Buffer.byteLength(body)),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
      });
    const answer = await send(url(this.#setup));
    const location = typeof answer === 'string' ? undefined : answer.headers.location;
    return this.#does.followsRedirects && location !== undefined ? send(location) : answer;
  }

  #remembers(code: string, answer: Answer | NoAnswer): boolean {
    return this.#known.has(code) && this.#does.opensKnown(answer);
  }

  #react(code: string, answer: Answer | NoAnswer): void {
    const isKnown = this.#remembers(code, answer);
    if (typeof answer === 'string') {
      if (this.#does.tellsFailure) this.#tell({ display: { note: 'No answer' } });
      if (isKnown || this.#does.failsOpen(answer)) this.#tell({ door: 'open' });
      return;
    }
    const isResult = resultIn(answer)?.['valid'] !== undefined;
    const note = isResult || this.#does.tellsFailure ? this.#does.shows(answer) : '';
    if (note !== '') this.#tell({ display: { note } });
    const opens = this.#does.opens(answer);
    if (opens) this.#known.add(code);
    if (opens || isKnown) this.#tell({ door: 'open' });
  }
}
