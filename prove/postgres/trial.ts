import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkHistory } from '../history/check-history.ts';
import { historyFrom } from '../history/record.ts';
import { change } from '../world/administrator.ts';
import { recordFrom } from '../world/judge.ts';
import { Load, sleep } from '../world/load.ts';
import { BUILT_PROGRAM, type ProgramPlace, run } from '../world/program.ts';
import type { Random } from '../world/random.ts';
import type { Recorder } from '../world/recorder.ts';
import { newFolder, type Sites, seedSites } from '../world/world.ts';
import { readPostgresFacts } from './facts.ts';
import { Instances } from './instances.ts';

export interface TrialOptions {
  /** The store of each instance: they may reach the same database over different lines. */
  readonly stores: readonly string[];
  /** The store for changes by people. */
  readonly administered: string;
  /** The database itself, for the judge; it may become another one. */
  readonly database: () => string;
  readonly random: Random;
  /** Each fault may fill a bucket again: a bucket need not survive its server. */
  readonly buckets: number;
  readonly ticketsPerState?: number;
}

/** The longest answer that docs/postgres.md allows, and a little more for a busy machine. */
const ANSWER_MS_MAX = 15_000;
const IMPATIENT_MS = 2000;

/** What clients heard in all. */
export interface Heard {
  readonly requests: number;
  readonly granted: number;
  /** A 500, or no answer. */
  readonly unknown: number;
  /** No answer in the time that an instance may take. */
  readonly unanswered: number;
  readonly slowestAnswerMs: number;
}

/** Two instances or more on one database, with clients that record what they are told. */
export class Trial implements AsyncDisposable {
  readonly instances: Instances;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly #folder: string;
  readonly #sites: Sites;
  readonly #options: TrialOptions;
  readonly #loads: Load[] = [];

  private constructor(
    options: TrialOptions,
    folder: string,
    made: { instances: Instances; sites: Sites; recorder: Recorder },
  ) {
    this.#options = options;
    this.random = options.random;
    this.#folder = folder;
    this.#sites = made.sites;
    this.instances = made.instances;
    this.recorder = made.recorder;
  }

  static async start(options: TrialOptions): Promise<Trial> {
    const folder = newFolder('postgres');
    const { stores, database, buckets, ticketsPerState = 20 } = options;
    const sites = await seedSites(placeOn(database(), folder), ticketsPerState);
    const recorder = recordFrom(sites, await readPostgresFacts(database()), buckets);
    const instances = await Instances.start(stores.map((url) => placeOn(url, folder)));
    return new Trial(options, folder, { instances, sites, recorder });
  }

  /** Clients of one instance. Those of other instances present the same tickets. */
  clientsOf(index: number, clients: number): Load {
    return this.#load(() => this.instances.url(index), clients, ANSWER_MS_MAX);
  }

  /** Loads the instance over its line; otherwise like `clientsOf`. Who waits there for an answer gives up soon: the line may have taken it. */
  clientsOverLine(index: number, clients: number): Load {
    return this.#load(() => this.instances.lineUrl(index), clients, IMPATIENT_MS);
  }

  #load(url: () => string | undefined, clients: number, answerTimeoutMs: number): Load {
    const [world, recorder, random] = [this.#sites, this.recorder, this.random.fork()];
    const load = new Load({ world, recorder, random, clients, url, answerTimeoutMs });
    this.#loads.push(load);
    return load;
  }

  /** Cancels a ticket; switches a key off and on again: the clients are told at once what holds from then on. */
  async changeSomething(): Promise<void> {
    const { open } = this.#sites;
    const place = placeOn(this.#options.administered, this.#folder);
    const ticket = this.random.pick(open.tickets['multi'] ?? []).id;
    await change(place, this.recorder, 'cancel', { ticket });
    const key = open.keys.restScoped.id;
    await change(place, this.recorder, 'disable', { key });
    await change(place, this.recorder, 'enable', { key });
  }

  /** Stops the clients and holds what they were told against the database. */
  async judge(): Promise<string[]> {
    await Promise.all(this.#loads.map((load) => load.stop()));
    const facts = await readPostgresFacts(this.#options.database());
    const problems = checkHistory(historyFrom(this.recorder.lines), facts);
    const texts = problems.map(({ rule, text }) => `${rule}: ${text}`);
    const audit = await run(placeOn(this.#options.database(), this.#folder), ['audit']);
    if (audit.code !== 0) texts.push(`ticketscan audit: ${audit.out}${audit.err}`);
    if (texts.length === 0) return [];
    const path = join(newFolder('kept'), 'record.jsonl');
    this.recorder.save(path);
    return [...texts, `the record is in ${path}`];
  }

  heard(): Heard {
    const scans = historyFrom(this.recorder.lines).operations.filter(
      ({ action, end }) => isScan(action) && Number.isFinite(end),
    );
    const unknown = scans.filter(({ outcome }) => outcome === 'unknown');
    const times = scans.map(({ start, end }) => end - start);
    return {
      requests: scans.length,
      granted: scans.filter(({ outcome }) => outcome === 'ok').length,
      unknown: unknown.length,
      unanswered: times.filter((ms) => ms >= ANSWER_MS_MAX).length,
      slowestAnswerMs: times.reduce((slowest, ms) => Math.max(slowest, ms), 0),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#loads.map((load) => load.stop()));
    await this.instances[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function placeOn(storeUrl: string, folder: string): ProgramPlace {
  return { program: BUILT_PROGRAM, folder, storeUrl };
}

function isScan(action: string): boolean {
  return action === 'consume' || action === 'validate';
}

/**
 * Resolves when clients of each load were granted a use after this call, with the milliseconds it took.
 * @throws Error when it takes longer than `withinMs`
 */
export async function grantedAgain(loads: readonly Load[], withinMs: number): Promise<number> {
  const from = performance.now();
  const before = loads.map(({ granted }) => granted);
  while (loads.some(({ granted }, index) => granted <= (before[index] ?? 0))) {
    if (performance.now() - from > withinMs) {
      const silent = loads.findIndex(({ granted }, index) => granted <= (before[index] ?? 0));
      throw new Error(`clients ${silent + 1} were granted nothing for ${withinMs} ms`);
    }
    await sleep(5);
  }
  return performance.now() - from;
}
