import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NewTicket } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const administrationOn = (gate: TestStore) =>
  new TicketAdministration(gate.store, gate.clock, randomBytes, COMMAND_LINE);

/** What is done with tickets after the sale, on both engines. */
describe.each(ENGINES)('%s', (engine) => {
  test('tickets are cancelled and reinstated at once, all or none, and the audit log counts them', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const ids = [(await gate.mint()).id, (await gate.mint()).id];
    const card = await gate.mint({ kind: 'multi', uses: 5 });
    ids.push(card.id);
    await gate.consume(card.id);
    const cancel = (some: string[], at: number | null) =>
      store.cancelTickets(some, at, { ...AN_AUDIT_ENTRY, act: at ? 'cancel' : 'reinstate' });
    const times = async () => (await store.findTickets(ids)).map(({ cancelledAt }) => cancelledAt);

    expect(await cancel([ids[0]!], 5)).toBe(1);
    for (const at of [6, null])
      await expect(cancel([ids[1]!, 'tkt_none'], at)).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.findTicket(ids[1]!)).toMatchObject({ cancelledAt: null });
    expect(await cancel(ids.toReversed(), 7)).toBe(2);
    expect(await cancel([ids[0]!], 8)).toBe(0);
    expect((await times()).sort()).toEqual([5, 7, 7]);
    for (const id of ids) expect(await gate.consume(id)).toBe('ticket_cancelled');

    expect(await cancel([card.id, ids[0]!], null)).toBe(2);
    expect(await cancel([card.id], null)).toBe(0);
    expect(await store.findTicket(card.id)).toMatchObject({ cancelledAt: null, usesConsumed: 1 });
    expect(await gate.consume(ids[1]!)).toBe('ticket_cancelled');
    const [outcome] = await gate.scan(gate.request(card.id));
    expect(outcome).toMatchObject({ decision: { ticket: { usesConsumed: 2 } } });
    const log = (await store.readAuditLog({ limit: 3 })).map(({ act, details }) => [act, details]);
    expect(log).toMatchObject([
      ['reinstate', { count: 2 }],
      ['cancel', { count: 2 }],
      ['cancel', { count: 1 }],
    ]);
  });

  test('an edit changes holder, window and uses, and the audit log has both states', async () => {
    await using gate = await TestStore.open(engine);
    const ticket = await gate.mint({ kind: 'multi', uses: 5, firstName: 'Ada' });
    await gate.scan(gate.request(ticket.id), gate.request(ticket.id));
    const holder = { firstName: 'Ada', lastName: 'Lovelace' };
    const edits = { holder, validUntil: 4_000_000_000_000, usesAllowed: 2 };

    const edited = await administrationOn(gate).edit(ticket.id, edits);

    expect(edited).toMatchObject({ ...edits, validFrom: null, usesConsumed: 2 });
    expect(await gate.store.findTicket(ticket.id)).toEqual(edited);
    expect(await gate.consume(ticket.id)).toBe('exhausted');
    const [entry] = await gate.store.readAuditLog({ limit: 1 });
    const before = { holder: ticket.holder, validUntil: null, usesAllowed: 5 };
    const after = { ...edits, validUntil: '2096-10-02T07:06:40.000Z' };
    expect(entry).toMatchObject({ act: 'ticket.edit', details: { before, after } });
    expect(await gate.problems()).toEqual([]);
  });

  test('an edit keeps the limits of its kind and the uses that were consumed', async () => {
    await using gate = await TestStore.open(engine);
    const card = await gate.mint({ kind: 'multi', uses: 5 });
    const single = await gate.mint();
    await gate.scan(...Array.from({ length: 3 }, () => gate.request(card.id)));
    const entries = (await gate.store.readAuditLog({ limit: 100 })).length;
    const edit = (id: string, edits: object) => administrationOn(gate).edit(id, edits);

    await expect(edit(card.id, { usesAllowed: 2 })).rejects.toMatchObject({ code: 'conflict' });
    await expect(edit(card.id, { usesAllowed: 101 })).rejects.toMatchObject({ code: 'usage' });
    await expect(edit(single.id, { usesAllowed: 2 })).rejects.toMatchObject({ code: 'usage' });
    const reversed = { validFrom: 2000, validUntil: 1000 };
    await expect(edit(single.id, reversed)).rejects.toMatchObject({ code: 'usage' });
    await expect(edit('tkt_abcdef_none', {})).rejects.toMatchObject({ code: 'not_found' });
    await edit(card.id, { usesAllowed: 5 });

    expect((await gate.store.readAuditLog({ limit: 100 })).length).toBe(entries);
    expect(await gate.store.findTicket(card.id)).toMatchObject({ usesAllowed: 5 });
  });

  test('only a ticket that was never scanned is deleted; its code is then unknown', async () => {
    await using gate = await TestStore.open(engine);
    const [fresh, checked, used] = [await gate.mint(), await gate.mint(), await gate.mint()];
    await gate.scan(gate.request(checked.id, { operation: 'validate' }), gate.request(used.id));
    const tickets = administrationOn(gate);

    await tickets.deleteOne(fresh.id);

    for (const { id } of [checked, used])
      await expect(tickets.deleteOne(id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(tickets.deleteOne(fresh.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await gate.consume(fresh.id)).toBe('not_found');
    expect(await gate.store.countTickets()).toBe(2);
    expect((await gate.store.readAuditLog({ limit: 1 }))[0]).toMatchObject({
      act: 'ticket.delete',
      subject: fresh.id,
      details: { count: 1 },
    });
    expect(await gate.problems()).toEqual([]);
  });

  test('all tickets of a batch are found, cancelled and deleted; other tickets stay', async () => {
    await using gate = await TestStore.open(engine);
    const tickets = administrationOn(gate);
    const event = { id: gate.eventId, organisationId: null };
    const [first] = await tickets.create(event, { kind: 'single' }, 7);
    const [other] = await tickets.create(event, { kind: 'single' }, 3);
    const plain = await gate.mint();
    await gate.scan(gate.request(first?.id ?? ''));
    const batch = first?.batch ?? '';
    const selected = { eventIds: [gate.eventId], batch };
    const listed = () => gate.store.listTickets({ batch, limit: 100 });
    const step = (change: 'cancel' | 'delete') => tickets.step(change, selected, null);

    expect(await listed()).toHaveLength(7);
    expect(await step('cancel')).toMatchObject({ changed: 7, kept: 0, next: null });
    expect(await step('delete')).toMatchObject({ changed: 6, kept: 1, next: null });

    expect((await listed()).map(({ id }) => id)).toEqual([first?.id]);
    expect(await gate.store.findTicket(other?.id ?? '')).toMatchObject({ cancelledAt: null });
    expect(await gate.store.findTicket(plain.id)).not.toHaveProperty('batch');
    expect(await gate.store.countTickets()).toBe(5);
    expect(await gate.problems()).toEqual([]);
  });
});

/** A cursor is a row of a database, or a place in memory. */
test.each(['memory', 'sqlite'] as const)(
  '%s: more tickets than one step takes are deleted step by step, none left out',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    const tickets = administrationOn(gate);
    const made = Array.from({ length: 5100 }, () =>
      newTicket({ kind: 'single', eventId: gate.eventId }, 0, randomBytes),
    );
    await gate.store.insertTickets(made, AN_AUDIT_ENTRY);
    await gate.scan(gate.request(made[0]?.id ?? ''), gate.request(made[5050]?.id ?? ''));
    const selected = { eventIds: [gate.eventId] };

    const steps = [await tickets.step('delete', selected, null)];
    for (let next = steps[0]?.next ?? null; next !== null; ) {
      const step = await tickets.step('delete', selected, next);
      steps.push(step);
      ({ next } = step);
    }

    expect(steps.length).toBeGreaterThan(1);
    expect(steps.reduce((sum, { changed }) => sum + changed, 0)).toBe(5098);
    expect(await gate.store.countTickets()).toBe(2);
  },
);

describe.each(ENGINES)('%s: an import that brings its events', (engine) => {
  const owners = (organisationId: string, ...events: readonly (readonly [string, string])[]) => ({
    records: events.map(([id, name]) => ({
      kind: 'event' as const,
      before: null,
      after: { id, organisationId, name, createdAt: 0, archivedAt: null },
    })),
    audit: events.map(() => ({ ...AN_AUDIT_ENTRY, act: 'event.create' })),
  });
  const ticketOf = (eventId: string) => newTicket({ kind: 'single', eventId }, 0, randomBytes);

  test('stores events and tickets together', async () => {
    await using gate = await TestStore.open(engine);
    const [{ id } = { id: '' }] = await gate.store.list('organisation');

    await gate.store.insertTickets([ticketOf('abcdef'), ticketOf('ghijkl')], AN_AUDIT_ENTRY, {
      existing: 'refuse',
      owners: owners(id, ['abcdef', 'Gym'], ['ghijkl', 'Sauna']),
    });

    const names = (await gate.store.list('event')).map(({ name }) => name);
    expect(names).toEqual(['Pool', 'Gym', 'Sauna']);
    expect(await gate.store.countTickets()).toBe(2);
  });

  test.each([
    ['a ticket exists', 'Gym', (there: NewTicket) => there],
    ['the name of an event is taken', 'Pool', () => ticketOf('abcdef')],
    ['a ticket is of another event', 'Gym', () => ticketOf('zzzzzz')],
  ])('stores nothing when %s', async (_, name, second) => {
    await using gate = await TestStore.open(engine);
    const there = await gate.mint();
    const [{ id } = { id: '' }] = await gate.store.list('organisation');
    const acts = (await gate.store.readAuditLog({ limit: 100 })).length;

    const tickets = [ticketOf('abcdef'), second(there)];
    const insert = gate.store.insertTickets(tickets, AN_AUDIT_ENTRY, {
      existing: 'refuse',
      owners: owners(id, ['abcdef', name]),
    });

    await expect(insert).rejects.toMatchObject({
      code: expect.stringMatching(/conflict|not_found/),
    });
    expect(await gate.store.list('event')).toHaveLength(1);
    expect(await gate.store.countTickets()).toBe(1);
    expect(await gate.store.readAuditLog({ limit: 100 })).toHaveLength(acts);
  });
});

/** Each ticket is deleted by one process and consumed by another at the same moment: one of both happens, never half of each. */
test.each(ENGINES)('%s: a deletion and a scan at the same moment', async (engine) => {
  await using gate = await TestStore.open(engine);
  const other = await gate.another();
  const event = { id: gate.eventId, organisationId: null };
  const made = await administrationOn(gate).create(event, { kind: 'single' }, 40);

  for (const [index, { id }] of made.entries()) {
    const scan = () => other.commitScans([gate.request(id)]);
    const first = index % 2 === 0 ? scan() : undefined;
    const [deleted, { outcomes }] = await Promise.all([
      gate.store.deleteTickets([id], 0, AN_AUDIT_ENTRY),
      first ?? scan(),
    ]);
    expect(statusOfOutcome(outcomes[0])).toBe(deleted.length > 0 ? 'not_found' : 'consumed');
    expect((await gate.store.findTicket(id)) === undefined).toBe(deleted.length > 0);
  }
  expect(await gate.problems()).toEqual([]);
});
