import { expect, test } from 'vitest';
import { applyRetention } from '../../src/features/privacy/rules.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const DAY_MS = 86_400_000;
const HOLDER = { firstName: 'Ada', lastName: 'Lovelace' };

test.each(ENGINES)(
  '%s: old entries and holders of tickets that ended are removed, nothing else',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    const { clock, store } = gate;
    const start = clock.now();
    const used = await gate.mint(HOLDER);
    const ended = await gate.mint({ ...HOLDER, validUntil: start + DAY_MS });
    const recent = await gate.mint({ ...HOLDER, validUntil: start + 35 * DAY_MS });
    const open = await gate.mint({ ...HOLDER, kind: 'permanent' });
    await gate.scan(gate.request(used.id), gate.request(open.id));
    clock.advance(40 * DAY_MS);
    await gate.scan(gate.request(open.id));

    const off = await applyRetention(store, clock, {}, true);
    const done = await applyRetention(store, clock, { keepLogDays: 39, keepHoldersDays: 30 }, true);

    expect(off).toEqual({ entries: 0, holders: 0, purged: true });
    expect(done).toMatchObject({ holders: 2 });
    // PostgreSQL drops whole months only.
    if (engine !== 'postgres') expect(done.entries).toBe(2);
    const holders = [used, ended, recent, open].map(
      async ({ id }) => (await store.findTicket(id))?.holder,
    );
    expect(await Promise.all(holders)).toEqual([null, null, HOLDER, HOLDER]);
    expect((await store.findTicket(used.id))?.usesConsumed).toBe(1);
    expect((await store.verify()).problems).toEqual([]);
  },
);

test('nothing is removed from a store that does not pass its audit', async () => {
  await using gate = await TestStore.open('memory');
  const { id } = await gate.mint(HOLDER);
  await gate.scan(gate.request(id));
  gate.clock.advance(40 * DAY_MS);
  const unsound = Object.assign(Object.create(gate.store), {
    verify: async () => ({ tickets: 1, scans: 1, problems: ['A counter is wrong.'] }),
  });

  const applied = applyRetention(unsound, gate.clock, { keepHoldersDays: 1 }, true);

  await expect(applied).rejects.toMatchObject({ code: 'store_damaged' });
  expect((await gate.store.findTicket(id))?.holder).toEqual(HOLDER);
});
