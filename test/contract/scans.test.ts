import { describe, expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  DEVICE_FORGOTTEN_AFTER_MS,
  DEVICES_PER_KEY_MAX,
} from '../../src/core/limits.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { createRecord, editKey, editOrganisation } from '../support/records.ts';
import { ENGINES, everyDevice, TestStore } from '../support/stores.ts';

/** How batches are answered; the interface in src/stores/store.ts says it in words. */
describe.each(ENGINES)('%s', (engine) => {
  test('a batch that holds one ticket several times takes its uses one after another', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 2 });
    const consume = gate.request(id);
    const validate = gate.request(id, { operation: 'validate' });

    const statuses = await gate.statuses(validate, consume, validate, consume, consume, validate);

    expect(statuses).toEqual([
      ...['validated', 'consumed', 'validated', 'consumed', 'exhausted', 'exhausted'],
    ]);
    const log = await gate.store.readLog({ limit: 9 });
    expect(log.map(({ usesConsumed }) => usesConsumed)).toEqual([0, 1, 1, 2, 2, 2]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
    expect(await gate.scan()).toEqual([]);
  });

  test('every kind of subject is answered and logged, in order, a forged code never whole', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const unknown = `tkt_${gate.eventId}_${'0'.repeat(20)}`;
    const other = await gate.administration.organisations.create('Other');
    const { id: otherEvent } = await gate.administration.events.create('Theirs', other.id);
    const foreign = `tkt_${otherEvent}_${'0'.repeat(20)}`;

    const answered = await gate.statuses(
      gate.request(id, { serial: 'S-1', reader: '1' }),
      gate.request(unknown),
      gate.request(foreign),
      gate.request(id, { subject: { kind: 'forged', excerpt: 'TS1.tkt…' } }),
      gate.request(id, { subject: { kind: 'unreadable' } }),
      gate.request(id, { keyId: 'key_nobody' }),
    );

    const logged = [
      ...['consumed', 'not_found', 'event_not_allowed', 'invalid_ticket', 'missing_ticket_code'],
    ];
    expect(answered).toEqual([...logged, 'key_refused']);
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ reason, status }) => reason ?? status)).toEqual(logged);
    expect(log.map(({ ticketId }) => ticketId)).toEqual([id, unknown, foreign, null, null]);
    const place = { sequence: 1, keyId: gate.keyId, serial: 'S-1', reader: '1' };
    expect(log[0]).toMatchObject({ ...place, usesConsumed: 1 });
    expect(log[3]).toMatchObject({ excerpt: 'TS1.tkt…' });
  });

  test('a large batch is decided in its order, and pages of the log hold every entry once', async () => {
    await using gate = await TestStore.open(engine);
    const cards = await Promise.all(
      Array.from({ length: 40 }, () => gate.mint({ kind: 'multi', uses: 10 })),
    );
    const ids = Array.from({ length: 512 }, (_, index) => cards[(index * 7) % cards.length]!.id);

    const statuses = await gate.statuses(...ids.map((id) => gate.request(id)));

    expect(statuses.filter((status) => status === 'consumed')).toHaveLength(400);
    const log = [];
    for (let isLast = false; !isLast; ) {
      const afterSequence = log.at(-1)?.sequence ?? 0;
      const page = await gate.store.readLog({ afterSequence, limit: 100 });
      log.push(...page);
      isLast = page.length === 0;
    }
    expect(log.map(({ ticketId }) => ticketId)).toEqual(ids);
    expect(log.map(({ status }) => status)).toEqual(statuses);
    const ofOne = await gate.store.readLog({ ticketId: ids[0]!, limit: 100 });
    expect(ofOne).toEqual(log.filter(({ ticketId }) => ticketId === ids[0]));
    expect(await gate.problems()).toEqual([]);
  });

  test('a changed scope holds for the next batch, and never reaches another organisation', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store, keyId, eventId } = gate;
    const { id } = await gate.mint({ kind: 'permanent' });
    const other = await administration.events.create('Other pool');
    await administration.organisations.create('Somebody else');
    const foreign = await administration.events.create('Foreign pool', 'Somebody else');
    const foreignTicket = await gate.mint({ eventId: foreign.id });
    const edit = (events: 'all' | string[]) => editKey(store, keyId, { events }, AN_AUDIT_ENTRY);

    await edit([other.id]);
    expect(await gate.consume(id)).toBe('event_not_allowed');
    await edit([other.id, eventId]);
    expect(await gate.consume(id)).toBe('consumed');
    await edit('all');
    expect(await gate.consume(foreignTicket.id)).toBe('event_not_allowed');
    await expect(edit([foreign.id])).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a ticket of an event that nobody has is not found for a key of all events, out of scope for others', async () => {
    await using gate = await TestStore.open(engine);
    const { store, keyId, eventId } = gate;
    const known = await gate.mint();
    const id = `tkt_nosuchev_${'0'.repeat(20)}`;
    const asked = async () => (await gate.statuses(gate.request(id), gate.request(known.id)))[0];

    expect(await asked()).toBe('not_found');
    await editKey(store, keyId, { events: [eventId] }, AN_AUDIT_ENTRY);
    expect(await asked()).toBe('event_not_allowed');

    await editKey(store, keyId, { events: 'all' }, AN_AUDIT_ENTRY);
    const { id: organisationId } = await gate.administration.organisations.create('Other');
    const event = { id: 'nosuchev', organisationId, name: 'Theirs', createdAt: 0 };
    await createRecord(store, 'event', { ...event, archivedAt: null });
    expect(await asked()).toBe('event_not_allowed');
  });

  test('the quota counts accepted scans of a calendar month in UTC; heartbeats and refused ones not', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const { id: organisation } = await gate.administration.organisations.find(undefined);
    const limits = { ...DEFAULT_LIMITS, quotaPerMonth: 3 };
    await editOrganisation(gate.store, organisation, { limits }, [AN_AUDIT_ENTRY]);
    const heartbeat = gate.heartbeat({ model: 'm', serial: 's', address: 'a', firmware: 'f' });
    const limited = { ...gate.limited(), waitMs: 1500 };
    const scan = gate.request(id);
    const august = Date.UTC(2026, 7, 1);

    const outcomes = await gate.statuses(
      ...[limited, heartbeat, scan, heartbeat],
      ...[gate.request(id, { subject: { kind: 'unreadable' } }), scan, scan, heartbeat],
    );
    const next = await gate.statuses(
      gate.request(id, { now: august - 1 }),
      gate.request(id, { now: august }),
    );

    expect(outcomes).toEqual([
      ...['limited', 'alive', 'consumed', 'alive'],
      ...['missing_ticket_code', 'consumed', 'quota_exceeded', 'alive'],
    ]);
    expect(next).toEqual(['quota_exceeded', 'consumed']);
    expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(3);
    expect(await gate.store.requestsInMonth(gate.keyId, 202608)).toBe(1);
    expect(await gate.store.requestsInMonth('key_none', 202607)).toBe(0);
    expect(await gate.scan(limited, { ...limited, keyId: 'key_none' })).toEqual([
      { kind: 'limited', retryAfterSeconds: 2 },
      { kind: 'key_refused' },
    ]);
  });

  test('a device is known by its last heartbeat, for each key', async () => {
    await using gate = await TestStore.open(engine);
    const options = { name: 'second', type: 'hardware', events: 'all' } as const;
    const second = (await gate.administration.keys.create(options)).key.id;
    const contact = { model: 'm', serial: 's', address: 'a', firmware: '1', clock: '2026' };
    const newer = { ...contact, firmware: '2' };

    expect(await gate.scan(gate.heartbeat(null))).toEqual([{ kind: 'alive' }]);
    expect(await everyDevice(gate.store)).toEqual([]);
    await gate.scan(
      gate.heartbeat(contact, { now: 1000 }),
      gate.heartbeat(newer, { now: 2000 }),
      gate.heartbeat(contact, { now: 3000, keyId: second }),
    );

    expect(await everyDevice(gate.store)).toEqual([
      { ...contact, keyId: second, lastContactAt: 3000, lastScanAt: null, firstAt: 3000 },
      { ...newer, keyId: gate.keyId, lastContactAt: 2000, lastScanAt: null, firstAt: 1000 },
    ]);
  });

  test('the minute of its last scan is kept with a device, whether it sends heartbeats or not', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const minute = Date.UTC(2026, 6, 1, 12, 30);
    const contact = { model: 'm', serial: 'beats', address: 'a', firmware: '1', clock: '2026' };
    const { serial: _, ...said } = contact;
    const silent = { model: '', address: '', firmware: '', clock: null, lastContactAt: null };
    const lastScans = async () => {
      const devices = await everyDevice(gate.store);
      return Object.fromEntries(devices.map(({ keyId: _, serial, ...device }) => [serial, device]));
    };
    await gate.scan(
      gate.heartbeat(contact, { now: minute }),
      gate.request(id, { serial: 'beats', now: minute + 1000 }),
      gate.request(id, { serial: 'scans', now: minute + 2000 }),
      gate.request(id, { serial: null, now: minute + 3000 }),
    );
    await gate.scan(gate.request(id, { serial: 'scans', now: minute + 4000 }));
    expect(await lastScans()).toEqual({
      beats: { ...said, lastContactAt: minute, lastScanAt: minute, firstAt: minute },
      scans: { ...silent, lastScanAt: minute, firstAt: minute },
    });

    const next = minute + 60_000;
    await gate.scan(gate.request(id, { serial: 'scans', now: next + 1 }));
    await gate.scan(gate.heartbeat({ ...contact, serial: 'scans' }, { now: next + 2 }));
    await gate.scan(gate.heartbeat(contact, { now: next + 3 }));
    expect(await lastScans()).toEqual({
      beats: { ...said, lastContactAt: next + 3, lastScanAt: minute, firstAt: minute },
      scans: { ...said, lastContactAt: next + 2, lastScanAt: next, firstAt: minute },
    });
    // A scan alone leaves what the heartbeat said.
    await gate.scan(gate.request(id, { serial: 'beats', now: next + 4 }));
    expect(await lastScans()).toMatchObject({
      beats: { ...said, lastContactAt: next + 3, lastScanAt: next, firstAt: minute },
    });
  });

  test('invented serials of scans are bounded, and hide no device that sends heartbeats', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const now = Date.UTC(2026, 6, 1, 12, 30);
    const serialsOf = async () => (await everyDevice(gate.store)).map(({ serial }) => serial);
    const invented = Array.from({ length: DEVICES_PER_KEY_MAX + 5 }, (_, at) => `i${1000 + at}`);
    await gate.scan(...invented.map((serial) => gate.request(id, { serial, now })));
    expect((await serialsOf()).sort()).toEqual(invented.slice(0, DEVICES_PER_KEY_MAX));

    const contact = { model: 'm', serial: 'true', address: 'a', firmware: '1' };
    await gate.scan(gate.heartbeat(contact, { now: now + 1 }));
    expect(await serialsOf()).toContain('true');
    const later = now + 2 * DEVICE_FORGOTTEN_AFTER_MS;
    await gate.scan(gate.request(id, { serial: 'later', now: later }));
    expect((await serialsOf()).sort()).toEqual(['later', 'true']);
  });

  test('texts come back as they were given', async () => {
    await using gate = await TestStore.open(engine);
    const serial = 'a\u0000b\n"\\\u2028🎫é e\u0301';
    const reader = "'; DROP TABLE ticket; --";
    const holder = { firstName: 'Zoë "Z"', lastName: "O'Neil\\" };
    const { id } = await gate.mint(holder);
    await gate.consume(id, { serial, reader });

    expect(await gate.store.readLog({ limit: 1 })).toMatchObject([{ serial, reader }]);
    expect(await gate.store.findTicket(id)).toMatchObject({ holder });
  });

  test('whether the store writes can be asked at any time, and changes nothing', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const { store } = gate;

    await Promise.all([store.checkWritable(), gate.consume(id), store.checkWritable()]);

    expect(await store.readLog({ limit: 10 })).toHaveLength(1);
    expect(await gate.problems()).toEqual([]);
  });
});
