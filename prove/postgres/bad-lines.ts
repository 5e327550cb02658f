import { execute } from '../../test/support/postgres/schema.ts';
import { sleep } from '../world/load.ts';
import { Random } from '../world/random.ts';
import { LINE_FAULTS, Line, type LineFault } from './proxy.ts';
import { grantedAgain, type Heard, Trial } from './trial.ts';

export interface BadLinesReport extends Heard {
  /** How often each fault met a connection. */
  readonly played: Readonly<Partial<Record<LineFault | 'instance-killed' | 'terminated', number>>>;
  /** The time from the moment a silent line is back until every instance has granted a use, milliseconds. */
  readonly backAfterMs: number;
  readonly problems: readonly string[];
}

export interface BadLinesOptions {
  /** An empty schema. */
  readonly store: string;
  readonly rounds: number;
  readonly clients: number;
  readonly seed: number;
}

const INSTANCES = 2;
const BACK_WITHIN_MS = 20_000;
/** Longer than an instance waits for its database. */
const SILENT_MS = 5000;
const NAME = 'ticketscan_bad_lines';

/**
 * Two instances under load, with faults on the lines to their database and to their clients, killed instances and ended connections; at
 * the end nothing at all comes over the line between one instance and the database.
 */
export async function proveBadLines(options: BadLinesOptions): Promise<BadLinesReport> {
  const { store, rounds, clients, seed } = options;
  const random = new Random(seed);
  const port = Number(new URL(store).port);
  await using lines = new AsyncDisposableStack();
  const toDatabase: Line[] = [];
  for (let index = 0; index < INSTANCES; index += 1)
    toDatabase.push(lines.use(await Line.start(() => port)));
  await using trial = await Trial.start({
    stores: toDatabase.map((line) => over(line, store)),
    administered: store,
    database: () => store,
    random,
    buckets: 1,
  });
  const loads = toDatabase.flatMap((_, index) => [
    trial.clientsOf(index, clients),
    trial.clientsOverLine(index, clients / 2),
  ]);
  const others = { 'instance-killed': 0, terminated: 0 };
  await grantedAgain(loads, BACK_WITHIN_MS);
  const changing = trial.changeSomething();
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(random.between(50, 250));
    const chance = random.next();
    if (chance < 0.1) {
      others['instance-killed'] += 1;
      const index = random.between(0, INSTANCES - 1);
      await trial.instances.kill(index);
      await trial.instances.restart(index);
    } else if (chance < 0.2) others.terminated += await terminate(store);
    else {
      const line = random.pick([...toDatabase, ...toDatabase, ...trial.instances.lines()]);
      line.play(random.pick(LINE_FAULTS), random, random.pick([0.3, 1]));
    }
  }
  await changing;
  await grantedAgain(loads, BACK_WITHIN_MS);
  const [silent] = toDatabase;
  silent?.silence(random);
  await sleep(SILENT_MS);
  silent?.restore();
  const backAfterMs = await grantedAgain(loads, BACK_WITHIN_MS);
  const problems = await trial.judge();
  const played = playedOn([...toDatabase, ...trial.instances.lines()]);
  return { ...trial.heard(), played: { ...played, ...others }, backAfterMs, problems };
}

/** The store as an instance names it. */
function over(line: Line, store: string): string {
  const url = new URL(store);
  url.port = String(line.port);
  url.searchParams.set('application_name', NAME);
  return url.href;
}

async function terminate(store: string): Promise<number> {
  const { rowCount } = await execute(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${NAME}' AND random() < 0.5`,
    store,
  );
  return rowCount ?? 0;
}

function playedOn(lines: readonly Line[]): Partial<Record<LineFault, number>> {
  return Object.fromEntries(
    LINE_FAULTS.map((fault) => [
      fault,
      lines.reduce((sum, { played }) => sum + (played.get(fault) ?? 0), 0),
    ]),
  );
}
