import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { postgresBinaries } from '../../../test/support/postgres/binaries.ts';
import { inTurns, ratioOf, type Turns } from '../../lib/in-turns.ts';
import { type Load, type LoadResult, load } from '../../lib/load.ts';
import { newDatabase, settle, withCluster } from '../../lib/postgres-load.ts';
import { loadTickets, type Running, startTicketscan, writeCodes } from '../../lib/servers.ts';
import type { Line } from '../line.ts';
import type { Measure } from './measure.ts';

const TICKETS = 10_000;
const CONNECTIONS = 256;

/** PostgreSQL runs on this machine as well, and takes its part of the processors. */
export const postgres: Measure = {
  name: 'postgres',
  about: 'consumes a second on PostgreSQL against SQLite, and of two servers on one database',
  async run(options) {
    const title = 'On PostgreSQL (postgres)';
    if (!isInstalled()) {
      return { title, notes: ['Not measured: no PostgreSQL is installed here.'], lines: [] };
    }
    const turns = await measured(options.folder, options.quick);
    return {
      title,
      notes: [
        '256 connections; the database runs on this machine. Two servers share the connections and one database, each on what the processors leave.',
      ],
      lines: [
        line(
          'postgres/rate',
          'consumes a second on PostgreSQL',
          'SQLite',
          turns.one,
          turns.sqlite,
          0.75,
        ),
        line('postgres/two', 'two servers on one database', 'one server', turns.two, turns.one),
      ],
    };
  },
};

function isInstalled(): boolean {
  try {
    return postgresBinaries() !== '';
  } catch {
    return false;
  }
}

type All = Record<'sqlite' | 'one' | 'two', Turns>;

async function measured(parent: string, quick: boolean): Promise<All> {
  let turns: All | undefined;
  await withCluster(async (cluster) => {
    const store = await newDatabase(cluster, 'page');
    const sqlite = await servedIn(mkdtempSync(join(parent, 'sqlite-')), 1);
    const shared = await servedIn(mkdtempSync(join(parent, 'postgres-')), 2, store);
    await settle(store);
    const seconds = quick ? 1 : 2;
    turns = await inTurns(
      {
        sqlite: () => loadAll(sqlite.servers, { ...sqlite, seconds }),
        one: () => loadAll(shared.servers.slice(0, 1), { ...shared, seconds }),
        two: () => loadAll(shared.servers, { ...shared, seconds }),
      },
      quick ? 1 : 5,
    );
    for (const server of [...sqlite.servers, ...shared.servers]) await server.stop();
  });
  if (!turns) throw new Error('PostgreSQL was not measured');
  return turns;
}

async function servedIn(folder: string, count: number, store?: string) {
  const { key, codes } = await loadTickets(folder, TICKETS, TICKETS, store);
  const codesFile = writeCodes(folder, codes);
  const servers: Running[] = [];
  for (let made = 0; made < count; made += 1) servers.push(await startTicketscan(folder, store));
  return { key, codesFile, servers };
}

/** The same connections in all, however many servers there are. */
async function loadAll(
  servers: readonly Running[],
  { key, codesFile, seconds }: Pick<Load, 'key' | 'codesFile' | 'seconds'>,
): Promise<LoadResult> {
  const connections = CONNECTIONS / servers.length;
  const shape = { key, codesFile, seconds, connections };
  const results = await Promise.all(servers.map(({ url }) => load({ ...shape, url })));
  const sum = (of: 'requests' | 'requestsPerSecond') =>
    results.reduce((total, result) => total + result[of], 0);
  return {
    requests: sum('requests'),
    requestsPerSecond: sum('requestsPerSecond'),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  };
}

function line(
  id: string,
  what: string,
  against: string,
  measuredTurns: Turns,
  reference: Turns,
  atLeast?: number,
): Line {
  return {
    id,
    what,
    against,
    figure: `${measuredTurns.rate.toFixed(0)} /s`,
    reference: `${reference.rate.toFixed(0)} /s`,
    ratio: ratioOf(measuredTurns, reference),
    ...(atLeast !== undefined && { goal: { atLeast } }),
    measures: 'wall clock',
  };
}
