import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { deleteKey, editKey, editOrganisation } from '../support/records.ts';
import { ENGINES, everyDevice, statusOfOutcome, TestStore } from '../support/stores.ts';

/** What every store promises; the interface in src/stores/store.ts says it in words. */
describe.each(ENGINES)('%s', (engine) => {
  test('a batch that holds one ticket several times takes its uses one after another', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 3 });

    const outcomes = await gate.scan(...Array.from({ length: 5 }, () => gate.request(id)));

    expect(outcomes.map(statusOfOutcome)).toEqual([
      'consumed',
      'consumed',
      'consumed',
      'exhausted',
      'exhausted',
    ]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 3 });
  });

  test('validate sees the uses before it in the same batch and takes none', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 2 });
    const validate = gate.request(id, { operation: 'validate' });

    const outcomes = await gate.scan(
      validate,
      gate.request(id),
      validate,
      gate.request(id),
      validate,
    );

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
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const unknown = `tkt_${gate.eventId}_${'0'.repeat(20)}`;
    const other = await gate.administration.createOrganisation('Other');
    const { id: otherEvent } = await gate.administration.createEvent('Theirs', other.id);
    const foreign = `tkt_${otherEvent}_${'0'.repeat(20)}`;

    const outcomes = await gate.scan(
      gate.request(id, { serial: 'S-1', reader: '1' }),
      gate.request(unknown),
      gate.request(foreign),
      gate.request(id, { subject: { kind: 'forged', excerpt: 'TS1.tkt…' } }),
      gate.request(id, { subject: { kind: 'unreadable' } }),
    );

    const statuses = [
      'consumed',
      'not_found',
      'event_not_allowed',
      'invalid_ticket',
      'missing_ticket_code',
    ];
    expect(outcomes.map(statusOfOutcome)).toEqual(statuses);
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ reason, status }) => reason ?? status)).toEqual(statuses);
    expect(log.map(({ ticketId }) => ticketId)).toEqual([id, unknown, foreign, null, null]);
    expect(log[0]).toMatchObject({
      sequence: 1,
      keyId: gate.keyId,
      serial: 'S-1',
      reader: '1',
      usesConsumed: 1,
    });
    expect(log[3]).toMatchObject({ excerpt: 'TS1.tkt…' });
  });

  test('a disabled, an enabled and a deleted key hold for the next batch', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const scan = async () => statusOfOutcome((await gate.scan(gate.request(id)))[0]);

    expect(await scan()).toBe('consumed');
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
    expect(await scan()).toBe('key_refused');
    await editKey(gate.store, gate.keyId, { active: true }, AN_AUDIT_ENTRY);
    expect(await scan()).toBe('consumed');
    await deleteKey(gate.store, gate.keyId, gate.clock.now(), AN_AUDIT_ENTRY);
    expect(await scan()).toBe('key_refused');
    expect(await gate.store.list('key')).toEqual([]);
    await expect(deleteKey(gate.store, gate.keyId, 0, AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a changed scope holds for the next batch, and never reaches another organisation', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const other = await gate.administration.createEvent('Other pool');
    await gate.administration.createOrganisation('Somebody else');
    const foreign = await gate.administration.createEvent('Foreign pool', 'Somebody else');
    const foreignTicket = await gate.mint({ eventId: foreign.id });

    await editKey(gate.store, gate.keyId, { events: [other.id] }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome((await gate.scan(gate.request(id)))[0])).toBe('event_not_allowed');
    await editKey(gate.store, gate.keyId, { events: [other.id, gate.eventId] }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome((await gate.scan(gate.request(id)))[0])).toBe('consumed');
    await editKey(gate.store, gate.keyId, { events: 'all' }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome((await gate.scan(gate.request(foreignTicket.id)))[0])).toBe(
      'event_not_allowed',
    );
    await expect(
      editKey(gate.store, gate.keyId, { events: [foreign.id] }, AN_AUDIT_ENTRY),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a ticket of an event that nobody has is not found for a key of all events, out of scope for others', async () => {
    await using gate = await TestStore.open(engine);
    const known = await gate.mint();
    const id = `tkt_nosuchev_${'0'.repeat(20)}`;
    const asked = async () => (await gate.scan(gate.request(id), gate.request(known.id)))[0];

    expect(await asked()).toEqual({ kind: 'decided', decision: { status: 'not_found' } });
    await editKey(gate.store, gate.keyId, { events: [gate.eventId] }, AN_AUDIT_ENTRY);
    expect(statusOfOutcome(await asked())).toBe('event_not_allowed');

    await editKey(gate.store, gate.keyId, { events: 'all' }, AN_AUDIT_ENTRY);
    const { id: organisationId } = await gate.administration.createOrganisation('Other');
    await gate.store.write({
      records: [
        {
          kind: 'event',
          before: null,
          after: { id: 'nosuchev', organisationId, name: 'Theirs', createdAt: 0, archivedAt: null },
        },
      ],
      audit: [AN_AUDIT_ENTRY],
    });
    expect(statusOfOutcome(await asked())).toBe('event_not_allowed');
  });

  test('a request over its rate is told when to come back, and a refused key comes first', async () => {
    await using it = await TestStore.open(engine);
    const limited = { ...it.limited(), waitMs: 1500 };

    expect(await it.scan(limited, { ...limited, keyId: 'key_none' })).toEqual([
      { kind: 'limited', retryAfterSeconds: 2 },
      { kind: 'key_refused' },
    ]);
  });

  test('a heartbeat that could not be read leaves no device', async () => {
    await using gate = await TestStore.open(engine);

    expect(await gate.scan(gate.heartbeat(null))).toEqual([{ kind: 'alive' }]);
    expect(await everyDevice(gate.store)).toEqual([]);
  });

  test('a cancelled ticket is rejected in the next batch; cancelling again changes nothing', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();

    await gate.store.cancelTickets([id], 5, AN_AUDIT_ENTRY);
    await gate.store.cancelTickets([id], 6, AN_AUDIT_ENTRY);

    expect(statusOfOutcome((await gate.scan(gate.request(id)))[0])).toBe('ticket_cancelled');
    expect(await gate.store.findTicket(id)).toMatchObject({ cancelledAt: 5, usesConsumed: 0 });
    await expect(gate.store.cancelTickets(['tkt_none'], 0, AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('many tickets are cancelled at once, all or none, and the audit log counts them', async () => {
    await using gate = await TestStore.open(engine);
    const [first, second, third] = [await gate.mint(), await gate.mint(), await gate.mint()];
    await gate.store.cancelTickets([first.id], 5, AN_AUDIT_ENTRY);
    const entry = { ...AN_AUDIT_ENTRY, act: 'ticket.cancel' };

    await expect(gate.store.cancelTickets([second.id, 'tkt_none'], 6, entry)).rejects.toMatchObject(
      { code: 'not_found' },
    );
    expect(await gate.store.findTicket(second.id)).toMatchObject({ cancelledAt: null });
    expect(await gate.store.cancelTickets([third.id, first.id, second.id], 7, entry)).toBe(2);
    expect(await gate.store.cancelTickets([first.id], 8, entry)).toBe(0);

    expect(statusOfOutcome((await gate.scan(gate.request(second.id)))[0])).toBe('ticket_cancelled');
    const found = await gate.store.findTickets([first.id, second.id, third.id]);
    expect(found.map(({ cancelledAt }) => cancelledAt).sort()).toEqual([5, 7, 7]);
    const cancelled = (await gate.store.readAuditLog({ limit: 3 })).filter(
      ({ act }) => act === 'ticket.cancel',
    );
    expect(cancelled.map(({ details }) => details['count'])).toEqual([2]);

    const undo = { ...AN_AUDIT_ENTRY, act: 'ticket.reinstate' };
    await expect(
      gate.store.cancelTickets([first.id, 'tkt_none'], null, undo),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await gate.store.cancelTickets([third.id, first.id], null, undo)).toBe(2);
    expect(await gate.store.cancelTickets([first.id], null, undo)).toBe(0);
    expect(statusOfOutcome((await gate.scan(gate.request(first.id)))[0])).toBe('consumed');
    expect(statusOfOutcome((await gate.scan(gate.request(second.id)))[0])).toBe('ticket_cancelled');
    expect((await gate.store.readAuditLog({ limit: 1 }))[0]).toMatchObject({
      act: 'ticket.reinstate',
      details: { count: 2 },
    });
  });

  test('a repeated request gets its first answer again and takes no second use', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const retry = { name: 'n', bodyHash: 'h', expiresAt: gate.clock.now() + 1000 };
    const repeated = gate.request(id, { retry });

    const [first] = await gate.scan(repeated);
    await gate.scan(gate.request(id));
    const again = await gate.scan(repeated, repeated);
    const [conflict] = await gate.scan(
      gate.request(id, { retry: { ...retry, bodyHash: 'other' } }),
    );
    const [later] = await gate.scan(gate.request(id, { retry, now: gate.clock.now() + 1000 }));

    expect(again).toEqual([first, first]);
    expect(conflict).toEqual({ kind: 'retry_conflict' });
    expect(later).toMatchObject({ decision: { status: 'consumed', ticket: { usesConsumed: 3 } } });
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ replayed }) => replayed)).toEqual([false, false, true, true, false]);
    expect((await gate.store.verify()).problems).toEqual([]);
  });

  test('the quota counts accepted scans of a calendar month in UTC; heartbeats and refused ones not', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const { id: organisation } = await gate.administration.findOrganisation(undefined);
    await editOrganisation(
      gate.store,
      organisation,
      { limits: { ...DEFAULT_LIMITS, quotaPerMonth: 3 } },
      [AN_AUDIT_ENTRY],
    );
    const heartbeat = gate.heartbeat({ model: 'm', serial: 's', address: 'a', firmware: 'f' });

    const outcomes = await gate.scan(
      gate.limited(),
      heartbeat,
      gate.request(id),
      heartbeat,
      gate.request(id, { subject: { kind: 'unreadable' } }),
      gate.request(id),
      gate.request(id),
      heartbeat,
    );
    const august = Date.UTC(2026, 7, 1);
    const lastOfJuly = gate.request(id, { now: august - 1 });
    const [july, next] = await gate.scan(lastOfJuly, gate.request(id, { now: august }));

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
    expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(3);
    expect(await gate.store.requestsInMonth(gate.keyId, 202608)).toBe(1);
  });

  test('a device is known by its last heartbeat', async () => {
    await using gate = await TestStore.open(engine);
    const contact = { model: 'm', serial: 's', address: 'a', firmware: '1', clock: '2026' };
    const beat = (firmware: string, now: number) =>
      gate.heartbeat({ ...contact, firmware }, { now });

    await gate.scan(beat('1', 1000), beat('2', 2000));

    expect(await everyDevice(gate.store)).toEqual([
      { ...contact, firmware: '2', keyId: gate.keyId, lastContactAt: 2000 },
    ]);
  });

  test('an organisation has as many keys as it may; a deleted one makes room', async () => {
    await using gate = await TestStore.open(engine);
    const create = (name: string) =>
      gate.administration.createKey({ name, type: 'api', events: 'all' });
    await create('two');
    await create('three');

    await expect(create('four')).rejects.toMatchObject({ code: 'limit_reached' });
    await gate.administration.deleteKey('three');
    await create('four');

    expect((await gate.store.list('key')).map(({ name }) => name)).toEqual(['gate', 'two', 'four']);
  });

  test('names that are taken are refused, and nothing changes', async () => {
    await using gate = await TestStore.open(engine);
    await expect(gate.administration.createEvent('Pool')).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(gate.administration.createOrganisation('Default')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await gate.store.list('event')).toHaveLength(1);
  });

  test('tickets are inserted all or none', async () => {
    await using gate = await TestStore.open(engine);
    const known = await gate.mint();
    const fresh = { ...known, id: `tkt_${gate.eventId}_${'a'.repeat(20)}` };
    const stranger = { ...known, eventId: 'zzzzzz', id: `tkt_zzzzzz_${'a'.repeat(20)}` };
    const misnamed = { ...known, id: `tkt_zzzzzz_${'b'.repeat(20)}` };

    await expect(gate.store.insertTickets([fresh, known], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(gate.store.insertTickets([fresh, fresh], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(gate.store.insertTickets([fresh, stranger], AN_AUDIT_ENTRY)).rejects.toMatchObject(
      {
        code: 'not_found',
      },
    );
    await expect(gate.store.insertTickets([fresh, misnamed], AN_AUDIT_ENTRY)).rejects.toMatchObject(
      {
        code: 'usage',
      },
    );

    expect(await gate.store.countTickets()).toBe(1);
  });

  test('tickets are listed by event, state, text and page', async () => {
    await using gate = await TestStore.open(engine);
    const ada = await gate.mint({ firstName: 'Ada', lastName: 'Lovelace' });
    const used = await gate.mint();
    const cancelled = await gate.mint();
    await gate.scan(gate.request(used.id));
    await gate.store.cancelTickets([cancelled.id], 1, AN_AUDIT_ENTRY);
    const ids = async (filter: object) =>
      (await gate.store.listTickets({ limit: 10, ...filter })).map(({ id }) => id);

    expect(await ids({})).toEqual([ada.id, used.id, cancelled.id]);
    expect(await ids({ limit: 2 })).toEqual([ada.id, used.id]);
    expect(await ids({ afterId: ada.id })).toEqual([used.id, cancelled.id]);
    expect(await ids({ search: 'LOVE' })).toEqual([ada.id]);
    const now = gate.clock.now();
    expect(await ids({ state: { is: 'valid', now } })).toEqual([ada.id]);
    expect(await ids({ state: { is: 'exhausted', now } })).toEqual([used.id]);
    expect(await ids({ state: { is: 'cancelled', now } })).toEqual([cancelled.id]);
    expect(await ids({ eventId: 'zzzzzz' })).toEqual([]);
  });

  test('a search finds names of every script however they are typed, and ids as they are printed', async () => {
    await using gate = await TestStore.open(engine);
    const mint = async (firstName: string, lastName: string) =>
      (await gate.mint({ firstName, lastName })).id;
    const turkish = await mint('Ayşe', 'ÖZTÜRK');
    const german = await mint('Jürgen', 'Groß-Łukasz');
    const greek = await mint('Νίκος', 'Παπαδόπουλος');
    const russian = await mint('Семён', "О'Нил");
    const arabic = await mint('مُحَمَّد', 'علي');
    const plain = (await gate.mint()).id;
    const ids = async (search: string) =>
      (await gate.store.listTickets({ limit: 10, search })).map(({ id }) => id);
    const found = async (search: string) => {
      const eventIds = [gate.eventId];
      const page = await gate.store.searchTickets({ eventIds, limit: 10, searchMax: 99, search });
      expect(page.tickets.map(({ id }) => id)).toEqual(await ids(search));
      return ids(search);
    };

    for (const text of ['öztürk', 'OZTURK', 'Öztürk, Ayse', '  ayşe   öz']) {
      expect(await found(text)).toEqual([turkish]);
    }
    for (const text of ['GROSS lukasz', 'jurgen', 'groß']) {
      expect(await found(text)).toEqual([german]);
    }
    expect(await found('ΝΙΚΟΣ παπαδοπουλος')).toEqual([greek]);
    expect(await found('семен онил')).toEqual([russian]);
    expect(await found('محمد')).toEqual([arabic]);
    const printed = plain.replace(/(?<=_)(.{5})(.{5})(.{5})(.{5})$/, '$1 $2 $3  $4');
    expect(printed).not.toBe(plain);
    for (const text of [plain, printed, printed.toUpperCase(), printed.slice(-16)]) {
      expect(await found(text)).toEqual([plain]);
    }
    for (const text of ['ayse gross', '%', '-', '\u0000', '\ud800'])
      expect(await found(text)).toEqual([]);
    expect(await found(' ')).toHaveLength(6);
  });

  test('the log is read from its end, from a number on, and by ticket', async () => {
    await using gate = await TestStore.open(engine);
    const one = await gate.mint({ kind: 'permanent' });
    const two = await gate.mint({ kind: 'permanent' });
    for (const id of [one.id, two.id, one.id, two.id]) await gate.scan(gate.request(id));
    const numbers = async (filter: object) =>
      (await gate.store.readLog({ limit: 10, ...filter })).map(({ sequence }) => sequence);

    expect(await numbers({})).toEqual([1, 2, 3, 4]);
    expect(await numbers({ limit: 2 })).toEqual([3, 4]);
    expect(await numbers({ afterSequence: 1, limit: 2 })).toEqual([2, 3]);
    expect(await numbers({ ticketId: two.id })).toEqual([2, 4]);
    expect(await numbers({ afterSequence: 9 })).toEqual([]);
  });

  test('a key is found by its hash, with the limits of its organisation', async () => {
    await using gate = await TestStore.open(engine);
    const { key } = await gate.administration.createKey({
      name: 'x',
      type: 'hardware',
      events: [gate.eventId],
    });
    expect(await gate.store.findKeyByHash('0'.repeat(64))).toBeUndefined();
    expect((await gate.store.list('key')).at(-1)).toEqual(key);
    expect(key).toMatchObject({
      type: 'hardware',
      events: [gate.eventId],
      active: true,
      relay: 'auto',
      openSeconds: 5,
    });
  });

  test('the revision moves with keys, events and limits, and not with scans', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const revision = async () => (await gate.store.commitScans([gate.request(id)])).revision;

    const before = await revision();
    expect(await revision()).toBe(before);
    await editKey(gate.store, gate.keyId, { name: 'renamed' }, AN_AUDIT_ENTRY);
    expect(await revision()).not.toBe(before);
  });
});
