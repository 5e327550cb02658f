import { describe, expect, test } from 'vitest';
import type { Ticket } from '../../src/core/ticket.ts';
import type { SiteRecords } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { makeSite } from '../support/sites.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

/** A ticket as a centre has it. */
function ticketOf(gate: TestStore, name: string, changes: Partial<Ticket> = {}): Ticket {
  return {
    id: `tkt_${gate.eventId}_${name}`,
    eventId: gate.eventId,
    ticketType: 'multi',
    usesAllowed: 5,
    usesConsumed: 0,
    holder: null,
    validFrom: null,
    validUntil: null,
    cancelledAt: null,
    createdAt: 1,
    lastConsumedAt: null,
    ...changes,
  } as Ticket;
}

async function take(gate: TestStore, epoch: number, tickets: readonly Ticket[] = []) {
  await gate.store.moveHeld(gate.eventId, 'copy', epoch);
  await gate.store.putSiteTickets(gate.eventId, tickets, epoch);
  return gate.store.moveHeld(gate.eventId, 'take', epoch);
}

async function recordsOf(gate: TestStore): Promise<SiteRecords> {
  const [organisation] = await gate.store.list('organisation');
  if (!organisation) throw new Error('the store has an organisation');
  const keys = await gate.store.storedKeys(organisation.id);
  return { organisation, events: await gate.store.list('event'), keys, administrative: [] };
}

/** What the store of a site does. */
describe.each(ENGINES)('%s', (engine) => {
  test('an argument that is undefined is one that is not given, also across threads', async () => {
    await using gate = await TestStore.openInThread(engine);
    await makeSite(gate);
    await take(gate, 1, [ticketOf(gate, 'a')]);

    const changed = ticketOf(gate, 'a', { cancelledAt: 7 });
    await gate.store.putSiteTickets(gate.eventId, [changed], undefined);

    expect(await gate.store.findTicket(changed.id)).toMatchObject({ cancelledAt: 7 });
  });

  test('a site decides what it took, with the uses of the copy, and nothing before or after', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const ticket = ticketOf(gate, 'card', { usesConsumed: 3 });
    expect(await gate.consume(ticket.id)).toBe('elsewhere');

    await gate.store.moveHeld(gate.eventId, 'copy', 1);
    await gate.store.putSiteTickets(gate.eventId, [ticket], 1);
    expect(await gate.consume(ticket.id)).toBe('elsewhere');
    expect(await gate.store.moveHeld(gate.eventId, 'take', 1)).toEqual({
      epoch: 1,
      isOpen: true,
      after: 0,
    });
    const taken = [1, 2, 3].map(() => gate.request(ticket.id));
    expect(await gate.statuses(...taken)).toEqual(['consumed', 'consumed', 'exhausted']);

    expect(await gate.store.moveHeld(gate.eventId, 'close', 1)).toMatchObject({ isOpen: false });
    expect(await gate.consume(ticket.id)).toBe('elsewhere');
    expect(await gate.problems()).toEqual([]);
  });

  test('only the epoch that is copied is taken, once, and never one that was closed', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const move = (move: 'copy' | 'take' | 'close', epoch: number) =>
      gate.store.moveHeld(gate.eventId, move, epoch);

    expect(await move('take', 1)).toBeUndefined();
    await move('copy', 1);
    expect(await move('take', 2)).toBeUndefined();
    expect(await move('close', 2)).toEqual({ epoch: 2, isOpen: false, after: 0 });
    expect(await move('take', 1)).toMatchObject({ epoch: 2, isOpen: false });
    expect(await move('take', 2)).toMatchObject({ epoch: 2, isOpen: false });
    expect(await move('copy', 2)).toMatchObject({ epoch: 2, isOpen: false });
    await move('copy', 3);
    expect(await move('take', 3)).toMatchObject({ epoch: 3, isOpen: true });
    await gate.store.putSiteTickets(gate.eventId, [ticketOf(gate, 'a')]);
    await gate.consume(ticketOf(gate, 'a').id);
    expect(await move('take', 3)).toEqual({ epoch: 3, isOpen: true, after: 0 });
    await expect(move('copy', 4)).rejects.toThrow();
    expect(await move('close', 3)).toMatchObject({ epoch: 3, isOpen: false });
  });

  test('an event that comes again is not copied over what an earlier stay left: its uses are of then', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const ticket = ticketOf(gate, 'card', { usesAllowed: 2 });
    await take(gate, 1, [ticket]);
    await gate.consume(ticket.id);
    await gate.store.moveHeld(gate.eventId, 'close', 1);

    await expect(gate.store.moveHeld(gate.eventId, 'copy', 2)).rejects.toThrow();
    // Pages of a copy that did not begin are not written either.
    await gate.store.putSiteTickets(gate.eventId, [{ ...ticket, usesConsumed: 2 }], 2);
    expect(await gate.store.moveHeld(gate.eventId, 'take', 2)).toMatchObject({ epoch: 1 });

    const { id } = { id: gate.eventId };
    const ended = { ...AN_AUDIT_ENTRY, act: 'event.forget', subject: id };
    const deletion = { what: 'event', id, name: 'Pool', timeZone: 'UTC', accounts: [], ended };
    const [event] = await gate.store.list('event');
    await gate.store.beginDeletion(deletion as never, ended);
    while (await gate.store.continueDeletion(id, gate.clock.now()));
    // Without its record there is nothing to copy it into.
    await expect(gate.store.moveHeld(id, 'copy', 2)).rejects.toThrow();
    await gate.store.putSiteRecords({ ...(await recordsOf(gate)), events: event ? [event] : [] });
    await take(gate, 2, [{ ...ticket, usesConsumed: 2 }]);
    expect(await gate.consume(ticket.id)).toBe('exhausted');
    expect(await gate.problems()).toEqual([]);
  });

  test('a change of a ticket keeps the uses that were taken here, and comes for open events only', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const ticket = ticketOf(gate, 'card');
    await take(gate, 1, [ticket]);
    await gate.consume(ticket.id);

    const changed = { ...ticket, cancelledAt: 9, holder: { firstName: 'Ada', lastName: 'L' } };
    await gate.store.putSiteTickets(gate.eventId, [changed as Ticket, ticketOf(gate, 'new')]);
    const found = await gate.store.findTicket(ticket.id);
    expect(found).toMatchObject({ usesConsumed: 1, cancelledAt: 9, holder: { firstName: 'Ada' } });
    expect(await gate.store.countTickets()).toBe(2);

    await gate.store.putSiteTickets(gate.eventId, [ticketOf(gate, 'stale')], 1);
    await gate.store.moveHeld(gate.eventId, 'close', 1);
    await gate.store.putSiteTickets(gate.eventId, [ticketOf(gate, 'late')]);
    expect(await gate.store.countTickets()).toBe(2);
    expect(await gate.problems()).toEqual([]);
  });

  test('a copy that was interrupted goes on, and its event is not forgotten meanwhile', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    await gate.store.moveHeld(gate.eventId, 'copy', 1);
    await gate.store.putSiteTickets(gate.eventId, [ticketOf(gate, 'a')], 1);
    await gate.store.moveHeld(gate.eventId, 'copy', 1);
    const ended = { ...AN_AUDIT_ENTRY, subject: gate.eventId };
    const deletion = { what: 'event', id: gate.eventId, name: 'x', timeZone: 'UTC', accounts: [] };
    await expect(
      gate.store.beginDeletion({ ...deletion, ended } as never, ended),
    ).rejects.toThrow();
    await gate.store.putSiteTickets(gate.eventId, [ticketOf(gate, 'a'), ticketOf(gate, 'b')], 1);
    expect(await gate.store.moveHeld(gate.eventId, 'take', 1)).toMatchObject({ isOpen: true });
    expect(await gate.store.countTickets()).toBe(2);
  });

  test('events change names with each other, keys are rotated, limited and deleted as the centre has them', async () => {
    await using gate = await TestStore.open(engine);
    const first = await recordsOf(gate);
    const [event] = first.events;
    const [key] = first.keys;
    if (!event || !key) throw new Error('there are an event and a key');
    const second = { ...event, id: 'second1234', name: 'Hall' };
    const spare = { ...key, hash: 'b'.repeat(64), record: { ...key.record, id: 'key_spare12345' } };
    await makeSite(gate);
    await gate.store.putSiteRecords({ ...first, events: [event, second], keys: [key, spare] });

    const rotated = { ...key, hash: 'c'.repeat(64), previousHash: key.hash };
    const scoped = { ...rotated, record: { ...key.record, name: 'Door', events: [second.id] } };
    await gate.store.putSiteRecords({
      ...first,
      organisation: { ...first.organisation, name: 'Baths' },
      events: [
        { ...second, name: 'Pool' },
        { ...event, name: 'Hall' },
      ],
      keys: [scoped],
    });

    expect(await gate.store.list('organisation')).toMatchObject([{ name: 'Baths' }]);
    const names = (await gate.store.list('event')).map(({ id, name }) => [id, name]).sort();
    expect(names).toEqual(
      [
        [event.id, 'Hall'],
        [second.id, 'Pool'],
      ].sort(),
    );
    expect(await gate.store.list('key')).toMatchObject([{ name: 'Door', events: [second.id] }]);
    expect(await gate.store.storedKeys(first.organisation.id)).toEqual([scoped]);
    await expect(gate.store.ownerOfKey(spare.record.id)).resolves.toBe(first.organisation.id);
    expect(await gate.store.ownerOfKey('key_unknown')).toBeUndefined();
  });

  test('an event that is still to be forgotten does not keep its name from another', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const records = await recordsOf(gate);
    const [event] = records.events;
    if (!event) throw new Error('there is an event');

    await gate.store.putSiteRecords({ ...records, events: [{ ...event, id: 'newer12345' }] });

    const names = (await gate.store.list('event')).map(({ name }) => name);
    expect(names.sort()).toEqual(['Pool', `Pool (${event.id})`]);
  });

  test('rows that the centre does not have are not pruned, whatever their age', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const ticket = ticketOf(gate, 'card');
    await take(gate, 1, [ticket]);
    const month = 31 * 24 * 60 * 60_000;
    // PostgreSQL drops whole months.
    for (let at = 0; at < 4; at += 1) {
      await gate.consume(ticket.id, { now: gate.clock.now() + at * month });
    }
    const later = gate.clock.now() + 12 * month;
    const prune = async () => {
      while ((await gate.store.pruneLog(later, 100)) > 0);
      return (await gate.store.readLog({ limit: 10 })).map(({ sequence }) => sequence);
    };
    expect(await prune()).toEqual([1, 2, 3, 4]);
    const administrative = [{ kind: 'site-rows', id: 'sent', revision: 0, value: { number: 2 } }];
    await gate.store.write({ administrative: administrative as never, audit: [] });
    expect(await prune()).toEqual([3, 4]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a copied or restored store is a new site without events', async () => {
    await using gate = await TestStore.open(engine);
    await makeSite(gate);
    const ticket = ticketOf(gate, 'card');
    await take(gate, 3, [ticket]);
    expect(await gate.consume(ticket.id)).toBe('consumed');

    await gate.store.forgetSite();

    expect(await gate.consume(ticket.id)).toBe('elsewhere');
    expect(await gate.store.read('site-of', 'centre')).toMatchObject({
      value: { siteId: 'st_north', incarnation: null },
    });
    expect(await gate.store.read('event-home', gate.eventId)).toMatchObject({
      value: { held: { epoch: 0, isOpen: false } },
    });
    await expect(gate.store.moveHeld(gate.eventId, 'copy', 4)).rejects.toThrow();
  });

  test('what is decided elsewhere counts nowhere, and other organisations hear nothing of it', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const other = await gate.administration.organisations.create('Other');
    const { key } = await gate.administration.keys.create({
      name: 'other',
      type: 'api',
      events: 'all',
      organisation: other.name,
    });
    await makeSite(gate, { epoch: 1, isOpen: false, after: 0 });

    expect(await gate.scan(gate.request(id))).toMatchObject([
      { kind: 'elsewhere', eventId: gate.eventId, where: 'the centre of this site' },
    ]);
    expect(await gate.consume(id, { operation: 'validate' })).toBe('elsewhere');
    expect(await gate.consume('tkt_unknown123_x')).toBe('elsewhere');
    expect(await gate.consume(id, { keyId: key.id })).toBe('event_not_allowed');
    const unreadable = { subject: { kind: 'unreadable' } } as const;
    expect(await gate.consume(id, unreadable)).toBe('missing_ticket_code');

    expect(await gate.store.readLog({ limit: 10 })).toHaveLength(2);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 0 });
  });
});
