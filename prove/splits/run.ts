import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditLogEntry } from '../../src/core/administrative-records.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { SetClock } from '../faults/clock.ts';
import { LINE_FAULTS, Line } from '../postgres/proxy.ts';
import { sleep } from '../world/load.ts';
import { BUILT_PROGRAM, mustRun, type ProgramPlace, run } from '../world/program.ts';
import type { Random } from '../world/random.ts';
import { newFolder, type WorldKey } from '../world/world.ts';
import { SplitClients, type SplitTicket } from './clients.ts';
import { splitProblems } from './judge.ts';
import { SplitServer } from './server.ts';
import { type Armed, killAtStep, loseAnswers } from './steps.ts';

export interface SplitOptions {
  readonly random: Random;
  /** How often the line of a site is made bad. */
  readonly splits: number;
  /** The store of the centre; a file of SQLite by default. */
  readonly centreStore?: string;
  /** The script to start: the built program, or a copy with a planted mistake. */
  readonly program?: string;
  /** Whether a site is lost for a while, so that a person frees its events. */
  readonly frees?: boolean;
  /** Whether a site is replaced by a backup of it, or by a copy of its store: it is a new site then. */
  readonly restores?: boolean;
  /** Whether the answers to rows are lost in each split, so that sites send again what the centre has. */
  readonly losesAnswers?: boolean;
  /** Whether the clocks of sites are set, forward and back. */
  readonly clocks?: boolean;
  /** How many servers the centre has: more than one only on a store that they can share. */
  readonly centres?: number;
  readonly say?: (text: string) => void;
}

export interface SplitResult {
  readonly splits: number;
  readonly kills: number;
  /** How often a clock was set, and a site replaced. */
  readonly clockSteps: number;
  readonly replaced: number;
  readonly moves: number;
  readonly granted: number;
  readonly rows: number;
  readonly printed: number;
}

const SITES = ['North', 'South'];
const EVENTS = ['Pool', 'Hall'];
const HOME_MS_MAX = 90_000;
const FIRST_MS = 2000;
/** What the clock of a site may be off by. */
const CLOCKS_S = [-86_400, -600, -5, 0, 5, 600, 86_400];

interface SplitSite {
  readonly name: string;
  readonly id: string;
  readonly server: SplitServer;
  readonly line: Line;
  readonly clock: SetClock | undefined;
}

/** What the run found. */
export class BrokenPromise extends Error {}

/** A centre and two sites, each behind a line of its own that becomes bad again and again. */
export class SplitRun {
  readonly #options: SplitOptions;
  readonly #folder = newFolder('splits');
  /** One server of the centre, or several at one store. */
  readonly #centres: readonly SplitServer[];
  readonly #sites: SplitSite[] = [];
  readonly #clients = new SplitClients();
  readonly #events: string[] = [];
  readonly #tickets: SplitTicket[] = [];
  /** Where each event was sent last. */
  readonly #wanted = new Map<string, string>();
  /** Sites that were replaced by a backup: what they had not sent was lost with them. */
  readonly #restored = new Set<string>();
  #moving: Promise<void> | undefined;
  #moves = 0;
  #printed = 0;
  #clockSteps = 0;
  #connections = 0;
  #replaced = 0;

  private constructor(options: SplitOptions) {
    this.#options = options;
    const place = this.#placeOf('centre', options.centreStore);
    this.#centres = Array.from(
      { length: options.centres ?? 1 },
      () => new SplitServer('centre', place),
    );
  }

  /** @throws Error when a promise was broken */
  static async play(options: SplitOptions): Promise<SplitResult> {
    const made = new SplitRun(options);
    try {
      return await made.#play();
    } finally {
      await made.#close();
    }
  }

  #placeOf(name: string, storeUrl?: string): ProgramPlace {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const { program = BUILT_PROGRAM } = this.#options;
    return { program, folder, storeUrl: storeUrl ?? `sqlite:${join(folder, 'ticketscan.db')}` };
  }

  async #play(): Promise<SplitResult> {
    const { random, splits, say = () => {} } = this.#options;
    const key = await this.#setUp();
    const servers = this.#servers();
    this.#clients.start(servers, this.#tickets, key, random.fork(), 2);
    // A site decides something before the first line becomes bad.
    for (const event of this.#events.slice(0, 1)) await this.#move(event);
    await sleep(FIRST_MS);
    for (let split = 1; split <= splits; split += 1) {
      await this.#split();
      if (split % 10 === 0) say(`${split} of ${splits} splits, ${this.#moves} moves`);
    }
    await this.#bringHome();
    await this.#clients.stop();
    const log = await this.#judge();
    return {
      splits,
      kills: servers.reduce((sum, { kills }) => sum + kills, 0),
      clockSteps: this.#clockSteps,
      replaced: this.#replaced,
      moves: this.#moves,
      granted: this.#clients.attempts.filter(({ became }) => became === 'granted').length,
      rows: log.filter(({ site }) => site !== undefined).length,
      printed: this.#printed,
    };
  }

  #servers(): SplitServer[] {
    return [...this.#centres, ...this.#sites.map(({ server }) => server)];
  }

  /** Where commands of the centre are run. */
  get #centrePlace(): ProgramPlace {
    const [{ place }] = this.#centres as [SplitServer];
    return place;
  }

  async #json(args: readonly string[]): Promise<unknown> {
    return JSON.parse(await mustRun(this.#centrePlace, [...args, '--json']));
  }

  async #setUp(): Promise<WorldKey> {
    for (const name of EVENTS) {
      const { id } = (await this.#json(['events', 'create', '--name', name])) as { id: string };
      this.#events.push(id);
      await this.#mint(id, 'single', 8);
      await this.#mint(id, 'multi', 6, 4);
      await this.#mint(id, 'multi', 4, 100);
    }
    const made = await this.#json(['keys', 'create', '--name', 'Gate', '--type', 'api']);
    const { id, key } = made as { id: string; key: string };
    for (const centre of this.#centres) await centre.start();
    for (const name of SITES) await this.#makeSite(name);
    return { id, value: key, type: 'api' };
  }

  async #mint(event: string, type: string, count: number, uses?: number): Promise<void> {
    const wanted = ['--event', event, '--type', type, '--count', String(count)];
    const of = uses === undefined ? [] : ['--uses', String(uses)];
    const made = await this.#json(['mint', ...wanted, ...of, '--code-format', 'TS2']);
    this.#tickets.push(...(made as SplitTicket[]));
  }

  async #makeSite(name: string): Promise<void> {
    const made = await this.#json(['sites', 'create', '--name', name]);
    const { site, token } = made as { site: { id: string }; token: string };
    const place = this.#placeOf(name);
    writeFileSync(join(place.folder, 'site.token'), token);
    const line = await Line.start(() => this.#portOfCentre());
    const args = ['--centre', `http://127.0.0.1:${line.port}`, '--site-token', 'file:site.token'];
    const clock = this.#options.clocks ? new SetClock(join(place.folder, 'clock')) : undefined;
    const server = new SplitServer(name, place, { args, environment: clock?.environment ?? {} });
    await server.start();
    this.#sites.push({ name, id: site.id, server, line, clock });
  }

  /** A site comes to the servers of the centre that run, in turn: when it comes is no matter of the seed. */
  #portOfCentre(): number {
    const running = this.#centres.filter(({ url }) => url !== undefined);
    this.#connections += 1;
    return running[this.#connections % running.length]?.port ?? this.#centrePort;
  }

  get #centrePort(): number {
    const [{ port }] = this.#centres as [SplitServer];
    return port;
  }

  /** A line becomes bad while events move, perhaps with a kill at a step of the protocol. */
  async #split(): Promise<void> {
    const { random } = this.#options;
    const site = random.pick(this.#sites);
    const step = this.#armStep(site);
    this.#moving = this.#move(random.pick(this.#events));
    // It is awaited below, unless something fails before.
    this.#moving.catch(() => undefined);
    await sleep(random.between(0, 600));
    if (random.chance(0.3)) site.line.cut();
    else site.line.play(random.pick(LINE_FAULTS), random);
    if (site.clock && random.chance(0.5)) this.#set(site.clock);
    if (random.chance(0.2)) await random.pick([random.pick(this.#centres), site.server]).kill();
    await sleep(random.between(200, 1500));
    site.line.restore();
    await this.#moving;
    if (this.#options.frees && random.chance(0.1)) await this.#free(site);
    if (this.#options.restores && random.chance(0.2)) await this.#replace(site);
    await sleep(random.between(100, 800));
    step?.disarm();
    await Promise.all(this.#servers().map((one) => one.start()));
  }

  /** What happens in a split at a step of the protocol; undefined where nothing does. */
  #armStep({ line, server }: SplitSite): Armed | undefined {
    const { random, losesAnswers } = this.#options;
    if (losesAnswers || random.chance(0.1)) return loseAnswers(line);
    if (random.chance(0.5)) return undefined;
    return killAtStep(line, { site: [server], centre: this.#centres }, random);
  }

  #set(clock: SetClock): void {
    clock.set(this.#options.random.pick(CLOCKS_S));
    this.#clockSteps += 1;
  }

  /** Gives an event to a site, or asks it back. One that is not home yet cannot be given to another: then it stays as it is. */
  async #move(event: string): Promise<void> {
    const { random } = this.#options;
    const isAway = (this.#wanted.get(event) ?? 'centre') !== 'centre';
    const to = isAway ? 'centre' : random.pick(this.#sites).id;
    const { code } = await run(this.#centrePlace, ['events', 'move', event, '--to', to]);
    if (code !== 0) return;
    this.#wanted.set(event, to);
    this.#moves += 1;
  }

  async #free({ id }: Pick<SplitSite, 'id'>): Promise<void> {
    const { code, out } = await run(this.#centrePlace, ['sites', 'free', id, '--yes', '--json']);
    if (code !== 0) return;
    const { events, uses } = JSON.parse(out) as { events: string[]; uses: number };
    this.#printed += uses;
    for (const event of events) this.#wanted.set(event, 'centre');
  }

  /** The machine of a site is lost: a backup takes its place, or its store is copied to another one. */
  async #replace(site: SplitSite): Promise<void> {
    const { name, id, server } = site;
    const wasReplaced = this.#options.random.chance(0.5)
      ? await this.#copy(site)
      : await this.#restore(site);
    if (!wasReplaced) return;
    this.#replaced += 1;
    this.#restored.add(name);
    // Its events stay with the store that is lost until a person frees them.
    await this.#free({ id });
    await server.start();
  }

  /** @returns false where the backup was only made, which the next call restores */
  async #restore({ name, server }: SplitSite): Promise<boolean> {
    const file = join(this.#folder, `${name}.backup`);
    if (!existsSync(file)) {
      await mustRun(server.place, ['store', 'backup', file]);
      return false;
    }
    await server.kill();
    await mustRun(server.place, ['store', 'restore', file, '--yes']);
    rmSync(file);
    return true;
  }

  async #copy({ server }: SplitSite): Promise<boolean> {
    const { place } = server;
    const to = `sqlite:${join(place.folder, `copy-${this.#replaced}.db`)}`;
    await server.kill();
    await mustRun(place, ['store', 'copy', place.storeUrl, to]);
    server.place = { ...place, storeUrl: to };
    return true;
  }

  /** The lines are good again, and every event is asked back until it is at the centre with all its rows. */
  async #bringHome(): Promise<void> {
    const until = Date.now() + HOME_MS_MAX;
    for (const { line } of this.#sites) line.restore();
    for (;;) {
      const sites = (await this.#json(['sites', 'list'])) as {
        name: string;
        events: { id: string; at: string }[];
        waiting: number | null;
      }[];
      const away = sites.flatMap(({ events }) => events);
      if (away.length === 0) break;
      if (Date.now() > until) throw new BrokenPromise(`not home: ${JSON.stringify(sites)}`);
      for (const { id, at } of away)
        if (at !== 'returning')
          await run(this.#centrePlace, ['events', 'move', id, '--to', 'centre']);
      await sleep(500);
    }
    for (const site of this.#sites) await this.#untilSent(site, until);
  }

  async #untilSent({ name, server }: SplitSite, until: number): Promise<void> {
    for (;;) {
      const { waiting } = JSON.parse(
        await mustRun(server.place, ['sites', 'status', '--json']),
      ) as { waiting: number };
      if (waiting === 0) return;
      if (Date.now() > until)
        throw new Error(`${waiting} rows of ${name} do not arrive:\n${server.said.slice(-1500)}`);
      await sleep(1000);
    }
  }

  async #judge(): Promise<LogEntry[]> {
    const servers = this.#servers();
    for (const server of servers) await server.end();
    const audits: string[] = [];
    for (const { name, place } of servers.slice(this.#centres.length - 1)) {
      const { code, out, err } = await run(place, ['audit']);
      if (code !== 0) audits.push(`the audit of ${name} says: ${out}${err}`);
    }
    const store = await openStore(this.#centrePlace.storeUrl);
    const log = await store.readLog({ limit: 1_000_000 });
    const acts: AuditLogEntry[] = await store.readAuditLog({ limit: 100_000 });
    await store.close();
    const problems = splitProblems({
      tickets: this.#tickets,
      attempts: this.#clients.attempts,
      log,
      acts: acts.sort((a, b) => a.sequence - b.sequence),
      printed: this.#printed,
      restored: this.#restored,
      sites: new Map(this.#sites.map(({ id, name }) => [id, name])),
      audits,
    });
    if (problems.length > 0)
      throw new BrokenPromise(
        `${problems.length} promises were broken:\n  ${problems.slice(0, 12).join('\n  ')}`,
      );
    return log;
  }

  async #close(): Promise<void> {
    await this.#moving?.catch(() => undefined);
    await this.#clients.stop();
    for (const { server, line } of this.#sites) {
      await server.kill();
      await line[Symbol.asyncDispose]();
    }
    for (const centre of this.#centres) await centre.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
