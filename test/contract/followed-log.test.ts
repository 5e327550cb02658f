import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TicketscanError } from '../../src/core/errors.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { followLog, type ReadPage } from '../../src/features/log/commands/read-log.ts';
import {
  allEntries,
  follow as followPages,
  type ReaderGap,
  readLogPage,
  searchIn,
} from '../../src/features/log/log-reader.ts';
import { MinuteStatistics } from '../../src/features/statistics/minute-statistics.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { execute } from '../support/postgres/schema.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const WRITERS = 8;
const BATCHES = 30;
const FOLLOWERS = 4;

/** Follows the log of a store; `until.done` ends it once it has read on from there. */
async function follow(store: Store, until: { done: boolean }, afterSequence = 0) {
  const seen: number[] = [];
  const gaps: unknown[] = [];
  const told: string[] = [];
  const stop = new AbortController();
  const read: ReadPage = async (place, limit) => {
    const isLast = until.done;
    const page = await readLogPage(store, place, limit);
    if (isLast && page.ended && page.entries.length === 0) stop.abort();
    return page;
  };
  const follower = {
    printer:
      async () =>
      async ({ sequence }: LogEntry) =>
        void seen.push(sequence),
    gap: ({ fromSequence, toSequence, reason }: ReaderGap) =>
      void gaps.push([reason, fromSequence, toSequence]),
    away: ({ code }: TicketscanError) => void told.push(code),
  };
  await followLog(read, afterSequence, follower, stop.signal);
  return { seen, gaps, told };
}

/** Some batches have their numbers long before they commit, so that others overtake them. */
const SLOW_COMMITS = `
  CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF random() < 0.3 THEN PERFORM pg_sleep(random() * 0.03); END IF; RETURN NULL; END';
  CREATE TRIGGER dawdle AFTER INSERT ON scan_log FOR EACH STATEMENT EXECUTE FUNCTION dawdle()`;

/** A store behind a slow network: much happens between two of its statements. */
async function farAway(url: string): Promise<Store> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('data', (data) => setTimeout(() => far.write(data), 4)).on('error', () => {});
    far.on('data', (data) => near.write(data)).on('error', () => {});
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String((proxy.address() as AddressInfo).port);
  const store = await openStore(proxied.href);
  onTestFinished(async () => {
    await store.close();
    proxy.close();
  });
  return store;
}

describe.each(ENGINES)('%s', (engine) => {
  test('who follows the log misses no entry and sees none twice, however many write at once', async () => {
    await using gate = await TestStore.open(engine);
    const stores = [gate.store, await gate.another()];
    const readers = [...stores];
    if (engine === 'postgres') {
      await execute(SLOW_COMMITS, gate.url);
      readers.unshift(await farAway(gate.url));
    }
    const until = { done: false };
    const followers = Array.from({ length: FOLLOWERS }, (_, index) =>
      follow(readers[index % readers.length] as Store, until),
    );
    const write = async (writer: number) => {
      const store = stores[writer % stores.length] as Store;
      // Each its own: batches that wait for a ticket cannot overtake each other.
      const { id } = await gate.mint({ kind: 'permanent' });
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const operation = batch % 3 === 0 ? 'consume' : 'validate';
        const size = 1 + ((writer * 7 + batch * 5) % 9);
        await store.commitScans(Array(size).fill(gate.request(id, { operation })));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    until.done = true;

    const seen = await Promise.all(followers);
    const all = (await gate.store.readLog({ limit: 10_000 })).map(({ sequence }) => sequence);
    expect(all.length).toBeGreaterThan(WRITERS * BATCHES);
    for (const one of seen) expect(one).toEqual({ seen: all, gaps: [], told: [] });
  });

  test('who follows a log that is pruned before it is read is told what is missing, and reads the rest', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const scan = async () => void (await gate.scan(gate.request(id)));
    for (let count = 0; count < 6; count += 1) {
      await scan();
      if (count === 3) gate.clock.advance(60_000);
    }
    // In so young a log, a number that is missing may be one that is still to come.
    if (engine === 'postgres') await execute('UPDATE scan_log SET logged_at = 0', gate.url);
    expect(await gate.store.pruneLog(gate.clock.now(), 100)).toBe(4);

    expect(await follow(gate.store, { done: true }, 2)).toEqual({
      seen: [5, 6],
      gaps: [['pruned', 3, 4]],
      told: [],
    });
    expect(await follow(gate.store, { done: true }, 4)).toMatchObject({ seen: [5, 6], gaps: [] });
    const replaced = follow(gate.store, { done: true }, 1000);
    expect(await replaced).toMatchObject({ seen: [], gaps: [['log_replaced', null, null]] });
  });
});

describe('a log that is replaced by a shorter one, as by a restored backup', () => {
  /** A store that reads another log as soon as `replace` is called. */
  async function replaceable(before: number, after: number) {
    const made = await Promise.all([TestStore.open('memory'), TestStore.open('memory')]);
    for (const [index, scans] of [before, after].entries()) {
      const gate = made[index] as TestStore;
      const { id } = await gate.mint({ kind: 'permanent' });
      for (let scan = 0; scan < scans; scan += 1) await gate.scan(gate.request(id));
    }
    const [{ store: first, clock }, { store: second }] = made;
    const log = {
      searchLog: first.searchLog.bind(first),
      countOutcomes: first.countOutcomes.bind(first),
    };
    const replace = () => {
      log.searchLog = second.searchLog.bind(second);
      log.countOutcomes = second.countOutcomes.bind(second);
    };
    return { log, replace, clock, first, second };
  }

  test('ends a reading that began before', async () => {
    const { log, replace } = await replaceable(1200, 2);
    let read = 0;
    for await (const _ of allEntries(log, {})) {
      read += 1;
      if (read === 1) replace();
    }
    expect(read).toBe(500);
  });

  test('is counted from its beginning', async () => {
    const { log, replace, clock, first, second } = await replaceable(5, 2);
    const statistics = new MinuteStatistics(log, clock);
    const admitted = async (store: Store) => {
      const [organisation] = await store.list('organisation');
      const { counts, complete } = await statistics.of(organisation?.id ?? '');
      const gates = counts.byGate(0, Number.MAX_SAFE_INTEGER);
      return { complete, admitted: gates.map((gate) => gate.admitted) };
    };

    expect(await admitted(first)).toEqual({ complete: true, admitted: [5] });
    replace();
    expect(await admitted(first)).toEqual({ complete: true, admitted: [] });
    expect(await admitted(second)).toEqual({ complete: true, admitted: [2] });
  });
});

test('who follows a log lets others work between its pages, and ends at once when told to', async () => {
  await using gate = await TestStore.open('memory');
  const { id } = await gate.mint({ kind: 'permanent' });
  for (let scan = 0; scan < 3; scan += 1) await gate.scan(gate.request(id));
  const stop = new AbortController();
  const pages: [number, boolean, number][] = [];
  let turns = 0;
  setImmediate(function turn() {
    turns += 1;
    if (!stop.signal.aborted) setImmediate(turn);
  });

  const options = { after: 0, signal: stop.signal, pauseMs: 60_000 };
  for await (const { upTo, ended } of followPages(searchIn(gate.store, {}, 1), options)) {
    pages.push([upTo, ended, turns]);
    if (ended) setTimeout(() => stop.abort());
  }

  expect(pages).toEqual([
    [1, false, 0],
    [2, false, 1],
    [3, true, 2],
  ]);
});
