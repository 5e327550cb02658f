import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Store } from '../../src/service/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, SHARED_ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const WRITERS = 16;
const ROUNDS = 6;

/** Many who commit at once, each its own batches; returns the numbers of the uses that were granted, by ticket. */
async function scanFromManySides(
  it: TestStore,
  stores: readonly Store[],
  ids: readonly string[],
): Promise<Map<string, number[]>> {
  const granted = new Map<string, number[]>(ids.map((id) => [id, []]));
  const writer = async (number: number) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const store = stores[number % stores.length] ?? it.store;
      // Every batch holds each ticket, the first one twice, and begins with another one.
      const turned = ids.map((_, index) => ids[(index + number + round) % ids.length] ?? '');
      const requests = [...turned, ids[0] ?? ''].map((id) => it.request(id));
      const { outcomes } = await store.commitScans(requests);
      for (const outcome of outcomes) {
        if (outcome.kind !== 'decided' || outcome.decision.status !== 'consumed') continue;
        const { id, usesConsumed } = outcome.decision.ticket;
        granted.get(id)?.push(usesConsumed);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)));
  return granted;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function mintCards(it: TestStore, uses: readonly number[]): Promise<string[]> {
  const cards = uses.map((allowed) => it.mint({ kind: 'multi', uses: allowed }));
  return (await Promise.all(cards)).map(({ id }) => id);
}

async function proveHistory(it: TestStore, stores: readonly Store[]): Promise<void> {
  const uses = [2, 7, 40, 100, 100];
  const ids = await mintCards(it, uses);

  const granted = await scanFromManySides(it, stores, ids);

  for (const [index, id] of ids.entries()) {
    const asked = WRITERS * ROUNDS * (index === 0 ? 2 : 1);
    const expected = upTo(Math.min(uses[index] ?? 0, asked));
    expect(granted.get(id)?.sort((a, b) => a - b)).toEqual(expected);
    for (const store of stores) {
      expect(await store.findTicket(id)).toMatchObject({ usesConsumed: expected.length });
    }
    const log = await it.store.readLog({ ticketId: id, limit: 1000 });
    const logged = log.filter(({ status }) => status === 'consumed');
    expect(logged.map(({ usesConsumed }) => usesConsumed)).toEqual(expected);
    expect(log).toHaveLength(asked);
  }
  expect(await it.store.verify()).toMatchObject({ problems: [], tickets: ids.length });
  const log = await it.store.readLog({ afterSequence: 0, limit: 10_000 });
  expect(log).toHaveLength(WRITERS * ROUNDS * (ids.length + 1));
  const sequences = log.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
}

describe.each(ENGINES)('%s', (engine) => {
  test('many writers: each use is given once, numbered without a gap, and the log tells the same', async () => {
    await using it = await TestStore.open(engine);
    await proveHistory(it, [it.store]);
  });

  test('of many batches that ask for the last use at the same time, one gets it', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint();

    const batches = await Promise.all(
      Array.from({ length: 32 }, () => it.scan(it.request(id), it.request(id))),
    );

    const statuses = batches.flat().map(statusOfOutcome);
    expect(statuses.filter((status) => status === 'consumed')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'exhausted')).toHaveLength(63);
  });

  test('changes between scans: a batch sees all of a change or nothing of it', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const cancelled = await it.mint({ kind: 'permanent' });
    const scans = async () => {
      const all: string[] = [];
      for (let round = 0; round < 20; round += 1) {
        const outcomes = await it.scan(it.request(id), it.request(cancelled.id), it.request(id));
        all.push(outcomes.map(statusOfOutcome).join());
      }
      return all;
    };
    const changes = async () => {
      await it.store.cancelTicket(cancelled.id, it.clock.now(), AN_AUDIT_ENTRY);
      for (let round = 0; round < 6; round += 1) {
        await it.store.updateKey(it.keyId, { active: round % 2 === 1 }, AN_AUDIT_ENTRY);
      }
    };

    const [first, second] = await Promise.all([scans(), scans(), changes()]);

    for (const batch of [...first, ...second]) {
      expect([
        'consumed,consumed,consumed',
        'consumed,ticket_cancelled,consumed',
        'key_refused,key_refused,key_refused',
      ]).toContain(batch);
    }
    expect((await it.store.verify()).problems).toEqual([]);
  });

  test('the quota is exact however many ask at once', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const { id: organisation } = await it.administration.findOrganisation(undefined);
    await it.store.setOrganisationLimits(
      organisation,
      { ...DEFAULT_LIMITS, quotaPerMonth: 100 },
      AN_AUDIT_ENTRY,
    );
    const three = [it.request(id), it.request(id, { action: 'validate' }), it.request(id)];

    const batches = await Promise.all(Array.from({ length: 50 }, () => it.scan(...three)));

    const refused = batches.flat().filter(({ kind }) => kind === 'quota_exceeded');
    expect(refused).toHaveLength(50);
    expect(await it.store.requestsInMonth(it.keyId, 202607)).toBe(100);
  });

  test('keys that are created at the same time do not pass the limit', async () => {
    await using it = await TestStore.open(engine);
    const options = { type: 'api', events: 'all' } as const;

    const created = await Promise.allSettled(
      upTo(8).map((number) => it.administration.createKey({ ...options, name: `key ${number}` })),
    );

    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await it.store.listKeys()).toHaveLength(3);
  });

  test('the same ticket inserted twice at the same time is there once', async () => {
    await using it = await TestStore.open(engine);
    const known = await it.mint();
    const fresh = { ...known, id: `tkt_${it.eventId}_${'a'.repeat(20)}` };

    const inserted = await Promise.allSettled([
      it.store.insertTickets([fresh], AN_AUDIT_ENTRY),
      it.store.insertTickets([fresh], AN_AUDIT_ENTRY),
    ]);

    expect(inserted.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await it.store.countTickets()).toBe(2);
  });
});

describe.each(SHARED_ENGINES)('%s, opened three times', (engine) => {
  test('many writers on several stores: each use is given once, numbered without a gap', async () => {
    await using it = await TestStore.open(engine);
    await proveHistory(it, [it.store, await it.another(), await it.another()]);
  });

  test('what one store has changed holds in the next batch of another', async () => {
    await using it = await TestStore.open(engine);
    const other = await it.another();
    const { id } = await it.mint({ kind: 'permanent' });
    const seenByOther = async () => {
      const { outcomes, revision } = await other.commitScans([it.request(id)]);
      return { status: statusOfOutcome(outcomes[0]), revision };
    };

    const before = await seenByOther();
    expect(before.status).toBe('consumed');
    await it.store.updateKey(it.keyId, { active: false }, AN_AUDIT_ENTRY);
    const disabled = await seenByOther();
    expect(disabled.status).toBe('key_refused');
    expect(disabled.revision).not.toBe(before.revision);
    await it.store.updateKey(it.keyId, { active: true }, AN_AUDIT_ENTRY);
    await it.store.cancelTicket(id, it.clock.now(), AN_AUDIT_ENTRY);
    expect((await seenByOther()).status).toBe('ticket_cancelled');
    await it.store.deleteKey(it.keyId, it.clock.now(), AN_AUDIT_ENTRY);
    expect((await seenByOther()).status).toBe('key_refused');
  });

  test('quota and stored answers are one for all', async () => {
    await using it = await TestStore.open(engine);
    const other = await it.another();
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const { id: organisation } = await it.administration.findOrganisation(undefined);
    await it.store.setOrganisationLimits(
      organisation,
      { ...DEFAULT_LIMITS, quotaPerMonth: 3 },
      AN_AUDIT_ENTRY,
    );
    const retry = { name: 'n', bodyHash: 'h', expiresAt: it.clock.now() + 1000 };

    const [first] = await it.scan(it.request(id, { retry }));
    const { outcomes: again } = await other.commitScans([it.request(id, { retry })]);
    const ask = async (store: Store) => (await store.commitScans([it.request(id)])).outcomes[0];

    expect(again).toEqual([first]);
    expect(statusOfOutcome(await ask(other))).toBe('consumed');
    expect(statusOfOutcome(await ask(it.store))).toBe('quota_exceeded');
    expect(statusOfOutcome(await ask(other))).toBe('quota_exceeded');
    expect(await other.requestsInMonth(it.keyId, 202607)).toBe(3);
  });
});
