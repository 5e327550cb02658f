import { randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, vi } from 'vitest';
import { newTicket } from '../../../src/core/ticket-changes.ts';
import { COMMAND_LINE } from '../../../src/features/actor.ts';
import { SiteAgent, type SiteSettings } from '../../../src/features/sites/agent.ts';
import { SiteRules } from '../../../src/features/sites/rules.ts';
import { homeOfEvent, type SiteRecord } from '../../../src/features/sites/site-records.ts';
import { TicketAdministration } from '../../../src/features/tickets/rules.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { TestClock } from '../../support/clock.ts';
import { keptLog } from '../../support/kept-log.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { TestService } from '../../support/service.ts';
import { type Engine, placeOf, statusOfOutcome, storeFolder } from '../../support/stores.ts';

/** The clock of the machine: what waits here waits for something that happens. */
export class LiveClock extends TestClock {
  override now(): number {
    return Date.now();
  }

  override monotonicMs(): number {
    return performance.now();
  }
}

/** A use at a store, as a gate asks for it. */
export async function consumeAt(store: Store, keyId: string, ticketId: string): Promise<string> {
  const [, eventId = ''] = ticketId.split('_');
  const { outcomes } = await store.commitScans([
    {
      kind: 'scan',
      keyId,
      operation: 'consume',
      subject: { kind: 'ticket', ticketId, eventId },
      now: Date.now(),
      serial: null,
      reader: null,
      retry: null,
    },
  ]);
  return statusOfOutcome(outcomes[0]);
}

/** A centre that is served, and people who administer its sites. */
export class TestCentre implements AsyncDisposable {
  readonly service: TestService;
  readonly rules: SiteRules;
  readonly keyId: string;
  readonly #sites: TestSite[] = [];

  private constructor(service: TestService, keyId: string) {
    this.service = service;
    this.keyId = keyId;
    const { store, clock } = service;
    this.rules = new SiteRules({ store, clock, random: randomBytes, actor: COMMAND_LINE });
  }

  static async start(engine: Engine = 'sqlite'): Promise<TestCentre> {
    const service = await TestService.start({
      store: engine,
      clock: new LiveClock(),
      ticketsPerState: 1,
    });
    const [key] = (await service.store.list('key')).filter(({ events }) => events === 'all');
    if (!key) throw new Error('a seeded key has all events');
    return new TestCentre(service, key.id);
  }

  get store(): Store {
    return this.service.store;
  }

  async event(name: string): Promise<string> {
    const { organisationId } = await this.#seededEvent();
    const { id } = await this.service.administration.events.create(name, organisationId);
    return id;
  }

  async #seededEvent() {
    const [event] = await this.store.list('event');
    if (!event) throw new Error('a seeded store has events');
    return event;
  }

  /** @param uses endlessly many if not given */
  async mint(eventId: string, uses?: number): Promise<string> {
    const kind = uses === undefined ? 'permanent' : 'multi';
    const options = { kind, eventId, ...(uses !== undefined && { uses }) } as const;
    const ticket = newTicket(options, Date.now(), randomBytes);
    await this.store.insertTickets([ticket], AN_AUDIT_ENTRY);
    return ticket.id;
  }

  /** A new site with an empty store, which nobody serves yet. */
  async site(name: string, engine: Engine = 'sqlite'): Promise<TestSite> {
    const { organisationId } = await this.#seededEvent();
    const { site, token } = await this.rules.create(organisationId, name, true);
    const made = await TestSite.open(this, site, token, engine);
    this.#sites.push(made);
    return made;
  }

  async give(eventId: string, { record }: TestSite): Promise<void> {
    await this.#moving(async () =>
      this.rules.giveTo(await this.#eventOf(eventId), await this.rules.find(record.id)),
    );
  }

  /** The same, until the site decides. */
  async giveUntilDecided(eventId: string, site: TestSite): Promise<void> {
    await this.give(eventId, site);
    await site.untilDecides(eventId);
  }

  async askBack(eventId: string): Promise<void> {
    await this.#moving(async () => this.rules.askBack(await this.#eventOf(eventId)));
  }

  async #eventOf(id: string) {
    const event = await this.store.read('event', id);
    if (!event) throw new Error(`no event ${id}`);
    return event;
  }

  /** A site that is heard at the same time may have moved the record. */
  async #moving(work: () => Promise<unknown>): Promise<void> {
    await vi.waitFor(work, PATIENTLY);
  }

  async cancel(ticketId: string): Promise<void> {
    const { store, clock } = this.service;
    await new TicketAdministration(store, clock, randomBytes, COMMAND_LINE).cancel([ticketId]);
  }

  async untilAt(eventId: string, at: string): Promise<void> {
    await vi.waitFor(async () => {
      expect((await homeOfEvent(this.store, eventId)).home.at).toBe(at);
    }, PATIENTLY);
  }

  consume(ticketId: string): Promise<string> {
    return consumeAt(this.store, this.keyId, ticketId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const site of this.#sites) await site[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

type FollowSettings = Partial<Pick<SiteSettings, 'url' | 'token' | 'maxAgeMs'>>;

/** The store of a site, with the agents that follow its centre. */
export class TestSite implements AsyncDisposable {
  readonly record: SiteRecord;
  readonly token: string;
  store: Store;
  readonly #centre: TestCentre;
  readonly #url: string;
  readonly #folder: string;
  readonly #remove: (() => Promise<void>) | undefined;
  readonly #log = keptLog('debug');
  readonly #agents: SiteAgent[] = [];

  private constructor(
    centre: TestCentre,
    record: SiteRecord,
    token: string,
    place: { url: string; folder: string; store: Store; remove?: () => Promise<void> },
  ) {
    this.#centre = centre;
    this.record = record;
    this.token = token;
    this.store = place.store;
    this.#url = place.url;
    this.#folder = place.folder;
    this.#remove = place.remove;
  }

  static async open(centre: TestCentre, record: SiteRecord, token: string, engine: Engine) {
    const folder = storeFolder();
    const { url, remove } = await placeOf(engine, folder);
    const store = await openStore(url, { inThisThread: true });
    return new TestSite(centre, record, token, { url, folder, store, ...(remove && { remove }) });
  }

  get logs(): string {
    return this.#log.text();
  }

  agent(settings: FollowSettings = {}, store = this.store): SiteAgent {
    const { url } = this.#centre.service;
    const deps = { store, clock: new LiveClock(), log: this.#log.log };
    const made = new SiteAgent(deps, { url, token: this.token, ...settings });
    this.#agents.push(made);
    return made;
  }

  /** Follows the centre from now on. */
  async follow(settings: FollowSettings = {}): Promise<SiteAgent> {
    const agent = this.agent(settings);
    await agent.begin();
    agent.start();
    return agent;
  }

  /** The same on another store with the same token. */
  async followOn(store: Store, settings: FollowSettings = {}): Promise<SiteAgent> {
    const agent = this.agent(settings, store);
    await agent.begin();
    agent.start();
    return agent;
  }

  /** Begins with an empty store and the same token, as a new machine of the site does. */
  async withAnotherStore({ keepsFirst = false } = {}): Promise<void> {
    if (!keepsFirst) await this.store.close();
    this.store = await openStore(`sqlite:${join(storeFolder(), 'other.db')}`, {
      inThisThread: true,
    });
  }

  /** Another process of the site. */
  async another(): Promise<Store> {
    return openStore(this.#url);
  }

  consume(ticketId: string): Promise<string> {
    return consumeAt(this.store, this.#centre.keyId, ticketId);
  }

  async untilDecides(eventId: string, isOpen = true): Promise<void> {
    await vi.waitFor(async () => {
      const home = await this.store.read('event-home', eventId);
      expect(home).toMatchObject({ value: { held: { isOpen } } });
    }, PATIENTLY);
  }

  /** Keeps the files of the store as they are, as a snapshot of the disk does. @returns what sets them back */
  async snapshot(): Promise<() => Promise<void>> {
    await this.store.close();
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    const kept = storeFolder();
    for (const file of files) copyFileSync(file, join(kept, basename(file)));
    this.store = await openStore(this.#url, { inThisThread: true });
    return async () => {
      await this.store.close();
      for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name));
      for (const name of readdirSync(kept))
        copyFileSync(join(kept, name), join(this.#folder, name));
      rmSync(kept, { recursive: true });
      this.store = await openStore(this.#url, { inThisThread: true });
    };
  }

  /** A copy of the files, which another server is started on while this one runs. The caller closes it. */
  async copy(): Promise<Store> {
    await this.store.close();
    const folder = storeFolder();
    for (const name of readdirSync(this.#folder))
      copyFileSync(join(this.#folder, name), join(folder, name));
    this.store = await openStore(this.#url, { inThisThread: true });
    const file = basename(new URL(this.#url).pathname);
    return await openStore(`sqlite:${join(folder, file)}`, { inThisThread: true });
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents.splice(0)) await agent.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.store.close();
    await this.#remove?.();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Two sites that follow the centre; the first has the event. */
export async function givenToNorth(centre: TestCentre) {
  const [north, south] = [await centre.site('North'), await centre.site('South')];
  const event = await centre.event('Summer');
  const ticket = await centre.mint(event, 3);
  const [atNorth, atSouth] = [await north.follow(), await south.follow()];
  await centre.giveUntilDecided(event, north);
  return { north, south, event, ticket, atNorth, atSouth };
}

/** One site that follows the centre and has the event. @param uses of its ticket; endlessly many if not given */
export async function givenToOneSite(centre: TestCentre, uses?: number) {
  const site = await centre.site('North');
  const event = await centre.event('Summer');
  const ticket = await centre.mint(event, uses);
  const agent = await site.follow();
  await centre.giveUntilDecided(event, site);
  return { site, event, ticket, agent };
}
