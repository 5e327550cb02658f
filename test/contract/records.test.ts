import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashApiKey, makeApiKey } from '../../src/core/api-key.ts';
import {
  DEFAULT_LIMITS,
  DEVICE_FORGOTTEN_AFTER_MS,
  DEVICES_PER_KEY_MAX,
} from '../../src/core/limits.ts';
import type { RecordChange } from '../../src/stores/record-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { createRecord, editKey } from '../support/records.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

/** What is kept, and how it is found again. */
describe.each(ENGINES)('%s', (engine) => {
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
    await administration.organisations.create('Taken');
    const bad = [
      { name: 'New', timeZone: 'Mars/Base' },
      { name: 'New', limits: { burst: 0 } },
      { name: 'Taken', timeZone: 'Europe/Berlin', limits: { burst: 7 } },
    ];
    for (const changes of bad)
      await expect(administration.organisations.edit(before?.id, changes)).rejects.toThrow();
    expect((await store.list('organisation'))[0]).toEqual(before);
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(entries + 1);

    const good = { name: 'New', timeZone: 'Europe/Berlin', limits: { burst: 7 } };
    const changed = await administration.organisations.edit(before?.id, good);
    expect(changed).toMatchObject({ ...good, limits: { ...before?.limits, burst: 7 } });
    expect((await store.list('organisation'))[0]).toEqual(changed);
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(entries + 4);
  });

  test('an organisation keeps its time zone, and keys of a new lookup have it', async () => {
    await using gate = await TestStore.open(engine);
    const [before] = await gate.store.list('organisation');
    const value = makeApiKey('api', randomBytes);
    const [key] = await gate.store.list('key');
    const record = { kind: 'key', before: null, after: { ...key!, id: 'key_z' } } as const;
    await gate.store.write({
      records: [{ ...record, hash: hashApiKey(value) }],
      audit: [AN_AUDIT_ENTRY],
    });
    const found = await gate.store.findKeyByHash(hashApiKey(value));
    expect(found).not.toHaveProperty('timeZone');
    const named = { id: 'org_b', name: 'B', timeZone: 'Asia/Tokyo' };
    const other = { ...named, limits: before!.limits, createdAt: 1 };
    await createRecord(gate.store, 'organisation', other);

    await gate.administration.organisations.edit(before?.name, { timeZone: 'Europe/Berlin' });
    await gate.reopen();

    const after = { ...before, timeZone: 'Europe/Berlin' };
    expect(await gate.store.list('organisation')).toEqual([after, other]);
    const again = await gate.store.findKeyByHash(hashApiKey(value));
    expect(again).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(again?.revision).not.toBe(found?.revision);

    await gate.administration.organisations.edit(before?.id, { timeZone: null });
    await gate.reopen();
    expect((await gate.store.list('organisation'))[0]).toEqual(before);
    expect(await gate.store.findKeyByHash(hashApiKey(value))).not.toHaveProperty('timeZone');
  });

  test('a neighbour of the sample stays one under another name, and only it is never meant', async () => {
    await using gate = await TestStore.open(engine);
    const own = await gate.administration.organisations.find(undefined);
    const flag = { sampleNeighbour: true } as const;
    const made = await gate.administration.organisations.create('Lido', DEFAULT_LIMITS, flag);
    await gate.administration.organisations.edit('Lido', { name: 'Baths' });
    await gate.reopen();

    const after = { ...made, name: 'Baths', sampleNeighbour: true };
    expect(await gate.store.list('organisation')).toEqual([own, after]);
    expect(await gate.administration.organisations.find(undefined)).toEqual(own);
    await gate.administration.organisations.create('Sample neighbour');
    await expect(gate.administration.organisations.find(undefined)).rejects.toThrow(
      'Which organisation?',
    );
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

  test('changes of different members of a record at once are all made', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    await Promise.all([
      administration.keys.edit(gate.keyId, { relay: 'out' }),
      administration.keys.edit(gate.keyId, { openSeconds: 9 }),
      administration.keys.edit(gate.keyId, { active: false }),
      administration.keys.rotate(gate.keyId),
    ]);
    expect(await store.read('key', gate.keyId)).toMatchObject({
      relay: 'out',
      openSeconds: 9,
      active: false,
      rotations: 1,
    });
  });

  test("a key has a bounded number of devices, of which new ones hide none, and sees no other organisation's", async () => {
    await using gate = await TestStore.open(engine);
    await gate.administration.organisations.create('Other');
    const own = {
      name: 'other gate',
      type: 'hardware',
      events: 'all',
      organisation: 'Other',
    } as const;
    const other = (await gate.administration.keys.create(own)).key.id;
    const beat = (serial: string, now: number, keyId = gate.keyId) => {
      const contact = { model: 'm', serial, address: 'a', firmware: '1' };
      return gate.heartbeat(contact, { now, keyId });
    };
    await gate.scan(beat('theirs', 1, other), beat('first', 2), beat('second', 3));
    const fill = Array.from({ length: DEVICES_PER_KEY_MAX - 2 }, (_, at) => `s${at}`);
    await gate.scan(beat('first', 4), ...fill.map((serial, at) => beat(serial, 10 + at)));
    await gate.scan(beat('invented', 5000), beat('second', 5001));

    const [{ id: mine = '' } = {}, { id: theirs = '' } = {}] =
      await gate.store.list('organisation');
    const serials = (await gate.store.listDevices(mine)).map(({ serial }) => serial);

    expect(serials).toEqual(['second', ...fill.toReversed(), 'first']);
    // One that was silent for a month makes room.
    await gate.scan(beat('new', 12 + DEVICE_FORGOTTEN_AFTER_MS));
    const later = (await gate.store.listDevices(mine)).map(({ serial }) => serial);
    expect(later).toEqual(['new', 'second', ...fill.slice(2).toReversed()]);
    expect(await gate.store.listDevices(theirs)).toMatchObject([{ serial: 'theirs' }]);
  });
});
