import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { created } from '../support/records.ts';
import { AWAY, putHome } from '../support/sites.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const list = (gate: TestStore, after = 0, limit = 100) =>
  gate.store.listSiteChanges({ eventIds: [gate.eventId], after, limit });

/** What a centre notes for the sites that have its events. */
describe.each(ENGINES)('%s', (engine) => {
  test('changes are noted while an event is away, for its own tickets, in their order', async () => {
    await using gate = await TestStore.open(engine);
    const [first, second] = [await gate.mint(), await gate.mint()];
    const [event] = await gate.store.list('event');
    const other = { ...event, id: 'other12345', name: 'Other' } as NonNullable<typeof event>;
    await gate.store.write({ records: [created('event', other)], audit: [AN_AUDIT_ENTRY] });
    const elsewhere = await gate.mint({ eventId: other.id });
    await gate.store.cancelTickets([first.id], 1, AN_AUDIT_ENTRY);
    expect(await list(gate)).toEqual([]);

    await putHome(gate, { ...AWAY, at: 'leaving' });
    await gate.store.cancelTickets([second.id, elsewhere.id], 2, AN_AUDIT_ENTRY);
    await putHome(gate, AWAY);
    await gate.store.cancelTickets([first.id], null, AN_AUDIT_ENTRY);
    const third = await gate.mint();
    await putHome(gate, { ...AWAY, at: 'returning' });
    await gate.store.editTicket(second.id, { validUntil: 7 }, AN_AUDIT_ENTRY);
    await gate.store.eraseHolders([third.id], AN_AUDIT_ENTRY);
    await putHome(gate, { at: 'centre', epoch: 1 });
    await gate.store.cancelTickets([first.id], 3, AN_AUDIT_ENTRY);

    const noted = await list(gate);
    expect(noted.map(({ ticketId }) => ticketId)).toEqual([
      second.id,
      first.id,
      third.id,
      second.id,
    ]);
    const numbers = noted.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(await list(gate, numbers[1], 1)).toEqual([noted[2]]);
    expect(await gate.store.newestSiteChange()).toBe(numbers.at(-1));
  });

  test('a change that did not happen is not noted', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await putHome(gate, AWAY);

    await expect(gate.store.cancelTickets([id, 'tkt_x_y'], 2, AN_AUDIT_ENTRY)).rejects.toThrow();
    await expect(gate.store.editTicket(id, { usesAllowed: 9 }, AN_AUDIT_ENTRY)).rejects.toThrow();

    expect(await list(gate)).toEqual([]);
    expect(await gate.store.findTicket(id)).toMatchObject({ cancelledAt: null, usesAllowed: 1 });
  });

  test('a site says up to which change all is in force, and what came later is not', async () => {
    await using gate = await TestStore.open(engine);
    const [first, second] = [await gate.mint(), await gate.mint()];
    await putHome(gate, AWAY);
    await gate.store.cancelTickets([first.id], 1, AN_AUDIT_ENTRY);
    const upTo = await gate.store.newestSiteChange();
    await gate.store.cancelTickets([first.id], null, AN_AUDIT_ENTRY);
    await gate.store.cancelTickets([second.id], 1, AN_AUDIT_ENTRY);

    await gate.store.noteInForce([gate.eventId], upTo, 50);
    await gate.store.noteInForce([gate.eventId], upTo, 60);
    await gate.store.noteInForce(['other12345'], 1e9, 70);

    expect((await list(gate)).map(({ inForceAt }) => inForceAt)).toEqual([50, null, null]);
    const latest = await gate.store.siteChangesOf([first.id, second.id]);
    expect(latest).toHaveLength(2);
    expect(latest.map(({ inForceAt }) => inForceAt)).toEqual([null, null]);

    await gate.store.dropSiteChanges(gate.eventId);
    expect(await list(gate)).toEqual([]);
    expect(await gate.store.siteChangesOf([first.id])).toEqual([]);
    // A number is never given twice: a site asks for those after the last one that it has.
    await gate.store.cancelTickets([second.id], null, AN_AUDIT_ENTRY);
    const [again] = await list(gate);
    expect(again?.sequence).toBeGreaterThan(upTo + 2);
  });

  test('changes of several processes at once get numbers in the order in which they can be read', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) ids.push((await gate.mint()).id);
    await putHome(gate, AWAY);
    const seen = new Set<number>();
    let after = 0;
    let isDone = false;
    const reader = (async () => {
      for (let last = false; !last; ) {
        last = isDone;
        for (const { sequence } of await list(gate, after)) {
          seen.add(sequence);
          after = sequence;
        }
        await sleep(2);
      }
    })();
    const writers = ids.map((id, at) =>
      (at % 2 ? gate.store : other).cancelTickets([id], 1, AN_AUDIT_ENTRY),
    );
    await Promise.all(writers);
    isDone = true;
    await reader;

    expect([...seen]).toEqual((await list(gate)).map(({ sequence }) => sequence));
    expect(seen.size).toBe(12);
  });

  test('a cancellation and a hand-over at once: the copy has it, or it is noted', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    for (let at = 0; at < 8; at += 1) {
      const { id } = await gate.mint();
      const epoch = at + 1;
      const giving = putHome(gate, { ...AWAY, at: 'leaving', epoch }).then(() =>
        gate.store.findTicket(id),
      );
      const [copied] = await Promise.all([giving, other.cancelTickets([id], 1, AN_AUDIT_ENTRY)]);
      const noted = (await list(gate)).some(({ ticketId }) => ticketId === id);
      expect(noted || copied?.cancelledAt === 1).toBe(true);
      await putHome(gate, { at: 'centre', epoch });
    }
  });
});
