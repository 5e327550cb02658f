import { rmSync } from 'node:fs';
import type { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { until } from '../faults/run.ts';
import { SmallDisk } from '../faults/small-disk.ts';
import type { RecordLine } from '../history/record.ts';
import { SkippedError } from '../part.ts';
import { type Load, sleep } from '../world/load.ts';
import { Random } from '../world/random.ts';
import { newFolder } from '../world/world.ts';
import { DatabaseServers } from './servers.ts';
import { grantedAgain, type Heard, Trial } from './trial.ts';

/**
 * What is played before and at a fail-over. `primary-killed` and `primary-frozen` are the two ways to lose a primary; `stale-primary` lets it
 * come back as it was, or go on, while its successor serves. A standby that is `killed` is soon back, one that is `lost` only when
 * requests have failed. `change` cancels a ticket and switches a key while all that happens.
 */
type FailOverFault =
  | 'primary-killed'
  | 'primary-frozen'
  | 'stale-primary'
  | 'instance-killed'
  | 'standby-killed'
  | 'standby-lost'
  | 'disk-full'
  | 'change';

export interface FailOverReport extends Heard {
  /** The time from each promotion until every instance that runs has granted a use again, milliseconds. */
  readonly backAfterMs: readonly number[];
  readonly played: Readonly<Partial<Record<FailOverFault, number>>>;
  readonly problems: readonly string[];
}

export interface FailOverOptions {
  readonly rounds: number;
  /** The clients of each instance. */
  readonly clients: number;
  readonly seed: number;
  readonly onRound?: (round: number, backAfterMs: number) => void;
}

/** Ten fail-overs, and what else happens in each. Before the first one the disk of its primary fills up. */
const PLAN: readonly (readonly FailOverFault[])[] = [
  ['primary-killed'],
  ['instance-killed', 'primary-killed', 'stale-primary'],
  ['primary-frozen'],
  ['standby-lost', 'primary-killed'],
  ['change', 'primary-killed', 'stale-primary'],
  ['instance-killed', 'primary-frozen', 'stale-primary'],
  ['primary-killed'],
  ['change', 'primary-killed'],
  ['standby-killed', 'primary-killed'],
  ['instance-killed', 'primary-killed'],
];

const BACK_WITHIN_MS = 20_000;
const DISK_MEGABYTES = 320;
/** The time that somebody needs who watches the servers. */
const UNNOTICED_MS = 1000;
const FAILED_MIN = 5;
const STALE_MS = 500;
const STANDBY_AWAY_MS = 1000;

/**
 * Two instances on a primary with a synchronous standby, under load: the primary is lost and the standby promoted, again and again, with
 * other losses beside. Then what the clients were told is held against the last primary.
 */
export async function proveFailOver(options: FailOverOptions): Promise<FailOverReport> {
  const folder = newFolder('primary');
  try {
    using disk = smallDisk(folder);
    return await failOver(options, disk);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param disk of the first primary; without one no disk fills up */
async function failOver(
  { rounds, clients, seed, onRound }: FailOverOptions,
  disk: SmallDisk | undefined,
): Promise<FailOverReport> {
  await using servers = await DatabaseServers.start(disk?.folder);
  await using trial = await Trial.start({
    stores: [servers.url, servers.url],
    administered: servers.url,
    database: () => servers.primary.url(),
    random: new Random(seed),
    buckets: 2 * rounds,
  });
  const loads = [0, 1].map((index) => trial.clientsOf(index, clients));
  const run = new FailOvers(servers, trial, loads);
  const backAfterMs: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const full = round === 1 ? disk : undefined;
    const plan = PLAN[(round - 1) % PLAN.length] ?? [];
    backAfterMs.push(await run.round(full ? ['disk-full', ...plan] : plan, full));
    onRound?.(round, backAfterMs.at(-1) ?? 0);
  }
  await run.settled();
  return { ...trial.heard(), backAfterMs, played: run.played, problems: await trial.judge() };
}

class FailOvers {
  readonly played: Partial<Record<FailOverFault, number>> = {};
  readonly #servers: DatabaseServers;
  readonly #trial: Trial;
  readonly #loads: readonly Load[];
  /** The next spare in the making. */
  #replacing: Promise<void> = Promise.resolve();

  constructor(servers: DatabaseServers, trial: Trial, loads: readonly Load[]) {
    this.#servers = servers;
    this.#trial = trial;
    this.#loads = loads;
  }

  /** @param disk of the primary, which fills up. @returns how long after the promotion all running instances granted again */
  async round(faults: readonly FailOverFault[], disk: SmallDisk | undefined): Promise<number> {
    const { random, instances } = this.#trial;
    const plays = (fault: FailOverFault) => faults.includes(fault);
    await grantedAgain(this.#loads, BACK_WITHIN_MS);
    for (const fault of faults) this.played[fault] = (this.played[fault] ?? 0) + 1;
    const changing = plays('change') ? this.#trial.changeSomething() : undefined;
    await this.#before(faults, disk);
    const instance = random.between(0, instances.count - 1);
    if (plays('instance-killed')) await instances.kill(instance);
    await this.#replacing;
    const lost = await this.#losePrimary(plays('primary-frozen'));
    const running = this.#loads.filter((_, index) => instances.url(index));
    const backAfterMs = await grantedAgain(running, BACK_WITHIN_MS);
    if (plays('stale-primary')) await this.#comeBack(lost);
    if (plays('instance-killed')) await instances.restart(instance);
    this.#replacing = this.#servers.replace(lost);
    await changing;
    return backAfterMs;
  }

  async #before(faults: readonly FailOverFault[], disk: SmallDisk | undefined): Promise<void> {
    if (disk) await this.#fillDisk(disk);
    if (faults.includes('standby-killed')) await this.#killStandby(() => sleep(STANDBY_AWAY_MS));
    if (faults.includes('standby-lost')) await this.#killStandby(() => this.#until500());
    await sleep(this.#trial.random.between(200, 500));
  }

  /** The standby is promoted. @returns the server that was the primary */
  async #losePrimary(isFrozen: boolean): Promise<PostgresCluster> {
    const { primary } = this.#servers;
    // What is acknowledged from here on without the standby would be lost.
    primary.holdBackFromStandby();
    await sleep(this.#trial.random.between(100, 250));
    if (isFrozen) {
      primary.freeze();
      await sleep(UNNOTICED_MS);
    } else await primary.kill();
    return this.#servers.promote();
  }

  async settled(): Promise<void> {
    await this.#replacing;
    await grantedAgain(this.#loads, BACK_WITHIN_MS);
  }

  async #fillDisk(disk: SmallDisk): Promise<void> {
    disk.fill();
    await this.#until500();
    disk.empty();
    await grantedAgain(this.#loads, BACK_WITHIN_MS);
  }

  async #killStandby(isAway: () => Promise<void>): Promise<void> {
    await this.#replacing;
    const { standby } = this.#servers;
    await standby.kill();
    await isAway();
    await standby.start();
    await grantedAgain(this.#loads, BACK_WITHIN_MS);
  }

  /** The old primary takes writes again, on the address that the instances know, and waits for a standby that has gone. */
  async #comeBack(lost: PostgresCluster): Promise<void> {
    if (!lost.thaw()) await lost.start();
    const { instances, random } = this.#trial;
    const instance = random.between(0, instances.count - 1);
    // One that starts has seen no other primary before.
    await instances.kill(instance);
    await instances.restart(instance);
    await sleep(STALE_MS);
    await grantedAgain(
      this.#loads.filter((_, index) => instances.url(index)),
      BACK_WITHIN_MS,
    );
  }

  async #until500(): Promise<void> {
    const { lines } = this.#trial.recorder;
    const from = lines.length;
    await until('requests fail', () => lines.slice(from).filter(isUnknown).length >= FAILED_MIN);
  }
}

function isUnknown({ type }: RecordLine): boolean {
  return type === 'unknown';
}

function smallDisk(folder: string): SmallDisk | undefined {
  try {
    return new SmallDisk(folder, DISK_MEGABYTES);
  } catch (error) {
    if (error instanceof SkippedError) return undefined;
    throw error;
  }
}
