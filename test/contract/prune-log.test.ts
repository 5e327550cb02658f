import { describe, expect, test } from 'vitest';
import { fillStore } from '../support/full-store.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

describe.each(ENGINES)('%s', (engine) => {
  test('a pruned log keeps counters, numbers and the audit', async () => {
    await using gate = await TestStore.open(engine);
    const card = await gate.mint({ kind: 'multi', uses: 10 });
    const start = gate.clock.now();
    for (let use = 0; use < 6; use += 1) {
      await gate.scan(gate.request(card.id, { now: start + use * 1000 }));
    }
    const bound = start + 4000;

    const prunable = await gate.store.prunableLog(bound);
    const steps = await pruneAll(gate, bound, 3);

    expect(prunable).toEqual({ entries: 4, uses: 4, firstAt: start, lastAt: start + 3000 });
    expect(steps.reduce((sum, step) => sum + step, 0)).toBe(4);
    expect((await gate.store.readLog({ limit: 10 })).map(({ sequence }) => sequence)).toEqual([
      5, 6,
    ]);
    expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 6 });
    expect(await gate.store.verify()).toMatchObject({ scans: 2, problems: [] });
    const outcomes = await gate.scan(...Array.from({ length: 5 }, () => gate.request(card.id)));
    expect(outcomes.map(statusOfOutcome)).toEqual([
      'consumed',
      'consumed',
      'consumed',
      'consumed',
      'exhausted',
    ]);
    expect((await gate.store.readLog({ limit: 1 }))[0]).toMatchObject({ sequence: 11 });
    expect(await gate.problems()).toEqual([]);
  });

  test('the newest entry stays whatever the bound, so that the numbers go on', async () => {
    await using gate = await TestStore.open(engine);
    const { card } = await fillStore(gate);
    const [newest] = await gate.store.readLog({ limit: 1 });

    await pruneAll(gate, Number.MAX_SAFE_INTEGER, 1000);

    expect(await gate.store.readLog({ limit: 10 })).toEqual([newest]);
    expect(await gate.store.prunableLog(Number.MAX_SAFE_INTEGER)).toMatchObject({ entries: 0 });
    await gate.scan(gate.request(card.id));
    const sequences = (await gate.store.readLog({ limit: 10 })).map(({ sequence }) => sequence);
    expect(sequences).toEqual([newest?.sequence, (newest?.sequence ?? 0) + 1]);
    expect(await gate.problems()).toEqual([]);
  });

  test('an entry behind a newer one stays with it: the log is cut at one place', async () => {
    await using gate = await TestStore.open(engine);
    const card = await gate.mint({ kind: 'permanent' });
    const late = { now: gate.clock.now() + 60_000 };
    const validate = { operation: 'validate' } as const;
    await gate.scan(
      gate.request(card.id, validate),
      gate.request(card.id, { ...validate, ...late }),
    );
    await gate.scan(
      gate.request(card.id, validate),
      gate.request(card.id, { ...validate, ...late }),
    );

    await pruneAll(gate, gate.clock.now() + 1000, 1000);

    expect((await gate.store.readLog({ limit: 10 })).map(({ sequence }) => sequence)).toEqual([
      2, 3, 4,
    ]);
  });

  test('of an empty log nothing is pruned', async () => {
    await using gate = await TestStore.open(engine);

    expect(await gate.store.pruneLog(gate.clock.now(), 10)).toBe(0);
    expect(await gate.store.prunableLog(gate.clock.now())).toEqual({
      entries: 0,
      uses: 0,
      firstAt: null,
      lastAt: null,
    });
  });

  test('a store tells what it holds', async () => {
    await using gate = await TestStore.openUntouched(engine);
    await fillStore(gate);
    const [newest] = await gate.store.readLog({ limit: 1 });

    const info = await gate.store.info();

    expect(info).toMatchObject({
      engine,
      format: { versionFound: 0 },
      counts: { organisations: 1, events: 2, keys: 3, tickets: 5, log: 9, devices: 1, answers: 1 },
      lastScanAt: newest?.at,
    });
    expect(info.format.version).toBeGreaterThan(0);
  });
});

async function pruneAll(gate: TestStore, before: number, entriesMax: number): Promise<number[]> {
  const steps: number[] = [];
  for (;;) {
    const removed = await gate.store.pruneLog(before, entriesMax);
    if (removed === 0) return steps;
    steps.push(removed);
  }
}
