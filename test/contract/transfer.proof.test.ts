import { describe, expect, test } from 'vitest';

import { openCopyTarget, openStore } from '../../src/stores/open-store.ts';
import { copyStore } from '../../src/stores/transfer/copy-store.ts';
import { SECTIONS } from '../../src/stores/transfer/records.ts';
import { anAuditEntry, fillStore } from '../support/full-store.ts';
import {
  EVERY_STORE,
  everyDevice,
  LASTING_STORES,
  NEIGHBOURS,
  statusOfOutcome,
  TestStore,
} from '../support/stores.ts';

const PAIRS = EVERY_STORE.flatMap((from) => EVERY_STORE.map((to) => [from, to] as const));

describe.each(PAIRS)('a copy from %s to %s', (from, to) => {
  test('holds everything, decides as the source would, and its counters equal its log', async () => {
    await using gate = await TestStore.open(from);
    await using target = await TestStore.open(to, 'empty');
    const { card, retried } = await fillStore(gate);
    const { counts } = await gate.store.info();

    const report = await copyStore(gate.store, target.store, { source: 'one', pageRecords: 3 });

    expect(report.resumed).toBe(false);
    expect(Math.min(...SECTIONS.map((section) => counts[section]))).toBeGreaterThan(0);
    expect((await target.store.info()).counts).toEqual(counts);
    expect(await everything(target)).toEqual(await everything(gate));
    expect(await target.store.verify()).toEqual(await gate.store.verify());
    const auditEntry = anAuditEntry(5);
    for (const { store } of [gate, target]) await store.write({ audit: [auditEntry] });
    expect(await target.store.readAuditLog({ limit: 1 })).toEqual(
      await gate.store.readAuditLog({ limit: 1 }),
    );
    const requests = [gate.request(card.id), retried, gate.request(card.id)];
    const both = [await gate.store.commitScans(requests), await target.store.commitScans(requests)];
    expect(both[1]?.outcomes).toEqual(both[0]?.outcomes);
    expect(both[0]?.outcomes.map(statusOfOutcome)).toEqual(['consumed', 'consumed', 'consumed']);
    expect((await target.store.readLog({ limit: 3 })).map(({ sequence }) => sequence)).toEqual(
      (await gate.store.readLog({ limit: 3 })).map(({ sequence }) => sequence),
    );
    expect((await target.store.verify()).problems).toEqual([]);
  });
});

/** How far a copy got is known to its target alone. */
describe.each(NEIGHBOURS)('a copy from %s to %s', (from, to) => {
  test('that was cut short anywhere is resumed, and comes out the same', async () => {
    await using gate = await TestStore.open(from);
    await using target = await TestStore.open(to, 'empty');
    await fillStore(gate);
    let pages = 0;
    const options = (pagesMax: number) => ({
      source: 'one',
      pageRecords: 2,
      onPage(what: string) {
        pages += 1;
        if (what === 'copying' && pages > pagesMax) throw new Error('pulled the plug');
      },
    });

    for (let pagesMax = 1; pagesMax < 200; pagesMax += 4) {
      pages = 0;
      const done = await copyStore(gate.store, target.store, options(pagesMax)).catch(
        () => undefined,
      );
      if (done) break;
      expect(await target.store.unfinishedCopy()).toMatchObject({ source: 'one' });
    }

    expect(await target.store.unfinishedCopy()).toBeUndefined();
    expect(await target.store.verify()).toEqual(await gate.store.verify());
    expect((await target.store.info()).counts).toEqual((await gate.store.info()).counts);
  });
});

describe.each(EVERY_STORE)('%s', (engine) => {
  test('a copy goes into no store that holds anything, and into no other half-done copy', async () => {
    await using gate = await TestStore.open(engine);
    await using used = await TestStore.open(engine);
    await using half = await TestStore.open(engine, 'empty');
    const page = await firstPage(gate);
    await half.store.importRecords(page, { source: 'one', section: page.section, next: page.next });

    for (const target of [used.store, half.store]) {
      await expect(copyStore(gate.store, target, { source: 'other' })).rejects.toMatchObject({
        code: 'conflict',
      });
    }
    expect(await used.store.unfinishedCopy()).toBeUndefined();
  });

  test('a page that cannot be written leaves nothing, and the note as it was', async () => {
    await using gate = await TestStore.open(engine);
    await using target = await TestStore.open(engine, 'empty');
    await fillStore(gate);
    await gate.store.beginSnapshot();
    const page = await gate.store.readSnapshot('organisations', null, 10);
    await target.store.importRecords(page, { source: 'x', section: 'organisations', next: null });
    const again = target.store.importRecords(
      { section: 'tickets', records: [], next: null },
      { source: 'another', section: 'tickets', next: null },
    );

    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    expect(await target.store.unfinishedCopy()).toMatchObject({ section: 'organisations' });
  });

  test('what is written while a copy is made does not change what is copied', async () => {
    await using gate = await TestStore.open(engine);
    await using target = await TestStore.open(engine, 'empty');
    const { card } = await fillStore(gate);
    const before = await gate.store.verify();
    let written = false;

    await copyStore(gate.store, target.store, {
      source: 'one',
      pageRecords: 2,
      onPage() {
        if (written) return;
        written = true;
        gate.store.commitScans([gate.request(card.id)]).catch(() => undefined);
        gate.mint().catch(() => undefined);
      },
    });

    expect(await target.store.verify()).toEqual(before);
  });

  test('a copy of a source that changed between two runs is refused', async () => {
    await using gate = await TestStore.open(engine);
    await using target = await TestStore.open(engine, 'empty');
    const { card } = await fillStore(gate);
    const stop = (_: string, section: string) => {
      if (section === 'log') throw new Error('pulled the plug');
    };
    await expect(
      copyStore(gate.store, target.store, { source: 'one', pageRecords: 2, onPage: stop }),
    ).rejects.toThrow('plug');

    await gate.scan(gate.request(card.id));

    await expect(
      copyStore(gate.store, target.store, { source: 'one', pageRecords: 2 }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/changed in tickets/),
    });
    expect(await target.store.unfinishedCopy()).toBeDefined();
  });
});

test.each(LASTING_STORES)(
  '%s: a half-done copy is opened by nothing but its copy',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    await using target = await TestStore.open(engine, 'empty');
    const page = await firstPage(gate);
    const { section, next } = page;
    await target.store.importRecords(page, { source: 'one', section, next });
    await target.store.close();

    await expect(openStore(target.url)).rejects.toMatchObject({ code: 'conflict' });

    target.store = await openCopyTarget(target.url);
    await copyStore(gate.store, target.store, { source: 'one', pageRecords: 1 });
    await target.reopen();
    expect(await target.store.list('organisation')).toEqual(await gate.store.list('organisation'));
  },
);

async function everything(gate: TestStore) {
  const { store } = gate;
  return {
    organisations: await store.list('organisation'),
    events: await store.list('event'),
    keys: await keysOf(gate),
    tickets: await store.listTickets({ limit: 100 }),
    log: await store.readLog({ limit: 100 }),
    devices: await everyDevice(store),
    accounts: await store.list('account'),
    changes: await store.readAuditLog({ limit: 100 }),
  };
}

/** The keys with their events sorted: in which order a key names them is the engine's own. */
async function keysOf({ store }: TestStore) {
  const keys = await store.list('key');
  return keys.map((key) => ({ ...key, events: [...key.events].sort() }));
}

async function firstPage(gate: TestStore) {
  await gate.store.beginSnapshot();
  return gate.store.readSnapshot('organisations', null, 1);
}
