import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/core/records.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../../src/stores/transfer/records.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const AN_UNDO = { ...AN_AUDIT_ENTRY, act: 'ticket.undo' };

/** A use is taken back (ADR 0017), on both engines. */
describe.each(ENGINES)('%s', (engine) => {
  const undo = (gate: TestStore, sequence: number) =>
    gate.store.undoUse(
      { sequence, at: gate.clock.now() + 1, by: 'Anna', reason: 'gate did not turn' },
      AN_UNDO,
    );
  const logOf = (gate: TestStore) => gate.store.readLog({ limit: 100 });

  test('the counter goes down by one, and the log says who took which use back, and why', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await gate.consume(id);
    const before = await gate.store.findTicket(id);

    const undone = await undo(gate, 1);

    const note = { sequence: 1, by: 'Anna', reason: 'gate did not turn' };
    expect(undone).toMatchObject({ sequence: 2, status: 'undone', usesConsumed: 0, undo: note });
    const [first, second] = await logOf(gate);
    expect(first).toMatchObject({ status: 'consumed', undoneBy: 2 });
    expect(second).toEqual(undone);
    expect(second).toMatchObject({ operation: 'undo', ticketId: id, keyId: gate.keyId });
    expect(await gate.store.findTicket(id)).toEqual({ ...before, usesConsumed: 0 });
    expect((await gate.store.readAuditLog({ limit: 1 }))[0]).toMatchObject({ act: 'ticket.undo' });
    expect(await gate.problems()).toEqual([]);
  });

  test('a use is taken back once, and only where one was taken', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await gate.consume(id);
    await gate.consume(id);
    const results = await Promise.allSettled([undo(gate, 1), undo(gate, 1), undo(gate, 1)]);

    expect(results.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    await expect(undo(gate, 1)).rejects.toMatchObject({ code: 'conflict' });
    await expect(undo(gate, 2)).rejects.toMatchObject({ code: 'conflict' });
    await expect(undo(gate, 3)).rejects.toMatchObject({ code: 'conflict' });
    await expect(undo(gate, 99)).rejects.toMatchObject({ code: 'not_found' });
    const acts = (await gate.store.readAuditLog({ limit: 100 })).map(({ act }) => act);
    expect(acts.filter((act) => act === 'ticket.undo')).toHaveLength(1);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 0 });
    expect(await gate.problems()).toEqual([]);
  });

  test('uses before, after and between are counted on', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 4 });
    for (let use = 0; use < 3; use += 1) await gate.consume(id);
    await undo(gate, 2);
    await gate.consume(id);
    await undo(gate, 1);
    await undo(gate, 5);

    expect(await gate.consume(id)).toBe('consumed');

    const numbers = (await logOf(gate)).map(({ usesConsumed }) => usesConsumed);
    expect(numbers).toEqual([1, 2, 3, 2, 3, 2, 1, 2]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
    const outcomes = [await gate.consume(id), await gate.consume(id), await gate.consume(id)];
    expect(outcomes).toEqual(['consumed', 'consumed', 'exhausted']);
    expect(await gate.problems()).toEqual([]);
  });

  test('a repeated request is then a new scan; answers of other uses stay', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const named = (name: string) => {
      const retry = { name, bodyHash: 'h', expiresAt: gate.clock.now() + 1000 };
      return gate.request(id, { retry });
    };
    await gate.scan(named('first'));
    await gate.scan(named('second'));

    await undo(gate, 1);
    await gate.scan(named('second'));
    await gate.scan(named('first'));

    const log = await logOf(gate);
    expect(log.map(({ status, replayed }) => `${status} ${replayed}`)).toEqual([
      'consumed false',
      'consumed false',
      'undone false',
      'consumed true',
      'consumed false',
    ]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a log that is pruned between a use and its undo still proves the counter', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const start = gate.clock.now();
    await gate.scan(gate.request(id, { now: start }));
    await gate.scan(gate.request(id, { now: start + 10 }));
    await undo(gate, 1);
    await gate.scan(gate.request(id, { now: start + 20 }));

    await gate.store.pruneLog(start + 1, 100);
    expect(await gate.problems()).toEqual([]);
    await gate.reopen();
    expect(await gate.problems()).toEqual([]);
    await gate.store.pruneLog(start + 20, 100);

    expect((await logOf(gate)).map(({ sequence }) => sequence)).toEqual([4]);
    expect(await gate.problems()).toEqual([]);
    await expect(undo(gate, 1)).rejects.toMatchObject({ code: 'not_found' });
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  });

  test('an audit finds a counter that no undo moved, or two did, and an undo whose number is not one less', async () => {
    await using gate = await TestStore.open(engine);
    await using copy = await TestStore.open(engine, 'empty');
    const ids: string[] = [];
    for (let card = 0; card < 4; card += 1) {
      const { id } = await gate.mint({ kind: 'multi', uses: 5 });
      ids.push(id);
      for (let use = 0; use < 2; use += 1) await gate.consume(id);
      await undo(gate, card * 3 + 1);
    }
    const [unmoved, twice, misnumbered, sound] = ids;
    const counters = new Map([
      [unmoved, 2],
      [twice, 0],
    ]);

    await copyOf(
      gate,
      copy,
      (ticket) => ({ ...ticket, usesConsumed: counters.get(ticket.id) ?? ticket.usesConsumed }),
      (entry) =>
        entry.undo && entry.ticketId === misnumbered ? { ...entry, usesConsumed: 2 } : entry,
    );

    expect(await gate.problems()).toEqual([]);
    const found = await copy.problems();
    for (const id of [unmoved, twice, misnumbered])
      expect(found.filter((problem) => problem.includes(id ?? ''))).toHaveLength(1);
    expect(found).toHaveLength(3);
    expect(found.join()).not.toContain(sound);
  });

  test('nobody is inside, and nobody less, where people were not counted', async () => {
    await using gate = await TestStore.open(engine);
    await using copy = await TestStore.open(engine, 'empty');
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await gate.consume(id);
    await copyOf(gate, copy, same, same, ['occupancy']);
    Object.assign(copy, { eventId: gate.eventId, keyId: gate.keyId });
    expect(await copy.store.listOccupancy()).toEqual([]);

    await undo(copy, 1);
    await copy.consume(id);

    expect(await copy.store.listOccupancy()).toMatchObject([{ entered: 1, exited: 0 }]);
  });

  test('a copy brings the link of an undone use', async () => {
    await using gate = await TestStore.open(engine);
    await using copy = await TestStore.open(engine, 'empty');
    const { id } = await gate.mint();
    await gate.consume(id);
    await undo(gate, 1);

    await copyOf(gate, copy, same, same);

    expect(await logOf(copy)).toEqual(await logOf(gate));
    await expect(undo(copy, 1)).rejects.toMatchObject({ code: 'conflict' });
    expect(await copy.problems()).toEqual([]);
  });
});

/** What a process remembers of uses must give way to what another one takes back. */
test.each(ENGINES)('%s: an undo holds in every process', async (engine) => {
  await using gate = await TestStore.open(engine);
  const other = await gate.another();
  const { id } = await gate.mint({ kind: 'multi', uses: 2 });
  const consume = async (store: Store) =>
    statusOfOutcome((await store.commitScans([gate.request(id)])).outcomes[0]);
  const request = { at: gate.clock.now(), by: 'Anna', reason: 'wrong ticket' };

  const outcomes = [await consume(other), await consume(gate.store), await consume(other)];
  await other.undoUse({ ...request, sequence: 1 }, AN_UNDO);
  outcomes.push(await consume(gate.store));
  await gate.store.undoUse({ ...request, sequence: 5 }, AN_UNDO);
  await other.undoUse({ ...request, sequence: 2 }, AN_UNDO);
  outcomes.push(await consume(other), await consume(gate.store), await consume(other));

  const expected = ['consumed', 'consumed', 'exhausted', 'consumed'];
  expect(outcomes).toEqual([...expected, 'consumed', 'consumed', 'exhausted']);
  expect((await other.verify()).problems).toEqual([]);
});

type StoredTicket = StoreRecords['tickets'];
const same = <Value>(value: Value): Value => value;

async function copyOf(
  from: TestStore,
  to: TestStore,
  ticketOf: (ticket: StoredTicket) => StoredTicket,
  entryOf: (entry: LogEntry) => LogEntry,
  without: readonly Section[] = [],
): Promise<void> {
  await from.store.beginSnapshot();
  for (const section of SECTIONS.filter((one) => !without.includes(one))) {
    const page = await from.store.readSnapshot(section, null, 1000);
    const records =
      page.section === 'tickets'
        ? page.records.map(ticketOf)
        : page.section === 'log'
          ? page.records.map(entryOf)
          : page.records;
    await to.store.importRecords({ ...page, records } as RecordPage, {
      source: 'one',
      section,
      next: null,
    });
  }
  await from.store.endSnapshot();
  await to.store.endImport();
}
