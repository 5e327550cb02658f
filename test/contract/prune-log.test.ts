import { describe, expect, test } from 'vitest';
import { fillStore } from '../support/full-store.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

describe.each(ENGINES)('%s', (engine) => {
  test('a pruned log keeps counters, numbers and the audit', async () => {
    await using it = await TestStore.open(engine);
    const card = await it.mint({ kind: 'multi', uses: 10 });
    const start = it.clock.now();
    for (let use = 0; use < 6; use += 1) {
      await it.scan(it.request(card.id, { now: start + use * 1000 }));
    }
    const bound = start + 4000;

    const prunable = await it.store.prunableLog(bound);
    const steps = await pruneAll(it, bound, 3);

    expect(prunable).toEqual({ entries: 4, uses: 4, firstAt: start, lastAt: start + 3000 });
    expect(steps.reduce((sum, step) => sum + step, 0)).toBe(4);
    expect((await it.store.readLog({ limit: 10 })).map(({ sequence }) => sequence)).toEqual([5, 6]);
    expect(await it.store.findTicket(card.id)).toMatchObject({ usesConsumed: 6 });
    expect(await it.store.verify()).toMatchObject({ scans: 2, problems: [] });
    const outcomes = await it.scan(...Array.from({ length: 5 }, () => it.request(card.id)));
    expect(outcomes.map(statusOfOutcome)).toEqual([
      'consumed',
      'consumed',
      'consumed',
      'consumed',
      'exhausted',
    ]);
    expect((await it.store.readLog({ limit: 1 }))[0]).toMatchObject({ sequence: 11 });
    expect((await it.store.verify()).problems).toEqual([]);
  });

  test('the newest entry stays whatever the bound, so that the numbers go on', async () => {
    await using it = await TestStore.open(engine);
    const { card } = await fillStore(it);
    const [newest] = await it.store.readLog({ limit: 1 });

    await pruneAll(it, Number.MAX_SAFE_INTEGER, 1000);

    expect(await it.store.readLog({ limit: 10 })).toEqual([newest]);
    expect(await it.store.prunableLog(Number.MAX_SAFE_INTEGER)).toMatchObject({ entries: 0 });
    await it.scan(it.request(card.id));
    const sequences = (await it.store.readLog({ limit: 10 })).map(({ sequence }) => sequence);
    expect(sequences).toEqual([newest?.sequence, (newest?.sequence ?? 0) + 1]);
    expect((await it.store.verify()).problems).toEqual([]);
  });

  test('an entry behind a newer one stays with it: the log is cut at one place', async () => {
    await using it = await TestStore.open(engine);
    const card = await it.mint({ kind: 'permanent' });
    const late = { now: it.clock.now() + 60_000 };
    const validate = { action: 'validate' } as const;
    await it.scan(it.request(card.id, validate), it.request(card.id, { ...validate, ...late }));
    await it.scan(it.request(card.id, validate), it.request(card.id, { ...validate, ...late }));

    await pruneAll(it, it.clock.now() + 1000, 1000);

    expect((await it.store.readLog({ limit: 10 })).map(({ sequence }) => sequence)).toEqual([
      2, 3, 4,
    ]);
  });

  test('of an empty log nothing is pruned', async () => {
    await using it = await TestStore.open(engine);

    expect(await it.store.pruneLog(it.clock.now(), 10)).toBe(0);
    expect(await it.store.prunableLog(it.clock.now())).toEqual({
      entries: 0,
      uses: 0,
      firstAt: null,
      lastAt: null,
    });
  });

  test('a store tells what it holds', async () => {
    await using it = await TestStore.open(engine);
    await fillStore(it);
    const [newest] = await it.store.readLog({ limit: 1 });

    const info = await it.store.info();

    expect(info).toMatchObject({
      engine,
      format: { versionFound: 0 },
      counts: { organisations: 1, events: 2, keys: 3, tickets: 4, log: 9, devices: 1, answers: 1 },
      lastScanAt: newest?.at,
    });
    expect(info.format.version).toBeGreaterThan(0);
  });
});

async function pruneAll(it: TestStore, before: number, entriesMax: number): Promise<number[]> {
  const steps: number[] = [];
  for (;;) {
    const removed = await it.store.pruneLog(before, entriesMax);
    if (removed === 0) return steps;
    steps.push(removed);
  }
}
