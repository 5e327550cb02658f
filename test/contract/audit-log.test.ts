import { describe, expect, test } from 'vitest';
import type { NewAuditLogEntry } from '../../src/core/administrative-records.ts';
import {
  createRecord,
  deleteKey,
  editKey,
  editOrganisation,
  renameEvent,
} from '../support/records.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

function anEntry(subject: string, organisationId: string | null = 'org_a'): NewAuditLogEntry {
  const by = { accountId: 'acc_1', by: 'Ada' };
  return { at: 1000, organisationId, ...by, act: 'key.create', subject, details: { name: 'Gate' } };
}

describe.each(ENGINES)('the audit log of %s', (engine) => {
  test('tells acts newest first, by organisation, in pages', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const entries = ['1', '2', '3', '4'].map((subject) => anEntry(subject));
    for (const entry of [...entries, anEntry('foreign', 'org_b'), anEntry('whole store', null)])
      await store.write({ audit: [entry] });

    const own = { organisationId: 'org_a', limit: 3 };
    const first = await store.readAuditLog(own);
    const second = await store.readAuditLog({ ...own, beforeSequence: first.at(-1)!.sequence });

    expect(first.map(({ subject }) => subject)).toEqual(['4', '3', '2']);
    expect(second).toEqual([{ ...anEntry('1'), sequence: expect.any(Number) }]);
    const whole = await store.readAuditLog({ limit: 100 });
    expect(whole.filter(({ at }) => at === 1000)).toHaveLength(6);
  });

  test('has every change, and none that was refused', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const { id: organisationId, limits } = await gate.administration.organisations.find(undefined);
    const { id, ...ticket } = await gate.mint();
    const event = { id: 'newevt', organisationId, name: 'New', createdAt: 1, archivedAt: null };
    const key = (await store.read('key', gate.keyId))!;
    const record = { kind: 'account', id: 'ada', revision: 0, value: 1 } as const;
    const another = { id: 'org_new', name: 'New', limits, createdAt: 1 };
    const newLimits = { limits: { ...limits, keysMax: 2 } };

    const changes: ((entry: NewAuditLogEntry) => Promise<unknown>)[] = [
      (entry) => createRecord(store, 'organisation', another, entry),
      (entry) => editOrganisation(store, organisationId, newLimits, [entry]),
      (entry) => createRecord(store, 'event', event, entry),
      (entry) => renameEvent(store, event.id, 'Newer', entry),
      (entry) => createRecord(store, 'key', { ...key, id: 'key_new' }, entry),
      (entry) => editKey(store, 'key_new', { active: false }, entry),
      (entry) => deleteKey(store, 'key_new', 5, entry),
      (entry) => store.insertTickets([], entry),
      (entry) => store.cancelTickets([id], 5, entry),
      (entry) => store.cancelTickets([id], null, entry),
      (entry) => store.write({ administrative: [record], audit: [entry] }),
      (entry) => store.write({ deleted: [record], audit: [entry] }),
      (entry) => editOrganisation(store, organisationId, { timeZone: 'Europe/Berlin' }, [entry]),
    ];
    for (const [index, change] of changes.entries()) await change(anEntry(`${index}`));
    const keys = await store.list('key');
    const no = anEntry('no');
    const aKey = { ...key, id: 'key_x' };
    const refused: [string, Promise<unknown>][] = [
      ['conflict', createRecord(store, 'organisation', another, no)],
      ['not_found', editOrganisation(store, 'org_none', newLimits, [no])],
      ['not_found', editOrganisation(store, 'org_none', { timeZone: 'UTC' }, [no])],
      ['conflict', createRecord(store, 'event', { ...event, id: 'otherx', name: 'Newer' }, no)],
      [
        'not_found',
        createRecord(store, 'event', { ...event, id: 'x', organisationId: 'org_none' }, no),
      ],
      ['not_found', renameEvent(store, 'noneee', 'X', no)],
      ['conflict', renameEvent(store, event.id, 'Pool', no)],
      ['not_found', createRecord(store, 'key', { ...aKey, organisationId: 'org_none' }, no)],
      ['not_found', createRecord(store, 'key', { ...aKey, events: ['zzzzzz'] }, no)],
      ['not_found', editKey(store, gate.keyId, { name: 'x', events: ['zzzzzz'] }, no)],
      ['not_found', editKey(store, 'key_new', {}, no)],
      ['not_found', deleteKey(store, 'key_new', 5, no)],
      ['conflict', store.insertTickets([{ ...ticket, id }], no)],
      ['not_found', store.cancelTickets(['tkt_none'], 5, no)],
      ['not_found', store.cancelTickets(['tkt_none'], null, no)],
      ['conflict', store.write({ administrative: [{ ...record, revision: 7 }], audit: [no] })],
    ];
    const settled = await Promise.allSettled(refused.map(([, change]) => change));

    expect(settled).toMatchObject(refused.map(([code]) => ({ reason: { code } })));
    const log = await store.readAuditLog({ organisationId: 'org_a', limit: 100 });
    expect(log.map(({ subject }) => Number(subject)).reverse()).toEqual([...changes.keys()]);
    expect(await store.list('key')).toEqual(keys);
    expect((await store.list('event')).map(({ name }) => name)).toEqual(['Pool', 'Newer']);
  });
});
