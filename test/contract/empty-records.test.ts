import { describe, expect, test } from 'vitest';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import {
  deleteEvent,
  deleteOrganisation,
  putAdministrative,
  renameEvent,
} from '../support/records.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const conflict = expect.objectContaining({ code: 'conflict' });

describe.each(ENGINES)('%s', (engine) => {
  test('an archived event is marked, and its tickets scan as before', async () => {
    await using gate = await TestStore.open(engine);
    const ticket = await gate.mint();
    const event = await gate.administration.events.find('Pool');

    const archived = await gate.administration.events.archive(event);
    await gate.reopen();
    expect(await gate.store.list('event')).toEqual([archived]);
    const outcome = await gate.consume(ticket.id);
    const shown = await gate.administration.events.unarchive(event);

    expect(event.archivedAt).toBe(null);
    expect(archived).toEqual({ ...event, archivedAt: gate.clock.now() });
    expect(outcome).toBe('consumed');
    expect(shown).toEqual(event);
    const acts = (await gate.store.readAuditLog({ limit: 9 })).map(({ act }) => act);
    expect(acts.slice(0, 2)).toEqual(['event.unarchive', 'event.archive']);
  });

  test('only an event without tickets and log entries is deleted, also from the scope of keys', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    await gate.mint();
    const full = await administration.events.find('Pool');
    const asked = await administration.events.create('Asked for');
    const empty = await administration.events.create('Empty');
    const options = { name: 'both', type: 'api', events: ['Pool', 'Empty'] } as const;
    const { key } = await administration.keys.create(options);
    await administration.keys.delete('gate');
    await gate.scan({ ...gate.request(`tkt_${asked.id}_nobody000000000000000`), keyId: key.id });
    const { key: all } = await administration.keys.create({
      ...options,
      name: 'all',
      events: 'all',
    });
    await gate.scan({ ...gate.request(`tkt_${asked.id}_nobody000000000000000`), keyId: all.id });

    await expect(administration.events.delete(full)).rejects.toEqual(conflict);
    await expect(administration.events.delete(asked)).rejects.toEqual(conflict);
    // The look through the log came before the entry: the transaction looks at the rest.
    await expect(deleteEvent(store, asked.id, 0, AN_AUDIT_ENTRY)).rejects.toEqual(conflict);
    await expect(deleteEvent(store, full.id, 9, AN_AUDIT_ENTRY)).rejects.toEqual(conflict);
    await administration.events.delete(empty);

    expect((await store.list('event')).map(({ name }) => name)).toEqual(['Pool', 'Asked for']);
    expect((await administration.keys.edit('both', { name: 'one' })).events).toEqual([full.id]);
    expect((await store.readAuditLog({ limit: 2 })).map(({ act }) => act)).toContain(
      'event.delete',
    );
    await expect(administration.events.delete(empty)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an organisation is renamed, and deleted when nothing is left of it', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    const made = await administration.organisations.create('By mistake');
    const event = await administration.events.create('Theirs', made.id);
    const key = { name: 'theirs', type: 'api', events: 'all', organisation: made.id } as const;
    await administration.keys.create(key);

    await renameEvent(store, event.id, 'Theirs', AN_AUDIT_ENTRY);
    const renamed = await administration.organisations.edit(made.id, { name: 'Wrong' });
    await expect(administration.organisations.edit(made.id, { name: 'Default' })).rejects.toEqual(
      conflict,
    );
    await expect(administration.organisations.delete(renamed)).rejects.toThrow('still has events');
    await administration.events.delete(event);
    await expect(administration.organisations.delete(renamed)).rejects.toThrow(
      'still has API keys',
    );
    await administration.keys.delete('theirs');
    await putAdministrative(store, 'account', 'acc_1', { id: 'acc_1', organisationId: made.id });
    await expect(administration.organisations.delete(renamed)).rejects.toThrow(
      'still has accounts',
    );
    await store.write({ deleted: [{ kind: 'account', id: 'acc_1' }], audit: [] });
    await administration.organisations.delete(renamed);

    expect((await store.list('organisation')).map(({ name }) => name)).toEqual(['Default']);
    expect((await store.verify()).problems).toEqual([]);
  });

  test('accounts go with their organisation, unless no other has an owner', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    const [first] = await store.list('organisation');
    const made = await administration.organisations.create('By mistake');
    const put = async (name: string, organisationId: string, role: string) => {
      const value = { id: `acc_${name}`, name, organisationId, role };
      await putAdministrative(store, 'account', name, value);
    };
    await put('ada', made.id, 'owner');
    await put('bob', made.id, 'viewer');
    const session = { accountId: 'acc_ada', accountName: 'ada', createdAt: 1, lastSeenAt: 1 };
    await putAdministrative(store, 'session', 's', session);
    await put('cyd', first?.id ?? '', 'operator');

    await expect(administration.organisations.delete(made)).rejects.toThrow('still has accounts');
    await expect(administration.organisations.delete(made, true)).rejects.toThrow(
      'No other organisation has an owner',
    );
    expect(await store.list('account')).toHaveLength(3);
    const cyd = await store.read('account', 'cyd');
    await putAdministrative(
      store,
      'account',
      'cyd',
      { ...(cyd?.value as object), role: 'owner' },
      1,
    );
    const act = { ...AN_AUDIT_ENTRY, act: 'organisation.delete' };
    const old = ['ada', 'bob', 'cyd'].map((id) => ({ kind: 'account', id, revision: 1 }) as const);
    await expect(deleteOrganisation(store, made.id, 0, act, old)).rejects.toEqual(conflict);
    await administration.organisations.delete(made, true);

    expect((await store.list('account')).map(({ id }) => id)).toEqual(['cyd']);
    expect(await store.list('session')).toEqual([]);
    expect((await store.list('organisation')).map(({ id }) => id)).toEqual([first?.id]);
    const [entry] = await store.readAuditLog({ limit: 1 });
    expect(entry).toMatchObject({
      act: 'organisation.delete',
      details: { name: 'By mistake', accounts: ['ada', 'bob'] },
    });
  });

  test('an organisation whose deleted key is in the log is not deleted', async () => {
    await using gate = await TestStore.open(engine);
    const { administration, store } = gate;
    const made = await administration.organisations.create('Theirs');
    const options = { name: 'theirs', type: 'api', events: 'all', organisation: made.id } as const;
    const { key } = await administration.keys.create(options);
    await gate.scan({
      ...gate.request(`tkt_${gate.eventId}_nobody000000000000000`),
      keyId: key.id,
    });
    await administration.keys.delete('theirs');

    await expect(administration.organisations.delete(made)).rejects.toThrow(
      'still has log entries',
    );
    await expect(deleteOrganisation(store, made.id, 0, AN_AUDIT_ENTRY)).rejects.toEqual(conflict);
  });
});
