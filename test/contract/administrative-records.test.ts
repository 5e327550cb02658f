import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { created, editOrganisation, putAdministrative } from '../support/records.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const CONFLICT = { code: 'conflict' };
const WRITERS = 40;
const bound = { member: 'owner', countMax: 5, refusal: 'There are five already.' };

/** A database of a busy machine sends away who waits too long for a turn: whoever is sent away comes again. */
async function untilItsTurn(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'store_unavailable') throw error;
    }
  }
}

/** Everybody writes at once, each an administrative record of its own; returns how many were let in. */
async function writeAtOnce(stores: readonly Store[]): Promise<number> {
  const settled = await Promise.allSettled(
    Array.from({ length: WRITERS }, (_, index) =>
      untilItsTurn(() =>
        stores[index % stores.length]!.write({
          administrative: [
            { kind: 'access-token', id: `t${index}`, revision: 0, value: { owner: 'ada' } },
          ],
          bounds: [bound],
          audit: [],
        }),
      ),
    ),
  );
  for (const one of settled) {
    if (one.status === 'rejected')
      expect(one.reason).toMatchObject({ code: 'limit_reached', message: bound.refusal });
  }
  return settled.filter(({ status }) => status === 'fulfilled').length;
}

/** What every store promises about administrative records. */
describe.each(ENGINES)('%s', (engine) => {
  test('an administrative record is written once at each revision; whoever is slower gets a conflict', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const value = { deep: [1, { name: 'Ž' }] };

    await putAdministrative(store, 'account', 'ada', value);
    await expect(putAdministrative(store, 'account', 'ada', value)).rejects.toMatchObject(CONFLICT);
    const written = { kind: 'account', id: 'ada', value, revision: 1 };
    expect(await store.read('account', 'ada')).toEqual(written);
    await putAdministrative(store, 'account', 'ada', 'second', 1);
    await expect(putAdministrative(store, 'account', 'ada', value, 1)).rejects.toMatchObject(
      CONFLICT,
    );
    expect(await store.read('account', 'ada')).toMatchObject({ revision: 2, value: 'second' });

    const atOnce = await Promise.allSettled(
      Array.from({ length: 20 }, (_, number) => putAdministrative(store, 'session', 's', number)),
    );
    expect(atOnce.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('administrative records are listed by kind in the order of their ids, and a deleted one is gone', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    for (const id of ['b', 'c', 'a']) await putAdministrative(store, 'account', id, id);
    await putAdministrative(store, 'session', 'other', null);

    for (const id of ['b', 'never was'])
      await store.write({ deleted: [{ kind: 'account', id }], audit: [] });

    expect((await store.list('account')).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(await store.read('account', 'b')).toBeUndefined();
    await putAdministrative(store, 'account', 'b', 'again');
  });

  test('what was decided by an administrative record that has changed is not written', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const read = (id: string, revision: number) => ({ kind: 'account', id, revision }) as const;
    for (const id of ['ada', 'bob', 'cyd']) await putAdministrative(store, 'account', id, id);
    await putAdministrative(store, 'account', 'bob', 'bob', 1);
    const write = (unchanged: readonly ReturnType<typeof read>[]) =>
      store.write({ administrative: [{ ...read('ada', 1), value: 'x' }], unchanged, audit: [] });
    const remove = (unchanged: readonly ReturnType<typeof read>[]) =>
      store.write({ deleted: [read('ada', 0)], unchanged, audit: [] });

    for (const unchanged of [
      [read('bob', 1)],
      [read('cyd', 1), read('bob', 3)],
      [read('nobody', 1)],
    ]) {
      await expect(write(unchanged)).rejects.toMatchObject(CONFLICT);
      await expect(remove(unchanged)).rejects.toMatchObject(CONFLICT);
    }

    expect(await store.read('account', 'ada')).toMatchObject({ revision: 1 });
    const unchanged = [read('bob', 2), read('cyd', 1)];
    await write(unchanged);
    await remove([read('ada', 2), ...unchanged]);
    expect(await store.read('account', 'ada')).toBeUndefined();
  });

  test('records and administrative records are written together, or none of them', async () => {
    await using gate = await TestStore.open(engine);
    const { store, administration } = gate;
    const { id: organisationId } = await administration.organisations.find(undefined);
    await administration.organisations.create('Taken');
    const event = { id: 'second', organisationId, name: 'Second', createdAt: 1, archivedAt: null };
    const records = [created('event', event)];
    const session = { kind: 'session', id: 's', value: {}, revision: 0 } as const;
    const sheet = { kind: 'sheet-settings', id: organisationId, value: {}, revision: 0 } as const;
    const rename = (name: string, revision = 0) =>
      editOrganisation(store, organisationId, { name }, [AN_AUDIT_ENTRY], [{ ...sheet, revision }]);
    const everything = async () => [
      ...[await store.list('organisation'), await store.list('event')],
      ...[await store.list('session'), await store.list('sheet-settings')],
      (await store.readAuditLog({ limit: 100 })).length,
    ];
    const before = await everything();

    const late = store.write({
      records,
      administrative: [{ ...session, revision: 7 }],
      audit: [AN_AUDIT_ENTRY],
    });
    await expect(late).rejects.toMatchObject(CONFLICT);
    await expect(rename('Taken')).rejects.toMatchObject(CONFLICT);
    await expect(rename('Lido', 7)).rejects.toMatchObject(CONFLICT);
    expect(await everything()).toEqual(before);

    await store.write({
      records,
      administrative: [session],
      audit: [AN_AUDIT_ENTRY, AN_AUDIT_ENTRY],
    });
    await rename('Lido');
    expect(await store.read('event', 'second')).toEqual(event);
    expect(await store.read('session', 's')).toEqual({ ...session, revision: 1 });
    expect(await store.read('sheet-settings', organisationId)).toEqual({ ...sheet, revision: 1 });
    expect(await store.read('organisation', organisationId)).toMatchObject({ name: 'Lido' });
    expect(await store.readAuditLog({ limit: 100 })).toHaveLength(Number(before.at(-1)) + 3);
  });

  test('an administrative record of an organisation that is gone is refused', async () => {
    await using gate = await TestStore.open(engine);
    for (const kind of ['account', 'webhook', 'sheet-settings'] as const) {
      const written = putAdministrative(gate.store, kind, 'org_gone', {
        organisationId: 'org_gone',
      });
      await expect(written).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('administrative records that are written at the same time do not pass their bound', async () => {
    await using gate = await TestStore.open(engine);

    expect(await writeAtOnce([gate.store, await gate.another()])).toBe(5);
    expect(await gate.store.list('access-token')).toHaveLength(5);
  });

  test('a bound counts the administrative records with the same text only, and not the written one itself', async () => {
    await using gate = await TestStore.open(engine);
    const write = (id: string, owner: string | null, revision = 0) =>
      gate.store.write({
        administrative: [{ kind: 'account', id, revision, value: { owner } }],
        bounds: [{ ...bound, countMax: 1 }],
        audit: [{ ...AN_AUDIT_ENTRY, subject: id }],
      });

    await write('a', 'ada');
    await write('b', 'bob');
    await write('n', null);
    await write('a', 'ada', 1);
    await expect(write('c', 'ada')).rejects.toMatchObject({ code: 'limit_reached' });
    await expect(write('m', null)).rejects.toMatchObject({ code: 'limit_reached' });
    expect(await gate.store.list('account')).toHaveLength(3);
    const subjects = (await gate.store.readAuditLog({ limit: 4 })).map(({ subject }) => subject);
    expect(subjects).toEqual(['a', 'n', 'b', 'a']);
  });

  test('one change makes an event and lets a key enter it', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId } = gate;
    const pool = (await store.read('event', eventId))!;
    const before = (await store.read('key', gate.keyId))!;
    const made = { ...pool, id: 'nextpl', name: 'Next' };
    const after = { ...before, events: [eventId, made.id] };

    const records = [created('event', made), { kind: 'key', before, after } as const];
    await store.write({ records, audit: [AN_AUDIT_ENTRY] });

    expect((await store.read('key', gate.keyId))?.events).toEqual([eventId, made.id]);
  });
});
