import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { CutLine } from '../../src/cli/commands/cut-line.ts';
import { settingsWith } from '../../src/cli/commands/demo-screen.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import type { EventRecord } from '../../src/core/records.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { Administration } from '../../src/features/administration.ts';
import { SiteAgent, type SiteSettings } from '../../src/features/sites/agent.ts';
import { SiteRules } from '../../src/features/sites/rules.ts';
import { keyringPath, openKeyring } from '../../src/features/store/opening.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import { runServer } from '../../src/serve/run-server.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';

const NOWHERE = new Writable({ write: (_chunk, _encoding, done) => done() });

/** What a gate saw. */
export interface Seen {
  readonly status: number;
  readonly valid: boolean | undefined;
  readonly uses: number | undefined;
}

/** A centre with an event, a card and a key, behind a line that can be cut. */
export class CentreHere implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'ticketscan-sites-'));
  readonly ends: (() => Promise<unknown>)[] = [];
  store!: Store;
  url!: string;
  line!: CutLine;
  event!: EventRecord;
  key!: string;

  static async open(): Promise<CentreHere> {
    const centre = new CentreHere();
    await centre.#open();
    return centre;
  }

  get rules(): SiteRules {
    const { store } = this;
    return new SiteRules({ store, clock: systemClock, random: randomBytes, actor: COMMAND_LINE });
  }

  get administration(): Administration {
    return new Administration(this.store, systemClock, randomBytes);
  }

  get tickets(): TicketAdministration {
    return new TicketAdministration(this.store, systemClock, randomBytes, COMMAND_LINE);
  }

  async #open(): Promise<void> {
    const url = `sqlite:${join(this.folder, 'centre.db')}`;
    this.store = await openStore(url);
    this.ends.push(() => this.store.close());
    const path = keyringPath(url, undefined);
    await openKeyring(this.store, path);
    const settings = { ...settingsWith('0'), logLevel: 'silent', store: url } as const;
    const server = await runServer(this.store, path, settings, NOWHERE);
    this.ends.push(() => server.close());
    this.url = server.url;
    this.line = await CutLine.to(new URL(server.url));
    this.ends.push(() => this.line.close());
    this.event = await this.administration.events.create('Summer pool');
    const made = await this.administration.keys.create({
      name: 'Gate',
      type: 'api',
      events: 'all',
    });
    this.key = made.value;
  }

  /** A ticket with so many uses. @returns its id and its TS2 code */
  async ticket(uses: number, event = this.event): Promise<{ id: string; code: string }> {
    const kind = { kind: 'multi', uses } as const;
    const [{ id = '' } = {}] = await this.tickets.create(event, kind, 1);
    const path = keyringPath(`sqlite:${join(this.folder, 'centre.db')}`, undefined);
    return { id, code: makeTicketCode(id, await openKeyring(this.store, path), 'TS2') };
  }

  /** Makes a site. @returns its token */
  async token(name: string): Promise<string> {
    const made = await this.rules.create(this.event.organisationId, name, false);
    return made.token;
  }

  async use(ticketId: string): Promise<number | undefined> {
    return (await this.store.findTicket(ticketId))?.usesConsumed;
  }

  async stateOf(event = this.event): Promise<string> {
    const stored = await this.store.read('event-home', event.id);
    const { home } = (stored?.value ?? {}) as { home?: { at: string } };
    return home?.at ?? 'centre';
  }

  async moved(to: 'away' | 'centre', event = this.event): Promise<void> {
    await until(async () => (await this.stateOf(event)) === to, `the event is ${to}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.ends.toReversed()) await end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A server with the agent of a site. */
export class SiteHere implements AsyncDisposable {
  readonly #ends: (() => Promise<unknown>)[] = [];
  store!: Store;
  url!: string;

  /** @param file the store, in the folder of the centre */
  static async open(
    centre: CentreHere,
    token: string,
    file: string,
    settings: Partial<SiteSettings> = {},
  ): Promise<SiteHere> {
    const site = new SiteHere();
    try {
      await site.#open(centre, { url: centre.line.url, token, ...settings }, file);
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
    return site;
  }

  async #open({ folder }: CentreHere, settings: SiteSettings, file: string): Promise<void> {
    const url = `sqlite:${join(folder, file)}`;
    this.store = await openStore(url);
    this.#ends.push(() => this.store.close());
    const log = pino({ level: 'silent' });
    const agent = new SiteAgent({ store: this.store, clock: systemClock, log }, settings);
    await agent.begin();
    const own = { ...settingsWith('0'), logLevel: 'silent', store: url, site: agent } as const;
    const server = await runServer(this.store, undefined, own, NOWHERE);
    this.#ends.push(() => server.close());
    this.url = server.url;
    agent.start();
    this.#ends.push(() => agent.close());
  }

  async use(ticketId: string): Promise<number | undefined> {
    return (await this.store.findTicket(ticketId))?.usesConsumed;
  }

  async ticket(ticketId: string): Promise<Ticket | undefined> {
    return this.store.findTicket(ticketId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
    this.#ends.length = 0;
  }
}

/** A scan at a gate, without any repeat. */
export async function scan(
  { url }: { readonly url: string },
  key: string,
  ticketCode: string,
): Promise<Seen> {
  const answer = await fetch(`${url}/scan/consume`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ ticketCode }),
  });
  const { valid, usesConsumed } = (await answer.json()) as Record<string, unknown>;
  return {
    status: answer.status,
    valid: valid as boolean | undefined,
    uses: usesConsumed as number | undefined,
  };
}

const WAIT_MS = 60_000;

/** Waits until a condition holds. @throws Error that names it, if that takes too long */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it is not so that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
