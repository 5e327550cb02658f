import { randomUUID } from 'node:crypto';
import type http from 'node:http';
import { ask, newAgent, type Scan } from './ask.ts';
import type { Random } from './random.ts';
import type { Recorder } from './recorder.ts';
import type { KeyName, Site, Sites, WorldTicket } from './world.ts';

export interface LoadOptions {
  readonly world: Sites;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly clients: number;
  /** Where to send the next request; undefined while no server is there. */
  readonly url: () => string | undefined;
  /** Which keys to scan with, the more often named the more often; all kinds when not given. */
  readonly keysMix?: readonly KeyName[];
  /** False where a repeated request may come more than a day later, by the clock on the wall. */
  readonly retries?: boolean;
  /** Ends the load after so many requests. */
  readonly requestsMax?: number;
  /** How long a client waits for an answer. */
  readonly answerTimeoutMs?: number;
}

const WITHOUT_SERVER_MS = 5;
const PAUSE_AFTER_FAILURE_MS = 2;

/** Clients that scan without a pause, each waiting for its answer, as gates do. */
export class Load {
  readonly #options: LoadOptions;
  readonly #agent: http.Agent = newAgent();
  readonly #clients: Promise<void>[];
  #stopped = false;
  #asked = 0;
  #granted = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#clients = Array.from({ length: options.clients }, () =>
      this.#client(options.random.fork()),
    );
  }

  /** Uses that were acknowledged so far. */
  get granted(): number {
    return this.#granted;
  }

  get asked(): number {
    return this.#asked;
  }

  /** Resolves when every client has heard its last answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.finished();
  }

  /** Resolves when `requestsMax` requests are answered. */
  async finished(): Promise<void> {
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #client(random: Random): Promise<void> {
    while (
      !this.#stopped &&
      this.#asked < (this.#options.requestsMax ?? Number.POSITIVE_INFINITY)
    ) {
      const url = this.#options.url();
      if (url === undefined) {
        await sleep(WITHOUT_SERVER_MS);
        continue;
      }
      const { scan, ticket } = nextScan(this.#options, random);
      const twins = scan.retry === undefined ? 1 : 2;
      const heard = Array.from({ length: twins }, () => this.#scan(url, scan, ticket));
      if ((await Promise.all(heard)).includes('unknown')) await this.#afterUnknown(scan, ticket);
    }
  }

  /** Who has heard nothing asks again, if the scan has a name to ask under. */
  async #afterUnknown(scan: Scan, ticket: WorldTicket): Promise<void> {
    await sleep(PAUSE_AFTER_FAILURE_MS);
    const url = this.#options.url();
    if (scan.retry === undefined || url === undefined || this.#stopped) return;
    await this.#scan(url, scan, ticket);
  }

  async #scan(url: string, scan: Scan, ticket: WorldTicket): Promise<string> {
    const { recorder } = this.#options;
    this.#asked += 1;
    const retry = scan.retry === undefined ? {} : { retry: scan.retry };
    const id = recorder.invoke({
      action: scan.action,
      key: scan.key.id,
      ticket: ticket.id,
      ...retry,
    });
    const heard = await ask(url, scan, this.#agent, this.#options.answerTimeoutMs);
    if (heard.type === 'unknown') recorder.unknown(id, heard.why);
    else recorder.answer(id, heard);
    if (heard.type === 'ok' && scan.action === 'consume') this.#granted += 1;
    return heard.type;
  }
}

/** Most scans use permanent and multi-use cards, so that one ticket is at many gates at once. */
const TICKETS_MIX = [
  ...Array<string>(8).fill('permanent'),
  ...Array<string>(5).fill('multi'),
  ...Array<string>(3).fill('single'),
  'windowed',
  'personalised',
  'exhausted',
  'cancelled',
  'notYetValid',
  'expired',
  'unknown',
];
const KEYS_MIX: readonly KeyName[] = [
  'rest',
  'rest',
  'rest',
  'restScoped',
  'hardware',
  'hardwareScoped',
];
const HOT_TICKETS = 4;

function nextScan(
  { world, keysMix = KEYS_MIX, retries = true }: LoadOptions,
  random: Random,
): { scan: Scan; ticket: WorldTicket } {
  const site = random.chance(0.1) ? random.pick([world.limited, world.metered]) : world.open;
  const key = site.keys[random.pick(keysMix)];
  const ticket = nextTicket(site, random);
  const action = random.chance(0.2) ? 'validate' : 'consume';
  const code = random.chance(0.15) ? ticket.otherCode : ticket.code;
  const repeated = retries && key.type === 'api' && action === 'consume' && random.chance(0.1);
  const retry = repeated ? { retry: `retry-${randomUUID()}` } : {};
  return { scan: { action, key, code, ...retry }, ticket };
}

function nextTicket(site: Site, random: Random): WorldTicket {
  const tickets = site.tickets[random.pick(TICKETS_MIX)] ?? [];
  return random.pick(random.chance(0.5) ? tickets.slice(0, HOT_TICKETS) : tickets);
}

/** Asks more at once than a bucket holds, and more than a quota allows. */
export async function burst(world: Sites, recorder: Recorder, url: string): Promise<void> {
  const { limited, metered } = world;
  const agent = newAgent();
  await Promise.all([
    ...looks(limited, limited.limits.burst * 3),
    ...looks(metered, metered.limits.quotaPerMonth + 20),
  ]);
  agent.destroy();

  function looks({ keys, tickets }: Site, count: number): Promise<void>[] {
    const key = keys.rest;
    const { id: ticket, code } = tickets['permanent']?.[0] ?? { id: '', code: '' };
    return Array.from({ length: count }, async () => {
      const id = recorder.invoke({ action: 'validate', key: key.id, ticket });
      const heard = await ask(url, { action: 'validate', key, code }, agent);
      if (heard.type === 'unknown') recorder.unknown(id, heard.why);
      else recorder.answer(id, heard);
    });
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
