import { describe, expect, test } from 'vitest';
import type { AuditLogEntry } from '../../src/core/administrative-records.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { findLastUse, findLastUseNearby } from '../../src/features/log/last-use.ts';
import {
  allEntries,
  type LogConditions,
  lastBefore,
  newestSequence,
  readLogPage,
  settledNumber,
} from '../../src/features/log/log-reader.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import type { Store } from '../../src/stores/store.ts';
import { copyStore } from '../../src/stores/transfer/copy-store.ts';
import { type RecordPage, SECTIONS } from '../../src/stores/transfer/records.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { execute } from '../support/postgres/schema.ts';
import { type Engine, NEIGHBOURS, TestStore } from '../support/stores.ts';

/** PostgreSQL leaves such numbers behind batches that were rolled back, in both logs. */
const SCANS = [1, 2, 5, 6, 7, 8, 40];
const CHANGES = [1, 2, 7];

interface GappedStore extends AsyncDisposable {
  readonly gate: TestStore;
  readonly ticketId: string;
}

/** A store whose logs have these numbers: a scan each minute, of which the third is taken back. */
async function gapped(
  engine: Engine,
  { scans, changes } = { scans: SCANS, changes: CHANGES },
): Promise<GappedStore> {
  await using made = await TestStore.open('memory');
  const { id: ticketId } = await made.mint({ kind: 'multi', uses: 99 });
  for (let scan = 0; scan < scans.length - 1; scan += 1) {
    made.clock.advance(60_000);
    await made.scan(made.request(ticketId));
  }
  made.clock.advance(60_000);
  const why = { by: 'Ada', reason: 'did not turn' };
  await made.store.undoUse({ sequence: 3, at: made.clock.now(), ...why }, AN_AUDIT_ENTRY);
  const gate = await TestStore.open(engine, 'empty');
  Object.assign(gate, { eventId: made.eventId, keyId: made.keyId });
  gate.clock.advance(made.clock.now() - gate.clock.now());
  await made.store.beginSnapshot();
  const source = 'numbered anew';
  for (const section of SECTIONS) {
    const page = await made.store.readSnapshot(section, null, 1000);
    const records = numbered(page, { scans, changes });
    await gate.store.importRecords({ ...page, records } as RecordPage, {
      source,
      section,
      next: null,
    });
  }
  await gate.store.endImport();
  // In so young a log, a number that is missing may be one that is still to come.
  if (engine === 'postgres') await execute('UPDATE scan_log SET logged_at = 0', gate.url);
  return { gate, ticketId, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
}

function numbered(
  page: RecordPage,
  { scans, changes }: { scans: number[]; changes: number[] },
): readonly unknown[] {
  const at = (numbers: number[], sequence: number) => numbers[sequence - 1] ?? 0;
  if (page.section === 'auditLog') {
    return page.records
      .slice(0, changes.length)
      .map((entry) => ({ ...entry, sequence: at(changes, entry.sequence) }));
  }
  if (page.section !== 'log') return page.records;
  return page.records.map(({ undo, ...entry }) => ({
    ...entry,
    sequence: at(scans, entry.sequence),
    ...(undo && { undo: { ...undo, sequence: at(scans, undo.sequence) } }),
  }));
}

const numbersOf = (entries: readonly (LogEntry | AuditLogEntry)[]) =>
  entries.map(({ sequence }) => sequence);

async function pagesOf(
  store: Store,
  start: LogConditions,
  onFrom: (searchedTo: number) => LogConditions,
  limit: number,
): Promise<number[]> {
  const found: number[] = [];
  for (let conditions = start; ; ) {
    const { entries, searchedTo, ended } = await readLogPage(store, conditions, limit);
    found.push(...numbersOf(entries));
    if (ended) return found;
    conditions = onFrom(searchedTo);
  }
}

async function auditPagesOf(store: Store, limit: number): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const beforeSequence = found.at(-1) ?? Number.MAX_SAFE_INTEGER;
    const page = await store.readAuditLog({ beforeSequence, limit });
    if (page.length === 0) return found;
    found.push(...numbersOf(page));
  }
}

async function collected(entries: AsyncIterable<LogEntry>): Promise<number[]> {
  const all: LogEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return numbersOf(all);
}

describe.each(NEIGHBOURS)('%s: logs with gaps in their numbers', (engine, to) => {
  test('are read whole and in order, by pages and exports, from any number on', async () => {
    await using made = await gapped(engine);
    const { store } = made.gate;

    expect(await newestSequence(store)).toBe(40);
    expect(await settledNumber((search, limit) => readLogPage(store, search, limit))).toBe(40);
    expect(await collected(allEntries(store, {}))).toEqual(SCANS);
    for (const limit of [1, 2, 3, 100]) {
      const after = (afterSequence: number) => ({ afterSequence });
      const before = (beforeSequence: number) => ({ beforeSequence });
      expect(await pagesOf(store, after(0), after, limit)).toEqual(SCANS);
      expect(await pagesOf(store, {}, before, limit)).toEqual(SCANS.toReversed());
      expect(await auditPagesOf(store, limit)).toEqual(CHANGES.toReversed());
    }
    for (let number = 0; number <= 41; number += 1) {
      const [later, earlier] = [
        SCANS.filter((one) => one > number),
        SCANS.filter((one) => one < number),
      ];
      const search = { limit: 100, searchMax: 100 };
      const bounds = { newest: 40, oldest: 1, ended: true };
      const { entries, ...page } = await store.searchLog({ ...search, afterSequence: number });
      expect(numbersOf(entries)).toEqual(later);
      expect(page).toEqual({ ...bounds, searchedTo: Math.max(number, 40) });
      const backwards = await store.searchLog({ ...search, beforeSequence: number });
      expect(numbersOf(backwards.entries)).toEqual(earlier.toReversed());
      expect(numbersOf(await store.readLog({ afterSequence: number, limit: 2 }))).toEqual(
        later.slice(0, 2),
      );
    }
    // A part that is a gap has no entries, and whoever reads on from there misses nothing.
    expect(await store.searchLog({ afterSequence: 2, limit: 9, searchMax: 2 })).toMatchObject({
      entries: [],
      searchedTo: 4,
      ended: false,
    });
    const counted = await store.countOutcomes(4, 100);
    expect(counted.counts.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect((await store.verify()).problems).toEqual([]);
  });

  test('are searched by time, also across a gap that is larger than the log', async () => {
    const scans = [1, 2, 3, 70_000, 70_001, 900_000];
    await using made = await gapped(engine, { scans, changes: CHANGES });
    const { store } = made.gate;
    const entries = await store.readLog({ limit: 100 });

    for (const [index, { at }] of entries.entries()) {
      expect(await lastBefore(store, at)).toBe(scans[index - 1] ?? 0);
      expect(await lastBefore(store, at + 1)).toBe(scans[index]);
    }
    const found = await store.findTicket(made.ticketId);
    for (const find of [findLastUse, findLastUseNearby])
      expect(await find(store, found as { id: string; lastConsumedAt: number })).toMatchObject({
        sequence: 70_001,
      });
    expect(await collected(allEntries(store, {}))).toEqual(scans);
    expect(await settledNumber((search, limit) => readLogPage(store, search, limit))).toBe(900_000);
  });

  test('go on after the newest number, also when the store is opened again', async () => {
    await using made = await gapped(engine);
    const { gate, ticketId } = made;

    await gate.scan(gate.request(ticketId));
    await gate.store.write({ audit: [AN_AUDIT_ENTRY] });
    if (engine !== 'memory') await gate.reopen();
    await gate.scan(gate.request(ticketId));
    await gate.store.write({ audit: [AN_AUDIT_ENTRY] });

    expect(numbersOf(await gate.store.readLog({ limit: 2 }))).toEqual([41, 42]);
    expect(numbersOf(await gate.store.readAuditLog({ limit: 3 }))).toEqual([9, 8, 7]);
    expect(await gate.problems()).toEqual([]);
  });

  test('have no entry with a number that is missing: nothing is taken back in its place', async () => {
    await using made = await gapped(engine);
    const { gate } = made;
    const actor = { accountId: null, by: 'Ada' };
    const tickets = new TicketAdministration(gate.store, gate.clock, () => Buffer.alloc(0), actor);
    const undo = (sequence: number) => tickets.undo(sequence, 'did not turn');

    for (const missing of [3, 4, 39, 41])
      await expect(undo(missing)).rejects.toMatchObject({ code: 'not_found' });
    expect(await undo(6)).toMatchObject({ sequence: 41, undo: { sequence: 6 } });
    const pruned = await gate.store.pruneLog(gate.clock.now() - 1, 100);
    expect(pruned).toBe(SCANS.length - 1);
    await expect(undo(1)).rejects.toMatchObject({ code: 'not_found' });
    expect(await gate.problems()).toEqual([]);
  });

  test(`are copied to ${to} with their numbers, and from there on`, async () => {
    await using made = await gapped(engine);
    await using first = await TestStore.open(to, 'empty');
    await using second = await TestStore.open(engine, 'empty');

    const there = await copyStore(made.gate.store, first.store, { source: 'a', pageRecords: 2 });
    await first.store.write({ audit: [AN_AUDIT_ENTRY] });
    const back = await copyStore(first.store, second.store, { source: 'b', pageRecords: 2 });

    expect(there.sections.log.records).toBe(SCANS.length);
    expect(back.sections.log).toEqual(there.sections.log);
    for (const { store } of [first, second]) {
      expect(await collected(allEntries(store, {}))).toEqual(SCANS);
      expect(await auditPagesOf(store, 2)).toEqual([8, ...CHANGES.toReversed()]);
      expect(await store.readLog({ limit: 100 })).toEqual(
        await made.gate.store.readLog({ limit: 100 }),
      );
    }
  });
});

/** A target whose readers do not find what it holds. */
function reading(store: Store, change: (entries: LogEntry[]) => LogEntry[]): Store {
  return new Proxy(store, {
    get(_, name: keyof Store) {
      const member = store[name];
      // The methods of a store read its private members, which a proxy does not have.
      if (name !== 'searchLog') return typeof member === 'function' ? member.bind(store) : member;
      return async (search: Parameters<Store['searchLog']>[0]) => {
        const page = await store.searchLog(search);
        return { ...page, entries: change([...page.entries]) };
      };
    },
  });
}

test.each<[string, (entries: LogEntry[]) => LogEntry[], string]>([
  ['lost', (all) => all.filter(({ sequence }) => sequence !== 5), 'entry 5 is missing'],
  ['lost at the end', (all) => all.filter(({ sequence }) => sequence < 40), 'entry 40 is missing'],
  [
    'repeated',
    (all) => all.flatMap((one) => (one.sequence === 6 ? [one, one] : [one])),
    'entry 6 is read twice',
  ],
  ['another one', (all) => all.map((one) => ({ ...one, serial: 'X' })), 'entry 1 is another one'],
])('a copy is refused when a reader of it finds an entry %s', async (_, change, problem) => {
  await using made = await gapped('sqlite');
  await using target = await TestStore.open('sqlite', 'empty');

  await expect(
    copyStore(made.gate.store, reading(target.store, change), { source: 'a' }),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`differ in log (${problem}`),
  });
  expect(await target.store.unfinishedCopy()).toBeDefined();
});
