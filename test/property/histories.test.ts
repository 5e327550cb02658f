import { describe, expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

interface Step {
  readonly ticket: number;
  readonly consume: boolean;
}

const history = fc.record({
  uses: fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1, maxLength: 4 }),
  batches: fc.array(
    fc.array(fc.record({ ticket: fc.nat({ max: 3 }), consume: fc.boolean() }), { maxLength: 40 }),
    { maxLength: 12 },
  ),
});

/** Commits a batch; returns which tickets were asked for a use, and which gave one. */
async function commit(
  gate: TestStore,
  ids: readonly string[],
  batch: readonly Step[],
): Promise<{ asked: string[]; granted: string[] }> {
  const steps = batch.map(({ ticket, consume }) => ({
    id: ids[ticket % ids.length] ?? '',
    consume,
  }));
  const outcomes = await gate.scan(
    ...steps.map(({ id, consume }) =>
      gate.request(id, { operation: consume ? 'consume' : 'validate' }),
    ),
  );
  const granted = steps.filter((_, index) => statusOfOutcome(outcomes[index]) === 'consumed');
  return {
    asked: steps.filter(({ consume }) => consume).map(({ id }) => id),
    granted: granted.map(({ id }) => id),
  };
}

const times = (id: string, ids: readonly string[]) => ids.filter((one) => one === id).length;

describe.each(ENGINES)('%s', (engine) => {
  test('whatever the history: granted uses are min(scans, usesAllowed), and the audit agrees', async () => {
    await using gate = await TestStore.open(engine);
    await fc.assert(
      fc.asyncProperty(history, async ({ uses, batches }) => {
        const cards = await Promise.all(
          uses.map((allowed) => gate.mint({ kind: 'multi', uses: allowed })),
        );
        const ids = cards.map(({ id }) => id);
        const commits = await Promise.all(batches.map((batch) => commit(gate, ids, batch)));
        const asked = commits.flatMap((one) => one.asked);
        const granted = commits.flatMap((one) => one.granted);
        for (const { id, usesAllowed } of cards) {
          expect(times(id, granted)).toBe(Math.min(usesAllowed, times(id, asked)));
        }
      }),
      { numRuns: 40 },
    );
    expect((await gate.store.verify()).problems).toEqual([]);
  });
});
