import { setTimeout as sleep } from 'node:timers/promises';
import { TransportFailure, UnreachableError } from './deviation.ts';
import { type Exchange, mayTakeUse, type RequestSpec } from './exchange.ts';
import { HttpClient, type HttpClientOptions } from './http-client.ts';
import { Pace } from './pace.ts';
import type { Plan } from './plan.ts';
import { Redactor } from './redact.ts';
import { type Sample, sampleNamed } from './samples.ts';
import { type Owner, Scan } from './scan.ts';
import { KEY_VARIABLES, type KeyName, type Target } from './target.ts';

/** So many requests in a row without an answer end the run: the server is gone. */
const FAILURES_IN_A_ROW_MAX = 8;
const OWNER_OF_SAMPLES = 'samples';

/** The state of one run: the client, the pace, the plan, and every exchange so far. */
export class Run {
  readonly baseUrl: URL;
  readonly target: Target;
  readonly plan: Plan;
  readonly redactor = new Redactor();
  readonly exchanges: Exchange[] = [];
  readonly #client: HttpClient;
  readonly #pace: Pace;
  readonly #samples = new Map<string, Promise<Exchange>>();
  readonly #consent: boolean;
  #failuresInARow = 0;
  #gone: UnreachableError | undefined;

  constructor(
    target: Target,
    plan: Plan,
    options: HttpClientOptions & { maxRate: number; consent: boolean },
  ) {
    this.baseUrl = options.baseUrl;
    this.target = target;
    this.plan = plan;
    this.#consent = options.consent;
    this.#client = new HttpClient(options);
    this.#pace = new Pace(options.maxRate);
    for (const [name, secret] of Object.entries(target.keys)) {
      this.redactor.add(secret, `$${KEY_VARIABLES[name as KeyName]}`);
    }
  }

  /** Set when the server stopped answering. */
  get gone(): UnreachableError | undefined {
    return this.#gone;
  }

  async send(spec: RequestSpec, owner: Owner): Promise<Exchange> {
    await this.#pace.wait();
    return this.#exchange(spec, owner);
  }

  async sendTogether(specs: readonly RequestSpec[], owner: Owner): Promise<Exchange[]> {
    await this.#pace.wait(specs.length);
    const sockets = await Promise.all(specs.map(() => this.#client.connect()));
    // the connections are accepted a moment after they are open on this side
    await sleep(5);
    return Promise.all(specs.map((spec, i) => this.#exchange(spec, owner, sockets[i])));
  }

  sendUnpaced(spec: RequestSpec, owner: Owner): Promise<Exchange> {
    return this.#exchange(spec, owner);
  }

  /** Fetches a sample once; whoever asks later gets the same answer. */
  sample(name: string): Promise<Exchange> {
    const known = this.#samples.get(name);
    if (known !== undefined) return known;
    const sample: Sample = sampleNamed(name);
    const tickets = this.plan.tickets.get(name) ?? {};
    const scan = new Scan(this, { id: `${OWNER_OF_SAMPLES}/${name}`, level: 'stated' }, tickets);
    const exchange = sample.run(scan);
    this.#samples.set(name, exchange);
    return exchange;
  }

  close(): void {
    this.#client.close();
  }

  async #exchange(
    spec: RequestSpec,
    owner: Owner,
    socket?: Parameters<HttpClient['send']>[1],
  ): Promise<Exchange> {
    if (this.#gone) throw this.#gone;
    this.#refuseToSpendWithoutConsent(spec);
    const startedAt = new Date();
    const started = performance.now();
    try {
      const answer = await this.#client.send(spec, socket);
      this.#failuresInARow = 0;
      const durationMs = performance.now() - started;
      const exchange = {
        caseId: owner.id,
        level: owner.level,
        request: spec,
        answer,
        startedAt,
        durationMs,
      };
      this.exchanges.push(exchange);
      return exchange;
    } catch (error) {
      this.#count(error);
      throw error;
    }
  }

  #count(error: unknown): void {
    if (!(error instanceof TransportFailure)) return;
    this.#failuresInARow += 1;
    if (error.kind === 'stopped') this.#gone = new UnreachableError(error.message);
    if (this.#failuresInARow < FAILURES_IN_A_ROW_MAX) return;
    this.#gone ??= new UnreachableError(
      `${this.baseUrl.origin} stopped answering: ${FAILURES_IN_A_ROW_MAX} requests in a row failed, the last because ${error.message}.`,
    );
  }

  /** The last line of defence: whatever a case does wrong, no given ticket reaches a consume endpoint unasked. */
  #refuseToSpendWithoutConsent(spec: RequestSpec): void {
    if (this.#consent || !mayTakeUse(spec) || spec.body === undefined) return;
    const body = Buffer.from(spec.body).toString('utf8');
    for (const ticket of Object.values(this.target.tickets).flat()) {
      const card = Buffer.from(ticket.code).toString('base64');
      if (body.includes(`"${ticket.code}"`) || body.includes(`"${card}"`)) {
        throw new Error('a case wanted to spend a ticket without consent');
      }
    }
  }
}
