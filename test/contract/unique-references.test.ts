import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const UNIQUE = { existing: 'refuse', references: 'unique' } as const;

function ticketsWith(eventId: string, references: readonly (string | undefined)[]) {
  return references.map((reference) =>
    newTicket({ kind: 'single', eventId, reference }, 1, randomBytes),
  );
}

async function ownerOf({ store, eventId }: TestStore): Promise<string> {
  return (await store.read('event', eventId))?.organisationId ?? '';
}

async function referencesIn(store: Store): Promise<(string | undefined)[]> {
  const all = await store.listTickets({ limit: 100 });
  return all.map(({ reference }) => reference).toSorted();
}

describe.each(ENGINES)('%s', (engine) => {
  test('a reference that the organisation knows is left out, those of one call stay together', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId } = gate;
    const insert = (references: readonly (string | undefined)[]) =>
      store.insertTickets(
        ticketsWith(eventId, references),
        { ...AN_AUDIT_ENTRY, details: { count: references.length } },
        UNIQUE,
      );
    expect(await insert(['A', 'A', undefined])).toEqual({ existing: 0, known: 0 });
    expect(await insert(['A', 'B', undefined])).toEqual({ existing: 0, known: 1 });
    const [entry] = await store.readAuditLog({ limit: 1 });
    expect(entry?.details).toEqual({ count: 2, events: [eventId] });
    expect(await insert(['A', 'B'])).toEqual({ existing: 0, known: 2 });
    expect(await store.readAuditLog({ limit: 1 })).toEqual([entry]);
    expect(await insert(['a', 'A', 'AA'])).toEqual({ existing: 0, known: 1 });
    expect(await referencesIn(store)).toEqual(['A', 'A', 'AA', 'B', 'a', undefined, undefined]);
    const own = await ownerOf(gate);
    expect(await store.knownReferences(own, ['C', 'B', 'A', 'B'])).toHaveLength(2);
    expect(await gate.problems()).toEqual([]);
  });

  test('another event of the organisation knows it, another organisation does not, and a cancelled ticket keeps it', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const organisation = await ownerOf(gate);
    const neighbours = await gate.administration.organisations.create('Neighbours');
    const { id: own } = await gate.administration.events.create('Second event', organisation);
    const { id: foreign } = await gate.administration.events.create('Their event', neighbours.id);
    const { id: cancelled } = await gate.mint({ reference: 'A' });
    await store.cancelTickets([cancelled], 2, AN_AUDIT_ENTRY);
    await store.insertTickets(ticketsWith(foreign, ['A', 'A', 'F']), AN_AUDIT_ENTRY);

    const mixed = [...ticketsWith(own, ['A', 'F']), ...ticketsWith(foreign, ['A', 'G'])];
    expect(await store.insertTickets(mixed, AN_AUDIT_ENTRY, UNIQUE)).toMatchObject({ known: 2 });
    expect(await store.knownReferences(organisation, ['A', 'F', 'G'])).toHaveLength(2);
    expect(await store.knownReferences(neighbours.id, ['A', 'F', 'G'])).toHaveLength(3);
  });

  test('the tickets of many references are found at once, those of one event only', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId } = gate;
    const organisation = await ownerOf(gate);
    const { id: other } = await gate.administration.events.create('Second event', organisation);
    const sold = ticketsWith(eventId, ['A', 'B', 'B', 'a', undefined]);
    await store.insertTickets([...sold, ...ticketsWith(other, ['A', 'C'])], AN_AUDIT_ENTRY);
    const cancelled = sold[0]?.id ?? '';
    await store.cancelTickets([cancelled], 2, AN_AUDIT_ENTRY);
    const asked = ['A', 'B', 'C', 'A', 'D', 'B\u200b'];

    const found = await store.ticketsWithReferences(eventId, asked, 10);

    expect(found.map(({ reference }) => reference).toSorted()).toEqual(['A', 'B', 'B']);
    expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toSorted());
    expect(found.find(({ id }) => id === cancelled)?.cancelledAt).toBe(2);
    expect(await store.ticketsWithReferences(eventId, asked, 2)).toEqual(found.slice(0, 2));
    expect(await store.ticketsWithReferences(eventId, [], 2)).toEqual([]);
  });

  test('a list is not sold again to guests who were erased, and nothing tells whose references they were', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId } = gate;
    const own = await ownerOf(gate);
    const neighbours = await gate.administration.organisations.create('Neighbours');
    const sold = ticketsWith(eventId, ['order 1', 'order 2', 'order 2', undefined]);
    await store.insertTickets(sold, AN_AUDIT_ENTRY, UNIQUE);
    const ids = sold.map(({ id }) => id);

    for (let run = 0; run < 2; run += 1) await store.eraseHolders(ids, AN_AUDIT_ENTRY);

    expect(await referencesIn(store)).toEqual([undefined, undefined, undefined, undefined]);
    const again = ticketsWith(eventId, ['order 1', 'order 2', 'order 3']);
    expect(await store.insertTickets(again, AN_AUDIT_ENTRY, UNIQUE)).toMatchObject({ known: 2 });
    const asked = ['order 2', 'order 2', 'order 1', 'order 4'];
    expect((await store.knownReferences(own, asked)).toSorted()).toEqual(['order 1', 'order 2']);
    expect(await store.knownReferences(neighbours.id, asked)).toEqual([]);
    await store.beginSnapshot();
    const { records } = await store.readSnapshot('erasedReferences', null, 10);
    await store.endSnapshot();
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(records).toEqual(Array(2).fill({ organisationId: own, digest }));
    expect(await gate.problems()).toEqual([]);
  });

  test('the references of erased guests go with their organisation', async () => {
    await using gate = await TestStore.open(engine);
    const { store, administration } = gate;
    const neighbours = await administration.organisations.create('Neighbours');
    const { id } = neighbours;
    const theirs = await administration.events.create('Their event', id);
    const sold = ticketsWith(theirs.id, ['order 1']);
    await store.insertTickets(sold, AN_AUDIT_ENTRY, UNIQUE);
    await store.eraseHolders([sold[0]?.id ?? ''], AN_AUDIT_ENTRY);
    await store.deleteTickets([sold[0]?.id ?? ''], 0, AN_AUDIT_ENTRY);
    await administration.events.delete(theirs);

    await administration.organisations.delete(neighbours);

    expect(await store.read('organisation', id)).toBeUndefined();
    expect(await store.knownReferences(id, ['order 1'])).toEqual([]);
  });

  test('of many who bring one list at once, each reference is stored by one', async () => {
    await using gate = await TestStore.open(engine);
    const others = await Promise.all([gate.another(), gate.another(), gate.another()]);
    const stores = [gate.store, ...others];
    const references = Array.from({ length: 20 }, (_, index) => `R-${index}`);
    const turned = (by: number) => references.map((_, at) => references[(at + by) % 20]);
    const runs = Array.from({ length: 12 }, (_, run) =>
      (stores[run % stores.length] ?? gate.store).insertTickets(
        ticketsWith(gate.eventId, turned(run)),
        AN_AUDIT_ENTRY,
        UNIQUE,
      ),
    );
    const skipped = await Promise.all(runs);
    expect(skipped.reduce((sum, { known }) => sum + known, 0)).toBe(11 * references.length);
    expect(await referencesIn(gate.store)).toEqual(references.toSorted());
  });

  test('a list of one reference looks at its own tickets only', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId } = gate;
    await gate.mint({ reference: 'first' });
    await store.insertTickets(ticketsWith(eventId, Array(30).fill('many')), AN_AUDIT_ENTRY);
    const { id } = await gate.mint({ reference: 'R' });
    const ask = (reference: string, newestFirst: boolean, afterId = '') =>
      store.searchTickets({
        eventIds: [eventId],
        limit: 50,
        searchMax: 10,
        reference,
        newestFirst,
        ...(afterId && { afterId }),
      });
    for (const newestFirst of [true, false]) {
      const page = await ask('R', newestFirst);
      expect(page.tickets.map((ticket) => ticket.id)).toEqual([id]);
      expect(page).toMatchObject({ next: null, searched: 1 });
      let found = 0;
      let next: string | null = '';
      while (next !== null) {
        const many = await ask('many', newestFirst, next);
        expect(many.tickets.length).toBeLessThanOrEqual(10);
        found += many.tickets.length;
        next = many.next;
      }
      expect(found).toBe(30);
      expect((await ask('none', newestFirst)).tickets).toEqual([]);
    }
  });
});
