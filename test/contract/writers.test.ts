import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { deleteKey, editKey, editOrganisation } from '../support/records.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const WRITERS = 16;
const ROUNDS = 6;

/** Many who commit at once, each its own batches; returns the numbers of the uses that were granted, by ticket. */
async function scanFromManySides(
  gate: TestStore,
  stores: readonly Store[],
  ids: readonly string[],
): Promise<Map<string, number[]>> {
  const granted = new Map<string, number[]>(ids.map((id) => [id, []]));
  const writer = async (number: number) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const store = stores[number % stores.length] ?? gate.store;
      // Every batch holds each ticket, the first one twice, and begins with another one.
      const turned = ids.map((_, index) => ids[(index + number + round) % ids.length] ?? '');
      const requests = [...turned, ids[0] ?? ''].map((id) => gate.request(id));
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

async function mintCards(gate: TestStore, uses: readonly number[]): Promise<string[]> {
  const cards = uses.map((allowed) => gate.mint({ kind: 'multi', uses: allowed }));
  return (await Promise.all(cards)).map(({ id }) => id);
}

async function proveHistory(gate: TestStore, stores: readonly Store[]): Promise<void> {
  const uses = [2, 7, 40, 100, 100];
  const ids = await mintCards(gate, uses);

  const granted = await scanFromManySides(gate, stores, ids);

  for (const [index, id] of ids.entries()) {
    const asked = WRITERS * ROUNDS * (index === 0 ? 2 : 1);
    const expected = upTo(Math.min(uses[index] ?? 0, asked));
    expect(granted.get(id)?.sort((a, b) => a - b)).toEqual(expected);
    for (const store of stores) {
      expect(await store.findTicket(id)).toMatchObject({ usesConsumed: expected.length });
    }
    const log = await gate.store.readLog({ ticketId: id, limit: 1000 });
    const logged = log.filter(({ status }) => status === 'consumed');
    expect(logged.map(({ usesConsumed }) => usesConsumed)).toEqual(expected);
    expect(log).toHaveLength(asked);
  }
  expect(await gate.store.verify()).toMatchObject({ problems: [], tickets: ids.length });
  const log = await gate.store.readLog({ afterSequence: 0, limit: 10_000 });
  expect(log).toHaveLength(WRITERS * ROUNDS * (ids.length + 1));
  const sequences = log.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
}

describe.each(ENGINES)('%s', (engine) => {
  test('many writers, also in several stores: each use is given once, numbered without a gap, and the log tells the same', async () => {
    await using gate = await TestStore.open(engine);
    const others = [await gate.another(), await gate.another()];
    await proveHistory(gate, [gate.store, ...others]);
  });

  test('changes between scans: a batch sees all of a change or nothing of it', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const cancelled = await gate.mint({ kind: 'permanent' });
    const scans = async () => {
      const all: string[] = [];
      for (let round = 0; round < 20; round += 1) {
        const outcomes = await gate.statuses(
          gate.request(id),
          gate.request(cancelled.id),
          gate.request(id),
        );
        all.push(outcomes.join());
      }
      return all;
    };
    const changes = async () => {
      await gate.store.cancelTickets([cancelled.id], gate.clock.now(), AN_AUDIT_ENTRY);
      for (let round = 0; round < 6; round += 1) {
        await editKey(gate.store, gate.keyId, { active: round % 2 === 1 }, AN_AUDIT_ENTRY);
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
    expect(await gate.problems()).toEqual([]);
  });

  test('the quota is exact however many ask at once', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const { id: organisation } = await gate.administration.organisations.find(undefined);
    await editOrganisation(
      gate.store,
      organisation,
      { limits: { ...DEFAULT_LIMITS, quotaPerMonth: 100 } },
      [AN_AUDIT_ENTRY],
    );
    const three = [gate.request(id), gate.request(id, { operation: 'validate' }), gate.request(id)];

    const batches = await Promise.all(Array.from({ length: 50 }, () => gate.scan(...three)));

    const refused = batches.flat().filter(({ kind }) => kind === 'quota_exceeded');
    expect(refused).toHaveLength(50);
    expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(100);
  });

  test('keys that are created at the same time do not pass the limit', async () => {
    await using gate = await TestStore.open(engine);
    const options = { type: 'api', events: 'all' } as const;

    const created = await Promise.allSettled(
      upTo(8).map((number) =>
        gate.administration.keys.create({ ...options, name: `key ${number}` }),
      ),
    );

    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await gate.store.list('key')).toHaveLength(3);
  });

  test('the same ticket inserted twice at the same time is there once', async () => {
    await using gate = await TestStore.open(engine);
    const known = await gate.mint();
    const fresh = { ...known, id: `tkt_${gate.eventId}_${'a'.repeat(20)}` };

    const inserted = await Promise.allSettled([
      gate.store.insertTickets([fresh], AN_AUDIT_ENTRY),
      gate.store.insertTickets([fresh], AN_AUDIT_ENTRY),
    ]);

    expect(inserted.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await gate.store.countTickets()).toBe(2);
  });
});

describe.each(ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('what one store has changed holds in the next batch of another', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const { id } = await gate.mint({ kind: 'permanent' });
    const seenByOther = async () => {
      const { outcomes, revision } = await other.commitScans([gate.request(id)]);
      return { status: statusOfOutcome(outcomes[0]), revision };
    };

    const before = await seenByOther();
    expect(before.status).toBe('consumed');
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
    const disabled = await seenByOther();
    expect(disabled.status).toBe('key_refused');
    expect(disabled.revision).not.toBe(before.revision);
    await editKey(gate.store, gate.keyId, { active: true }, AN_AUDIT_ENTRY);
    await gate.store.cancelTickets([id], gate.clock.now(), AN_AUDIT_ENTRY);
    expect((await seenByOther()).status).toBe('ticket_cancelled');
    await deleteKey(gate.store, gate.keyId, gate.clock.now(), AN_AUDIT_ENTRY);
    expect((await seenByOther()).status).toBe('key_refused');
  });

  test('quota and stored answers are one for all', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const { id: organisation } = await gate.administration.organisations.find(undefined);
    await editOrganisation(
      gate.store,
      organisation,
      { limits: { ...DEFAULT_LIMITS, quotaPerMonth: 3 } },
      [AN_AUDIT_ENTRY],
    );
    const retry = { name: 'n', bodyHash: 'h', expiresAt: gate.clock.now() + 1000 };

    const [first] = await gate.scan(gate.request(id, { retry }));
    const { outcomes: again } = await other.commitScans([gate.request(id, { retry })]);
    const ask = async (store: Store) => (await store.commitScans([gate.request(id)])).outcomes[0];

    expect(again).toEqual([first]);
    expect(statusOfOutcome(await ask(other))).toBe('consumed');
    expect(statusOfOutcome(await ask(gate.store))).toBe('quota_exceeded');
    expect(statusOfOutcome(await ask(other))).toBe('quota_exceeded');
    expect(await other.requestsInMonth(gate.keyId, 202607)).toBe(3);
  });
});
