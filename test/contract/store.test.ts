import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, everyDevice, statusOfOutcome, TestStore } from '../support/stores.ts';

/** What every store promises; the interface in src/service/stores/store.ts says it in words. */
describe.each(ENGINES)('%s', (engine) => {
  test('a batch that holds one ticket several times takes its uses one after another', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 3 });

    const outcomes = await it.scan(...Array.from({ length: 5 }, () => it.request(id)));

    expect(outcomes.map(statusOfOutcome)).toEqual([
      'consumed',
      'consumed',
      'consumed',
      'exhausted',
      'exhausted',
    ]);
    expect(await it.store.findTicket(id)).toMatchObject({ usesConsumed: 3 });
  });

  test('validate sees the uses before it in the same batch and takes none', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 2 });
    const validate = it.request(id, { action: 'validate' });

    const outcomes = await it.scan(validate, it.request(id), validate, it.request(id), validate);

    expect(outcomes.map(statusOfOutcome)).toEqual([
      'validated',
      'consumed',
      'validated',
      'consumed',
      'exhausted',
    ]);
    expect(outcomes[2]).toMatchObject({ decision: { ticket: { usesConsumed: 1 } } });
  });

  test('every kind of subject is answered and logged, in order, a forged code never whole', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint();
    const unknown = `tkt_${it.eventId}_${'0'.repeat(20)}`;
    const other = await it.administration.createOrganisation('Other');
    const { id: otherEvent } = await it.administration.createEvent('Theirs', other.id);
    const foreign = `tkt_${otherEvent}_${'0'.repeat(20)}`;

    const outcomes = await it.scan(
      it.request(id, { serial: 'S-1', reader: '1' }),
      it.request(unknown),
      it.request(foreign),
      it.request(id, { subject: { kind: 'forged', excerpt: 'TS1.tkt…' } }),
      it.request(id, { subject: { kind: 'unreadable' } }),
    );

    const statuses = [
      'consumed',
      'not_found',
      'event_not_allowed',
      'invalid_ticket',
      'missing_ticket_code',
    ];
    expect(outcomes.map(statusOfOutcome)).toEqual(statuses);
    const log = await it.store.readLog({ limit: 10 });
    expect(log.map(({ reason, status }) => reason ?? status)).toEqual(statuses);
    expect(log.map(({ ticketId }) => ticketId)).toEqual([id, unknown, foreign, null, null]);
    expect(log[0]).toMatchObject({
      sequence: 1,
      keyId: it.keyId,
      serial: 'S-1',
      reader: '1',
      usesConsumed: 1,
    });
    expect(log[3]).toMatchObject({ excerpt: 'TS1.tkt…' });
  });

  test('a disabled, an enabled and a deleted key hold for the next batch', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const scan = async () => statusOfOutcome((await it.scan(it.request(id)))[0]);

    expect(await scan()).toBe('consumed');
    await it.store.updateKey(it.keyId, { active: false }, AN_AUDIT_ENTRY);
    expect(await scan()).toBe('key_refused');
    await it.store.updateKey(it.keyId, { active: true }, AN_AUDIT_ENTRY);
    expect(await scan()).toBe('consumed');
    await it.store.deleteKey(it.keyId, it.clock.now(), AN_AUDIT_ENTRY);
    expect(await scan()).toBe('key_refused');
    expect(await it.store.listKeys()).toEqual([]);
    await expect(it.store.deleteKey(it.keyId, 0, AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a changed scope holds for the next batch, and never reaches another organisation', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const other = await it.administration.createEvent('Other pool');
    await it.administration.createOrganisation('Somebody else');
    const foreign = await it.administration.createEvent('Foreign pool', 'Somebody else');
    const foreignTicket = await it.mint({ eventId: foreign.id });

    await it.store.updateKey(it.keyId, { events: [other.id] }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome((await it.scan(it.request(id)))[0])).toBe('event_not_allowed');
    await it.store.updateKey(it.keyId, { events: [other.id, it.eventId] }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome((await it.scan(it.request(id)))[0])).toBe('consumed');
    await it.store.updateKey(it.keyId, { events: 'all' }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome((await it.scan(it.request(foreignTicket.id)))[0])).toBe(
      'event_not_allowed',
    );
    await expect(
      it.store.updateKey(it.keyId, { events: [foreign.id] }, AN_AUDIT_ENTRY),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a ticket of an event that nobody has is not found for a key of all events, out of scope for others', async () => {
    await using it = await TestStore.open(engine);
    const known = await it.mint();
    const id = `tkt_nosuchev_${'0'.repeat(20)}`;
    const asked = async () => (await it.scan(it.request(id), it.request(known.id)))[0];

    expect(await asked()).toEqual({ kind: 'decided', decision: { status: 'not_found' } });
    await it.store.updateKey(it.keyId, { events: [it.eventId] }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome(await asked())).toBe('event_not_allowed');

    await it.store.updateKey(it.keyId, { events: 'all' }, AN_AUDIT_ENTRY);
    const { id: organisationId } = await it.administration.createOrganisation('Other');
    await it.store.createEvent(
      { id: 'nosuchev', organisationId, name: 'Theirs', createdAt: 0 },
      AN_AUDIT_ENTRY,
    );
    expect(statusOfOutcome(await asked())).toBe('event_not_allowed');
  });

  test('a heartbeat that could not be read leaves no device', async () => {
    await using it = await TestStore.open(engine);
    const subject = { kind: 'heartbeat', contact: null } as const;

    expect(await it.scan(it.request('', { subject }))).toEqual([{ kind: 'alive' }]);
    expect(await everyDevice(it.store)).toEqual([]);
  });

  test('a cancelled ticket is rejected in the next batch; cancelling again changes nothing', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint();

    await it.store.cancelTicket(id, 5, AN_AUDIT_ENTRY);
    await it.store.cancelTicket(id, 6, AN_AUDIT_ENTRY);

    expect(statusOfOutcome((await it.scan(it.request(id)))[0])).toBe('ticket_cancelled');
    expect(await it.store.findTicket(id)).toMatchObject({ cancelledAt: 5, usesConsumed: 0 });
    await expect(it.store.cancelTicket('tkt_none', 0, AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a repeated request gets its first answer again and takes no second use', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const retry = { name: 'n', bodyHash: 'h', expiresAt: it.clock.now() + 1000 };
    const repeated = it.request(id, { retry });

    const [first] = await it.scan(repeated);
    await it.scan(it.request(id));
    const again = await it.scan(repeated, repeated);
    const [conflict] = await it.scan(it.request(id, { retry: { ...retry, bodyHash: 'other' } }));
    const [later] = await it.scan(it.request(id, { retry, now: it.clock.now() + 1000 }));

    expect(again).toEqual([first, first]);
    expect(conflict).toEqual({ kind: 'retry_conflict' });
    expect(later).toMatchObject({ decision: { status: 'consumed', ticket: { usesConsumed: 3 } } });
    const log = await it.store.readLog({ limit: 10 });
    expect(log.map(({ replayed }) => replayed)).toEqual([false, false, true, true, false]);
    expect((await it.store.verify()).problems).toEqual([]);
  });

  test('the quota counts accepted scans of a calendar month in UTC; heartbeats and refused ones not', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const { id: organisation } = await it.administration.findOrganisation(undefined);
    await it.store.setOrganisationLimits(
      organisation,
      { ...DEFAULT_LIMITS, quotaPerMonth: 3 },
      AN_AUDIT_ENTRY,
    );
    const heartbeat = it.request(id, {
      subject: {
        kind: 'heartbeat',
        contact: { model: 'm', serial: 's', address: 'a', firmware: 'f' },
      },
    });

    const outcomes = await it.scan(
      it.request(id, { subject: { kind: 'limited' } }),
      heartbeat,
      it.request(id),
      heartbeat,
      it.request(id, { subject: { kind: 'unreadable' } }),
      it.request(id),
      it.request(id),
      heartbeat,
    );
    const august = Date.UTC(2026, 7, 1);
    const lastOfJuly = it.request(id, { now: august - 1 });
    const [july, next] = await it.scan(lastOfJuly, it.request(id, { now: august }));

    expect(outcomes.map(statusOfOutcome)).toEqual([
      'limited',
      'alive',
      'consumed',
      'alive',
      'missing_ticket_code',
      'consumed',
      'quota_exceeded',
      'alive',
    ]);
    expect([july, next].map(statusOfOutcome)).toEqual(['quota_exceeded', 'consumed']);
    expect(await it.store.requestsInMonth(it.keyId, 202607)).toBe(3);
    expect(await it.store.requestsInMonth(it.keyId, 202608)).toBe(1);
  });

  test('a device is known by its last heartbeat', async () => {
    await using it = await TestStore.open(engine);
    const contact = { model: 'm', serial: 's', address: 'a', firmware: '1', clock: '2026' };
    const beat = (firmware: string, now: number) =>
      it.request('', { now, subject: { kind: 'heartbeat', contact: { ...contact, firmware } } });

    await it.scan(beat('1', 1000), beat('2', 2000));

    expect(await everyDevice(it.store)).toEqual([
      { ...contact, firmware: '2', keyId: it.keyId, lastContactAt: 2000 },
    ]);
  });

  test('an organisation has as many keys as it may; a deleted one makes room', async () => {
    await using it = await TestStore.open(engine);
    const create = (name: string) =>
      it.administration.createKey({ name, type: 'api', events: 'all' });
    await create('two');
    await create('three');

    await expect(create('four')).rejects.toMatchObject({ code: 'limit_reached' });
    await it.administration.deleteKey('three');
    await create('four');

    expect((await it.store.listKeys()).map(({ name }) => name)).toEqual(['gate', 'two', 'four']);
  });

  test('names that are taken are refused, and nothing changes', async () => {
    await using it = await TestStore.open(engine);
    await expect(it.administration.createEvent('Pool')).rejects.toMatchObject({ code: 'conflict' });
    await expect(it.administration.createOrganisation('Default')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await it.store.listEvents()).toHaveLength(1);
  });

  test('tickets are inserted all or none', async () => {
    await using it = await TestStore.open(engine);
    const known = await it.mint();
    const fresh = { ...known, id: `tkt_${it.eventId}_${'a'.repeat(20)}` };
    const stranger = { ...known, eventId: 'zzzzzz', id: `tkt_zzzzzz_${'a'.repeat(20)}` };
    const misnamed = { ...known, id: `tkt_zzzzzz_${'b'.repeat(20)}` };

    await expect(it.store.insertTickets([fresh, known], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(it.store.insertTickets([fresh, fresh], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(it.store.insertTickets([fresh, stranger], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(it.store.insertTickets([fresh, misnamed], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'usage',
    });

    expect(await it.store.countTickets()).toBe(1);
  });

  test('tickets are listed by event, state, text and page', async () => {
    await using it = await TestStore.open(engine);
    const ada = await it.mint({ firstName: 'Ada', lastName: 'Lovelace' });
    const used = await it.mint();
    const cancelled = await it.mint();
    await it.scan(it.request(used.id));
    await it.store.cancelTicket(cancelled.id, 1, AN_AUDIT_ENTRY);
    const ids = async (filter: object) =>
      (await it.store.listTickets({ limit: 10, ...filter })).map(({ id }) => id);

    expect(await ids({})).toEqual([ada.id, used.id, cancelled.id]);
    expect(await ids({ limit: 2 })).toEqual([ada.id, used.id]);
    expect(await ids({ afterId: ada.id })).toEqual([used.id, cancelled.id]);
    expect(await ids({ search: 'LOVE' })).toEqual([ada.id]);
    expect(await ids({ state: 'valid' })).toEqual([ada.id]);
    expect(await ids({ state: 'used' })).toEqual([used.id]);
    expect(await ids({ state: 'cancelled' })).toEqual([cancelled.id]);
    expect(await ids({ eventId: 'zzzzzz' })).toEqual([]);
  });

  test('the log is read from its end, from a number on, and by ticket', async () => {
    await using it = await TestStore.open(engine);
    const one = await it.mint({ kind: 'permanent' });
    const two = await it.mint({ kind: 'permanent' });
    for (const id of [one.id, two.id, one.id, two.id]) await it.scan(it.request(id));
    const numbers = async (filter: object) =>
      (await it.store.readLog({ limit: 10, ...filter })).map(({ sequence }) => sequence);

    expect(await numbers({})).toEqual([1, 2, 3, 4]);
    expect(await numbers({ limit: 2 })).toEqual([3, 4]);
    expect(await numbers({ afterSequence: 1, limit: 2 })).toEqual([2, 3]);
    expect(await numbers({ ticketId: two.id })).toEqual([2, 4]);
    expect(await numbers({ afterSequence: 9 })).toEqual([]);
  });

  test('a key is found by its hash, with the limits of its organisation', async () => {
    await using it = await TestStore.open(engine);
    const { key } = await it.administration.createKey({
      name: 'x',
      type: 'hardware',
      events: [it.eventId],
    });
    expect(await it.store.findKeyByHash('0'.repeat(64))).toBeUndefined();
    expect((await it.store.listKeys()).at(-1)).toEqual(key);
    expect(key).toMatchObject({
      type: 'hardware',
      events: [it.eventId],
      active: true,
      relay: 'auto',
      openSeconds: 5,
    });
  });

  test('the revision moves with keys, events and limits, and not with scans', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const revision = async () => (await it.store.commitScans([it.request(id)])).revision;

    const before = await revision();
    expect(await revision()).toBe(before);
    await it.store.updateKey(it.keyId, { name: 'renamed' }, AN_AUDIT_ENTRY);
    expect(await revision()).not.toBe(before);
  });
});
