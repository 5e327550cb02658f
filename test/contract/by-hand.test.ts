import { describe, expect, test } from 'vitest';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** What a person at the gate does without a code: letting in by hand, and several uses of one card at once. */
describe.each(ENGINES)('%s', (engine) => {
  const logOf = (gate: TestStore) => gate.store.readLog({ limit: 100 });
  const retryOf = (gate: TestStore) => ({
    name: 'n',
    bodyHash: 'h',
    expiresAt: gate.clock.now() + 60_000,
  });

  test('the log says which scans were made by hand, granted or not, also after a restart', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await gate.scan(gate.request(id, { byHand: true }), gate.request(id, { byHand: true }));
    await gate.scan(gate.request(id));

    const entries = [{ status: 'consumed', byHand: true }, { byHand: true }, {}];
    expect(await logOf(gate)).toMatchObject(entries);
    expect((await logOf(gate))[2]).not.toHaveProperty('byHand');
    await gate.reopen();
    expect(await logOf(gate)).toMatchObject(entries);
    expect(await gate.problems()).toEqual([]);
  });

  test('several uses at once are one answer and one entry each', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const [outcome] = await gate.scan(gate.request(id, { uses: 3 }));

    expect(outcome).toMatchObject({
      decision: { status: 'consumed', uses: 3, ticket: { usesConsumed: 3 } },
    });
    expect((await logOf(gate)).map(({ usesConsumed }) => usesConsumed)).toEqual([1, 2, 3]);
    const [inside] = await gate.store.listOccupancy();
    expect(inside).toMatchObject({ entered: 3 });
    expect(await gate.problems()).toEqual([]);
  });

  test('more uses than are left take none, and leave no entry; a denial is one entry', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 4 });
    const [few] = await gate.scan(gate.request(id, { uses: 5 }));
    expect(few).toEqual({ kind: 'too_few_uses', usesLeft: 4 });
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 0 });
    expect(await logOf(gate)).toEqual([]);

    expect(await gate.consume(id, { uses: 4 })).toBe('consumed');
    expect(await gate.consume(id, { uses: 2 })).toBe('exhausted');
    expect(await logOf(gate)).toHaveLength(5);
    expect(await gate.problems()).toEqual([]);
  });

  test('of two families that want the last uses at once, one gets all of its and the other none', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const other = engine === 'postgres' ? await gate.another() : gate.store;
    const both = await Promise.all([
      gate.store.commitScans([gate.request(id, { uses: 3 })]),
      other.commitScans([gate.request(id, { uses: 3 })]),
    ]);
    const kinds = both.map(({ outcomes }) => statusOfOutcome(outcomes[0])).toSorted();
    expect(kinds).toEqual(['consumed', 'too_few_uses']);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 3 });
    expect(await gate.problems()).toEqual([]);
  });

  test('repeated, they are taken once, until one of them is taken back', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    const request = gate.request(id, { uses: 3, retry: retryOf(gate) });
    const [first] = await gate.scan(request);
    expect((await gate.scan(request))[0]).toEqual(first);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 3 });

    const undo = { at: gate.clock.now(), by: 'x', reason: 'x' };
    await gate.store.undoUse({ sequence: 2, ...undo }, AN_AUDIT_ENTRY);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
    expect((await gate.scan(request))[0]).toMatchObject({
      decision: { ticket: { usesConsumed: 5 } },
    });
    expect(await gate.problems()).toEqual([]);
  });
});
