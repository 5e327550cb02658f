import { setTimeout as sleep } from 'node:timers/promises';
import type { Observation, TicketTruth } from './history.ts';

export interface GateTicket {
  readonly code: string;
  readonly allowed: number;
}

const ANSWER_WAIT_MS = 10_000;

/** Many gates that present tickets to whichever instances there are, and write down what they were told. */
export class GateClients {
  readonly history: Observation[] = [];
  readonly #key: string;
  readonly #tickets: readonly GateTicket[];
  readonly #urls: () => readonly string[];
  readonly #random: () => number;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  /** @param tickets the first is the contended one: every fourth request is for it */
  constructor(
    key: string,
    tickets: readonly GateTicket[],
    urls: () => readonly string[],
    random: () => number,
  ) {
    this.#key = key;
    this.#tickets = tickets;
    this.#urls = urls;
    this.#random = random;
  }

  start(clients: number): void {
    this.#running = Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  get admitted(): number {
    return this.history.filter(({ answer }) => answer.kind === 'admitted').length;
  }

  /** Resolves when the next admission that began after this call is acknowledged, with the milliseconds it took. */
  async nextAdmission(withinMs: number): Promise<number> {
    const from = performance.now();
    let seen = this.history.length;
    while (performance.now() - from < withinMs) {
      for (; seen < this.history.length; seen += 1) {
        const one = this.history[seen];
        if (one?.answer.kind === 'admitted' && one.startedAt >= from) return one.endedAt - from;
      }
      await sleep(5);
    }
    throw new Error(`nobody was admitted for ${withinMs} ms`);
  }

  /** What the service says of every ticket now. */
  async truth(): Promise<Map<string, TicketTruth>> {
    const truth = new Map<string, TicketTruth>();
    for (const { code, allowed } of this.#tickets) {
      const answer = await this.#post('validate', code, this.#urls()[0] ?? '');
      truth.set(code, { allowed, counted: Number(answer?.['usesConsumed']) });
    }
    return truth;
  }

  async #client(): Promise<void> {
    while (!this.#stopped) {
      const contended = this.#random() < 0.25;
      const ticket =
        this.#tickets[contended ? 0 : Math.floor(this.#random() * this.#tickets.length)];
      const urls = this.#urls();
      const url = urls[Math.floor(this.#random() * urls.length)];
      if (ticket === undefined || url === undefined) {
        await sleep(20);
        continue;
      }
      const startedAt = performance.now();
      const said = await this.#post('consume', ticket.code, url).catch(() => undefined);
      const answer = answerOf(said);
      this.history.push({ ticket: ticket.code, startedAt, endedAt: performance.now(), answer });
      if (answer.kind === 'unknown') await sleep(20);
    }
  }

  async #post(
    action: string,
    ticketCode: string,
    url: string,
  ): Promise<Record<string, unknown> | undefined> {
    const response = await fetch(`${url}/scan/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.#key },
      body: JSON.stringify({ ticketCode }),
      signal: AbortSignal.timeout(ANSWER_WAIT_MS),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return response.status === 200 ? body : undefined;
  }
}

function answerOf(said: Record<string, unknown> | undefined): Observation['answer'] {
  if (said?.['status'] === 'consumed')
    return { kind: 'admitted', number: Number(said['usesConsumed']) };
  if (said?.['status'] === 'exhausted') return { kind: 'exhausted' };
  if (said !== undefined) throw new Error(`an answer that nobody expects: ${JSON.stringify(said)}`);
  return { kind: 'unknown' };
}
