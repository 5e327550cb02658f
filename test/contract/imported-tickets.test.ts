import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** Tickets that come from another store, whose log is not here. */
describe.each(ENGINES)('%s', (engine) => {
  test('a ticket keeps its history, and its uses are counted on from there', async () => {
    await using gate = await TestStore.open(engine);
    const now = gate.clock.now();
    const options = { eventId: gate.eventId, kind: 'multi', uses: 5 } as const;
    const history = { usesConsumed: 3, lastConsumedAt: now - 1000, cancelledAt: null };
    const card = { ...newTicket(options, now - 5000, randomBytes), ...history };
    const gone = { ...newTicket(options, now - 5000, randomBytes), cancelledAt: now - 10 };
    await gate.store.insertTickets([card, gone], AN_AUDIT_ENTRY);

    expect(await gate.store.findTicket(card.id)).toEqual(card);
    const outcomes = await gate.scan(
      ...[card.id, gone.id, card.id, card.id].map((id) => gate.request(id)),
    );

    expect(outcomes.map(statusOfOutcome)).toEqual([
      'consumed',
      'ticket_cancelled',
      'consumed',
      'exhausted',
    ]);
    expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 5 });
    expect(await gate.store.findTicket(gone.id)).toMatchObject({ cancelledAt: now - 10 });
    expect(await gate.problems()).toEqual([]);
  });

  test('with skip, tickets that are there stay as they are, and the others are inserted', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId } = gate;
    const there = await gate.mint({ kind: 'multi', uses: 5 });
    await gate.scan(gate.request(there.id));
    const like = { ...there, usesConsumed: 2 };
    const first = { ...like, id: `tkt_${eventId}_${'a'.repeat(20)}` };
    const second = { ...like, id: `tkt_${eventId}_${'b'.repeat(20)}` };
    const again = { ...first, usesAllowed: 9, usesConsumed: 8 };
    const auditEntry = { ...AN_AUDIT_ENTRY, details: { count: 4 } };

    const skipped = await store.insertTickets([second, there, first, again, second], auditEntry, {
      existing: 'skip',
    });

    expect(skipped).toEqual({ existing: 3, known: 0 });
    expect(await store.countTickets()).toBe(3);
    expect(await store.findTicket(there.id)).toMatchObject({ usesConsumed: 1 });
    expect(await store.findTicket(first.id)).toMatchObject({ usesAllowed: 5, usesConsumed: 2 });
    expect(await store.findTicket(second.id)).toMatchObject({ usesConsumed: 2 });
    expect((await store.readAuditLog({ limit: 1 }))[0]?.details).toEqual({
      count: 2,
      events: [eventId],
    });
    expect((await store.verify()).problems).toEqual([]);
  });

  test('tickets are inserted all or none; with skip, what changes nothing has no audit entry', async () => {
    await using gate = await TestStore.open(engine);
    const there = await gate.mint();
    const fresh = { ...there, id: `tkt_${gate.eventId}_${'a'.repeat(20)}` };
    const stranger = { ...there, eventId: 'zzzzzz', id: `tkt_zzzzzz_${'a'.repeat(20)}` };
    const misnamed = { ...there, id: `tkt_zzzzzz_${'b'.repeat(20)}` };
    const insert = (tickets: (typeof there)[], existing: 'refuse' | 'skip' = 'refuse') =>
      gate.store.insertTickets(tickets, AN_AUDIT_ENTRY, { existing });
    const before = await gate.store.readAuditLog({ limit: 100 });

    for (const [code, tickets, existing] of [
      ['conflict', [fresh, there]],
      ['conflict', [fresh, fresh]],
      ['not_found', [fresh, stranger]],
      ['usage', [fresh, misnamed]],
      ['not_found', [fresh, there, stranger], 'skip'],
    ] as const)
      await expect(insert([...tickets], existing)).rejects.toMatchObject({ code });
    expect(await insert([there], 'skip')).toEqual({ existing: 1, known: 0 });

    expect(await gate.store.countTickets()).toBe(1);
    expect(await gate.store.readAuditLog({ limit: 100 })).toEqual(before);
  });

  test('two imports of the same tickets at the same time store each of them once', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const pattern = await gate.mint();
    const list = Array.from({ length: 300 }, (_, index) => ({
      ...pattern,
      id: `tkt_${gate.eventId}_${String(index).padStart(20, '0')}`,
    }));
    const auditEntry = { ...AN_AUDIT_ENTRY, details: { count: 200 } };
    const before = (await gate.store.readAuditLog({ limit: 100 })).length;

    const skipped = await Promise.all([
      gate.store.insertTickets(list.slice(0, 200), auditEntry, { existing: 'skip' }),
      other.insertTickets(list.slice(100).reverse(), auditEntry, { existing: 'skip' }),
    ]);

    expect(skipped.map(({ existing }) => existing).toSorted((a, b) => a - b)).toEqual([0, 100]);
    expect(await gate.store.countTickets()).toBe(301);
    const acts = (await gate.store.readAuditLog({ limit: 100 })).slice(0, -before);
    expect(acts.map(({ details }) => Number(details['count'])).toSorted()).toEqual([100, 200]);
  });

  test('many tickets are found at once, and those that are not there are left out', async () => {
    await using gate = await TestStore.open(engine);
    const ids = [(await gate.mint()).id, (await gate.mint()).id];

    const found = await gate.store.findTickets([...ids, 'tkt_none', ids[0] ?? '']);

    expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(await gate.store.findTickets([])).toEqual([]);
  });
});
