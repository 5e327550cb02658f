import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashApiKey, makeApiKey } from '../../src/core/api-key.ts';
import { DEFAULT_LIMITS, DEVICES_PER_ORGANISATION_MAX } from '../../src/core/limits.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import type { RecordChange } from '../../src/stores/record-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { editKey } from '../support/records.ts';
import {
  ENGINES,
  everyDevice,
  LASTING_ENGINES,
  statusOfOutcome,
  TestStore,
} from '../support/stores.ts';

/** What is kept, and how it is found again. */
describe.each(ENGINES)('%s', (engine) => {
  test('what does not exist is told as nothing or refused as not found', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const event = { id: 'zzzzzz', organisationId: 'org_none', name: 'X', createdAt: 0 };
    const [key] = await store.list('key');
    const created = { ...key!, id: 'key_x', name: 'x' };
    const notFound = { code: 'not_found' };

    expect(await store.findTicket('tkt_none')).toBeUndefined();
    expect(await store.requestsInMonth('key_none', 202607)).toBe(0);
    await expect(
      store.write({
        records: [{ kind: 'event', before: null, after: { ...event, archivedAt: null } }],
        audit: [AN_AUDIT_ENTRY],
      }),
    ).rejects.toMatchObject(notFound);
    await expect(
      store.write({
        records: [
          {
            kind: 'key',
            before: null,
            after: { ...created, organisationId: 'org_none' },
            hash: 'h1',
          },
        ],
        audit: [AN_AUDIT_ENTRY],
      }),
    ).rejects.toMatchObject(notFound);
    await expect(
      store.write({
        records: [
          { kind: 'key', before: null, after: { ...created, events: ['zzzzzz'] }, hash: 'h2' },
        ],
        audit: [AN_AUDIT_ENTRY],
      }),
    ).rejects.toMatchObject({
      ...notFound,
      message: expect.stringContaining('zzzzzz'),
    });
    await expect(
      editKey(store, 'key_none', { active: true }, AN_AUDIT_ENTRY),
    ).rejects.toMatchObject(notFound);
    expect(await store.list('key')).toEqual([key]);
  });

  test('what is not named in a change stays as it was', async () => {
    await using gate = await TestStore.open(engine);
    const before = (await gate.store.list('key'))[0]!;

    const renamed = await editKey(gate.store, gate.keyId, { name: 'Zoë' }, AN_AUDIT_ENTRY);
    const moved = await editKey(
      gate.store,
      gate.keyId,
      { relay: 'out', openSeconds: 9 },
      AN_AUDIT_ENTRY,
    );

    expect(renamed).toEqual({ ...before, name: 'Zoë' });
    expect(moved).toEqual({ ...before, name: 'Zoë', relay: 'out', openSeconds: 9 });
    expect(await gate.store.list('key')).toEqual([moved]);
    await editKey(gate.store, gate.keyId, { events: [gate.eventId] }, AN_AUDIT_ENTRY);
    expect(await gate.store.list('key')).toEqual([{ ...moved, events: [gate.eventId] }]);
  });

  test('several members of an organisation are changed together, or none of them', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    const [before] = await store.list('organisation');
    const entries = (await store.readAuditLog({ limit: 100 })).length;
    await administration.createOrganisation('Taken');
    const bad = [
      { name: 'New', timeZone: 'Mars/Base' },
      { name: 'New', limits: { burst: 0 } },
      { name: 'Taken', timeZone: 'Europe/Berlin', limits: { burst: 7 } },
    ];
    for (const changes of bad)
      await expect(administration.editOrganisation(before?.id, changes)).rejects.toThrow();
    expect((await store.list('organisation'))[0]).toEqual(before);
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(entries + 1);

    const good = { name: 'New', timeZone: 'Europe/Berlin', limits: { burst: 7 } };
    const changed = await administration.editOrganisation(before?.id, good);
    expect(changed).toMatchObject({ ...good, limits: { ...before?.limits, burst: 7 } });
    expect((await store.list('organisation'))[0]).toEqual(changed);
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(entries + 4);
  });

  test('an organisation keeps its time zone, and keys of a new lookup have it', async () => {
    await using gate = await TestStore.open(engine);
    const [before] = await gate.store.list('organisation');
    const value = makeApiKey('api', randomBytes);
    const [key] = await gate.store.list('key');
    await gate.store.write({
      records: [
        { kind: 'key', before: null, after: { ...key!, id: 'key_z' }, hash: hashApiKey(value) },
      ],
      audit: [AN_AUDIT_ENTRY],
    });
    const found = await gate.store.findKeyByHash(hashApiKey(value));
    expect(found).not.toHaveProperty('timeZone');
    const other = { id: 'org_b', name: 'B', limits: before!.limits, createdAt: 1 };
    await gate.store.write({
      records: [
        { kind: 'organisation', before: null, after: { ...other, timeZone: 'Asia/Tokyo' } },
      ],
      audit: [AN_AUDIT_ENTRY],
    });

    await gate.administration.editOrganisation(before?.name, { timeZone: 'Europe/Berlin' });
    if (LASTING_ENGINES.includes(engine)) await gate.reopen();

    const after = { ...before, timeZone: 'Europe/Berlin' };
    expect(await gate.store.list('organisation')).toEqual([
      after,
      { ...other, timeZone: 'Asia/Tokyo' },
    ]);
    const again = await gate.store.findKeyByHash(hashApiKey(value));
    expect(again).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(again?.revision).not.toBe(found?.revision);
    await expect(
      gate.administration.editOrganisation(before?.id, { timeZone: 'Mars/Base' }),
    ).rejects.toMatchObject({
      code: 'usage',
    });

    await gate.administration.editOrganisation(before?.id, { timeZone: null });
    if (LASTING_ENGINES.includes(engine)) await gate.reopen();
    expect((await gate.store.list('organisation'))[0]).toEqual(before);
    expect(await gate.store.findKeyByHash(hashApiKey(value))).not.toHaveProperty('timeZone');
  });

  test('a neighbour of the sample stays one under another name, and only it is never meant', async () => {
    await using gate = await TestStore.open(engine);
    const own = await gate.administration.findOrganisation(undefined);
    const flag = { sampleNeighbour: true } as const;
    const made = await gate.administration.createOrganisation('Lido', DEFAULT_LIMITS, flag);
    await gate.administration.editOrganisation('Lido', { name: 'Baths' });
    if (LASTING_ENGINES.includes(engine)) await gate.reopen();

    const after = { ...made, name: 'Baths', sampleNeighbour: true };
    expect(await gate.store.list('organisation')).toEqual([own, after]);
    expect(await gate.administration.findOrganisation(undefined)).toEqual(own);
    await gate.administration.createOrganisation('Sample neighbour');
    await expect(gate.administration.findOrganisation(undefined)).rejects.toThrow(
      'Which organisation?',
    );
  });

  test('a refused change changes nothing', async () => {
    await using gate = await TestStore.open(engine);
    const before = await gate.store.list('key');

    const wrong = editKey(
      gate.store,
      gate.keyId,
      { name: 'other', events: ['zzzzzz'] },
      AN_AUDIT_ENTRY,
    );

    await expect(wrong).rejects.toMatchObject({ code: 'not_found' });
    expect(await gate.store.list('key')).toEqual(before);
  });

  test('a record that somebody changed, made or deleted since it was read is not changed', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const before = (await store.read('key', gate.keyId))!;
    const after = { ...before, active: false };
    const [organisation] = await store.list('organisation');
    const write = (one: RecordChange) =>
      store.write({ records: [one], audit: [{ ...AN_AUDIT_ENTRY, act: 'late' }] });
    await editKey(store, gate.keyId, { name: 'Zoë' }, AN_AUDIT_ENTRY);
    const changed = { reason: 'changed_meanwhile' };
    await expect(write({ kind: 'key', before, after })).rejects.toMatchObject(changed);
    await expect(write({ kind: 'key', before, after: null })).rejects.toMatchObject(changed);
    await expect(
      write({ kind: 'key', before: null, after: before, hash: 'h' }),
    ).rejects.toMatchObject(changed);
    const renamed = { ...organisation!, name: 'Lido' };
    await expect(
      write({ kind: 'organisation', before: renamed, after: null }),
    ).rejects.toMatchObject(changed);
    expect(await store.list('key')).toEqual([{ ...before, name: 'Zoë' }]);
    expect(await store.list('organisation')).toEqual([organisation]);

    const now = (await store.read('key', gate.keyId))!;
    await write({ kind: 'key', before: now, after: null });
    await expect(write({ kind: 'key', before: now, after })).rejects.toMatchObject({
      code: 'not_found',
    });
    const acts = (await store.readAuditLog({ limit: 100 })).map(({ act }) => act);
    expect(acts.filter((act) => act === 'late')).toHaveLength(1);
  });

  test('records and documents are written together, or none of them', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const [organisation] = await store.list('organisation');
    const { id: organisationId } = organisation!;
    const session = { kind: 'session', id: 's', value: {} } as const;
    const event = { id: 'second', organisationId, name: 'Second', createdAt: 1, archivedAt: null };
    const records = [{ kind: 'event', before: null, after: event }] as const;
    const audit = [AN_AUDIT_ENTRY, AN_AUDIT_ENTRY];
    const entries = (await store.readAuditLog({ limit: 100 })).length;
    const late = store.write({ records, documents: [{ ...session, revision: 7 }], audit });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.list('event')).toHaveLength(1);
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(entries);

    await store.write({ records, documents: [{ ...session, revision: 0 }], audit });
    expect(await store.read('event', 'second')).toEqual(event);
    expect(await store.read('session', 's')).toEqual({ ...session, revision: 1 });
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(entries + 2);
    await store.write({ deleted: [session], unchanged: [{ ...session, revision: 1 }], audit: [] });
    expect(await store.read('session', 's')).toBeUndefined();
  });

  test('changes of different members of a record at once are all made', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    await Promise.all([
      administration.editKey(gate.keyId, { relay: 'out' }),
      administration.editKey(gate.keyId, { openSeconds: 9 }),
      administration.editKey(gate.keyId, { active: false }),
      administration.rotateKey(gate.keyId),
    ]);
    expect(await store.read('key', gate.keyId)).toMatchObject({
      ...{ relay: 'out', openSeconds: 9, active: false, rotations: 1 },
    });
  });

  test('pages of tickets hold every ticket once, whatever was inserted together', async () => {
    await using gate = await TestStore.open(engine);
    const options = { kind: 'single', eventId: gate.eventId } as const;
    const made = Array.from({ length: 2500 }, () => newTicket(options, 1, randomBytes));
    await gate.store.insertTickets([], AN_AUDIT_ENTRY);
    await gate.store.insertTickets(made.slice(0, 2000), AN_AUDIT_ENTRY);
    await gate.store.insertTickets(made.slice(2000), AN_AUDIT_ENTRY);

    const found: string[] = [];
    for (;;) {
      const afterId = found.at(-1);
      const page = await gate.store.listTickets({ limit: 333, ...(afterId && { afterId }) });
      found.push(...page.map(({ id }) => id));
      if (page.length === 0) break;
    }

    expect(found).toHaveLength(made.length);
    expect(new Set(found)).toEqual(new Set(made.map(({ id }) => id)));
    expect(new Set(found.slice(0, 2000))).toEqual(new Set(made.slice(0, 2000).map(({ id }) => id)));
    expect(await gate.store.countTickets()).toBe(made.length);
  });

  test('a large batch is decided in its order, and pages of the log hold every entry once', async () => {
    await using gate = await TestStore.open(engine);
    const cards = await Promise.all(
      Array.from({ length: 40 }, () => gate.mint({ kind: 'multi', uses: 10 })),
    );
    const requests = Array.from({ length: 512 }, (_, index) =>
      gate.request(cards[(index * 7) % cards.length]!.id),
    );

    const statuses = (await gate.scan(...requests)).map(statusOfOutcome);

    expect(statuses.filter((status) => status === 'consumed')).toHaveLength(400);
    const log = [];
    for (;;) {
      const afterSequence = log.at(-1)?.sequence ?? 0;
      const page = await gate.store.readLog({ afterSequence, limit: 100 });
      log.push(...page);
      if (page.length === 0) break;
    }
    expect(log.map(({ ticketId }) => ticketId)).toEqual(
      requests.map(({ subject }) => subject.kind === 'ticket' && subject.ticketId),
    );
    expect(log.map(({ status }) => status)).toEqual(statuses);
    expect((await gate.store.verify()).problems).toEqual([]);
  });

  test("an organisation is remembered by its latest devices only, and sees no other organisation's", async () => {
    await using gate = await TestStore.open(engine);
    await gate.administration.createOrganisation('Other');
    const own = {
      name: 'other gate',
      type: 'hardware',
      events: 'all',
      organisation: 'Other',
    } as const;
    const other = (await gate.administration.createKey(own)).key.id;
    const beat = (serial: string, now: number, keyId = gate.keyId) => {
      const contact = { model: 'm', serial, address: 'a', firmware: '1' };
      return gate.heartbeat(contact, { now, keyId });
    };
    await gate.scan(beat('theirs', 1, other), beat('first', 2), beat('second', 3));
    const fill = Array.from({ length: DEVICES_PER_ORGANISATION_MAX - 1 }, (_, at) => `s${at}`);
    await gate.scan(beat('first', 4), ...fill.map((serial, at) => beat(serial, 10 + at)));

    const [{ id: mine = '' } = {}, { id: theirs = '' } = {}] =
      await gate.store.list('organisation');
    const serials = (await gate.store.listDevices(mine)).map(({ serial }) => serial);

    expect(serials).toEqual([...fill.toReversed(), 'first']);
    expect(await gate.store.listDevices(theirs)).toMatchObject([{ serial: 'theirs' }]);
  });

  test('devices of different keys are different devices', async () => {
    await using gate = await TestStore.open(engine);
    const options = { name: 'second', type: 'hardware', events: 'all' } as const;
    const second = (await gate.administration.createKey(options)).key.id;
    const contact = { model: 'm', serial: 's', address: 'a', firmware: '1' };

    await gate.scan(
      gate.heartbeat(contact, { now: 1000 }),
      gate.heartbeat(contact, { now: 2000, keyId: second }),
    );

    const seen = (await everyDevice(gate.store)).map(({ keyId, lastContactAt }) => [
      keyId,
      lastContactAt,
    ]);
    expect(new Map(seen as [string, number][])).toEqual(
      new Map([
        [gate.keyId, 1000],
        [second, 2000],
      ]),
    );
  });

  test('whether the store writes can be asked at any time, and changes nothing', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const asked = await Promise.allSettled([
      gate.store.checkWritable(),
      gate.scan(gate.request(id)),
      gate.store.checkWritable(),
    ]);

    expect(asked.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    expect(await gate.store.readLog({ limit: 10 })).toHaveLength(1);
    expect((await gate.store.verify()).problems).toEqual([]);
  });
});
