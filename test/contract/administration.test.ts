import { describe, expect, test } from 'vitest';
import type { NewAuditLogEntry } from '../../src/core/administrative-records.ts';
import { hashApiKey } from '../../src/core/api-key.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { deleteKey, editKey, editOrganisation, renameEvent } from '../support/records.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

function anAuditEntry(subject: string, organisationId: string | null = 'org_a'): NewAuditLogEntry {
  const by = { accountId: 'acc_1', by: 'Ada' };
  return { at: 1000, organisationId, ...by, act: 'key.create', subject, details: { name: 'Gate' } };
}

/** What every store promises about accounts, the trail and searches. */
describe.each(ENGINES)('%s', (engine) => {
  test('a document is written once at each revision, whoever is slower gets a conflict', async () => {
    await using gate = await TestStore.open(engine);
    const document = { kind: 'account', id: 'ada', value: { deep: [1, { name: 'Ž' }] } } as const;

    await gate.store.write({ documents: [{ ...document, revision: 0 }], audit: [] });

    await expect(
      gate.store.write({ documents: [{ ...document, revision: 0 }], audit: [] }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await gate.store.read('account', 'ada')).toEqual({ ...document, revision: 1 });
    await gate.store.write({
      documents: [{ ...document, revision: 1, value: 'second' }],
      audit: [],
    });
    await expect(
      gate.store.write({ documents: [{ ...document, revision: 1 }], audit: [] }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await gate.store.read('account', 'ada')).toMatchObject({
      revision: 2,
      value: 'second',
    });
  });

  test('an organisation and its documents are changed together, or not at all', async () => {
    await using gate = await TestStore.open(engine);
    const { id, name } = await gate.administration.createOrganisation('Lido');
    const document = {
      kind: 'sheet-settings',
      id,
      revision: 0,
      value: { language: 'de' },
    } as const;
    const edit = (changes: { name: string }, revision = 0) =>
      editOrganisation(gate.store, id, changes, [AN_AUDIT_ENTRY], [{ ...document, revision }]);
    const nameNow = async () =>
      (await gate.store.list('organisation')).find((one) => one.id === id)?.name;
    await gate.administration.createOrganisation('Taken');
    const audited = async () => (await gate.store.readAuditLog({ limit: 100 })).length;
    const before = await audited();

    await expect(edit({ name: 'Taken' })).rejects.toMatchObject({ code: 'conflict' });
    expect(await gate.store.read('sheet-settings', id)).toBeUndefined();
    await expect(edit({ name: 'Pool' }, 7)).rejects.toMatchObject({ code: 'conflict' });
    expect([await nameNow(), await audited()]).toEqual([name, before]);
    await edit({ name: 'Pool' });
    expect(await nameNow()).toBe('Pool');
    expect(await gate.store.read('sheet-settings', id)).toEqual({
      ...document,
      revision: 1,
    });
  });

  test('of many who write the same revision at once, exactly one succeeds', async () => {
    await using gate = await TestStore.open(engine);

    const written = await Promise.allSettled(
      Array.from({ length: 20 }, (_, value) =>
        gate.store.write({
          documents: [{ kind: 'session', id: 's', revision: 0, value }],
          audit: [],
        }),
      ),
    );

    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('documents are listed by kind in the order of their ids, and a deleted one is gone', async () => {
    await using gate = await TestStore.open(engine);
    for (const id of ['b', 'c', 'a'])
      await gate.store.write({
        documents: [{ kind: 'account', id, revision: 0, value: id }],
        audit: [],
      });
    await gate.store.write({
      documents: [{ kind: 'session', id: 'other', revision: 0, value: null }],
      audit: [],
    });

    await gate.store.write({ deleted: [{ kind: 'account', id: 'b' }], audit: [] });
    await gate.store.write({ deleted: [{ kind: 'account', id: 'never was' }], audit: [] });

    expect((await gate.store.list('account')).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(await gate.store.read('account', 'b')).toBeUndefined();
    await gate.store.write({
      documents: [{ kind: 'account', id: 'b', revision: 0, value: 'again' }],
      audit: [],
    });
  });

  test('the trail tells acts newest first, by organisation, in pages', async () => {
    await using gate = await TestStore.open(engine);
    for (const subject of ['1', '2', '3', '4'])
      await gate.store.write({ audit: [anAuditEntry(subject)] });
    await gate.store.write({ audit: [anAuditEntry('foreign', 'org_b')] });
    await gate.store.write({ audit: [anAuditEntry('whole store', null)] });

    const first = await gate.store.readAuditLog({ organisationId: 'org_a', limit: 3 });
    const beforeSequence = first.at(-1)!.sequence;
    const second = await gate.store.readAuditLog({
      organisationId: 'org_a',
      limit: 3,
      beforeSequence,
    });

    expect(first.map(({ subject }) => subject)).toEqual(['4', '3', '2']);
    expect(second.map(({ subject }) => subject)).toEqual(['1']);
    const { sequence, ...act } = second[0]!;
    expect(act).toEqual(anAuditEntry('1'));
    expect(sequence).toBeGreaterThan(0);
    const whole = await gate.store.readAuditLog({ limit: 100 });
    expect(whole.filter(({ at }) => at === 1000)).toHaveLength(6);
  });

  test('every change brings its act along, and a refused change brings none', async () => {
    await using gate = await TestStore.open(engine);
    const { id: organisationId, limits } = await gate.administration.findOrganisation(undefined);
    const { id } = await gate.mint();
    const event = { id: 'newevt', organisationId, name: 'New', createdAt: 1 };
    const key = (await gate.store.list('key'))[0]!;
    const { store } = gate;
    const document = { kind: 'account', id: 'ada', revision: 0, value: 1 } as const;
    const another = { id: 'org_new', name: 'New', limits, createdAt: 1 };

    await store.write({
      records: [{ kind: 'organisation', before: null, after: another }],
      audit: [anAuditEntry('1')],
    });
    await editOrganisation(store, organisationId, { limits: { ...limits, keysMax: 2 } }, [
      anAuditEntry('2'),
    ]);
    await store.write({
      records: [{ kind: 'event', before: null, after: { ...event, archivedAt: null } }],
      audit: [anAuditEntry('3')],
    });
    await renameEvent(store, event.id, 'Newer', anAuditEntry('4'));
    await store.write({
      records: [{ kind: 'key', before: null, after: { ...key, id: 'key_new' }, hash: 'hash' }],
      audit: [anAuditEntry('5')],
    });
    await editKey(store, 'key_new', { active: false }, anAuditEntry('6'));
    await deleteKey(store, 'key_new', 5, anAuditEntry('7'));
    await store.insertTickets([], anAuditEntry('8'));
    await store.cancelTickets([id], 5, anAuditEntry('9'));
    await store.cancelTickets([id], null, anAuditEntry('10'));
    await store.write({ documents: [document], audit: [anAuditEntry('11')] });
    await store.write({ deleted: [{ kind: 'account', id: 'ada' }], audit: [anAuditEntry('12')] });
    await editOrganisation(store, organisationId, { timeZone: 'Europe/Berlin' }, [
      anAuditEntry('13'),
    ]);

    const taken = await gate.mint();
    const refused = [
      () =>
        store.write({
          records: [{ kind: 'organisation', before: null, after: another }],
          audit: [anAuditEntry('no')],
        }),
      () => editOrganisation(store, 'org_none', { limits: limits }, [anAuditEntry('no')]),
      () => editOrganisation(store, 'org_none', { timeZone: 'UTC' }, [anAuditEntry('no')]),
      () =>
        store.write({
          records: [
            {
              kind: 'event',
              before: null,
              after: { ...event, id: 'otherx', name: 'Newer', archivedAt: null },
            },
          ],
          audit: [anAuditEntry('no')],
        }),
      () => renameEvent(store, 'noneee', 'X', anAuditEntry('no')),
      () => editKey(store, 'key_new', {}, anAuditEntry('no')),
      () => deleteKey(store, 'key_new', 5, anAuditEntry('no')),
      () => store.insertTickets([{ ...taken, id }], anAuditEntry('no')),
      () => store.cancelTickets(['tkt_none'], 5, anAuditEntry('no')),
      () => store.cancelTickets(['tkt_none'], null, anAuditEntry('no')),
      () => store.write({ documents: [{ ...document, revision: 7 }], audit: [anAuditEntry('no')] }),
    ];
    for (const one of refused)
      await expect(one()).rejects.toMatchObject({ name: 'TicketscanError' });

    const trail = await store.readAuditLog({ organisationId: 'org_a', limit: 100 });
    expect(trail.map(({ subject }) => Number(subject)).reverse()).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    ]);
  });

  test('an event is renamed, never to the name of another one of its organisation', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.administration.createEvent('Other');

    expect(await renameEvent(gate.store, other.id, 'Winter', AN_AUDIT_ENTRY)).toMatchObject({
      name: 'Winter',
    });
    expect(await renameEvent(gate.store, other.id, 'Winter', AN_AUDIT_ENTRY)).toMatchObject({
      name: 'Winter',
    });

    await expect(renameEvent(gate.store, other.id, 'Pool', AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await gate.store.list('event')).map(({ name }) => name)).toEqual(['Pool', 'Winter']);
  });

  test('one change makes an event and lets a key enter it', async () => {
    await using gate = await TestStore.open(engine);
    const { store, eventId, administration } = gate;
    const { key } = await administration.createKey({ name: 'x', type: 'api', events: [eventId] });
    const pool = await store.read('event', eventId);
    const before = await store.read('key', key.id);
    if (!pool || !before) throw new Error('not there');
    const made = { ...pool, id: 'nextpl', name: 'Next' };
    const after = { ...before, events: [eventId, made.id] };
    const records = [
      { kind: 'event', id: made.id, before: null, after: made },
      { kind: 'key', id: key.id, before, after },
    ] as const;
    await store.write({ records, audit: [AN_AUDIT_ENTRY] });

    expect((await store.read('key', key.id))?.events).toEqual([eventId, made.id]);
  });

  test('a reinstated ticket enters again with the uses it had', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await gate.scan(gate.request(id));
    await gate.store.cancelTickets([id], 5, AN_AUDIT_ENTRY);

    expect(await gate.store.cancelTickets([id], null, AN_AUDIT_ENTRY)).toBe(1);
    const reinstated = await gate.store.findTicket(id);
    const [outcome] = await gate.scan(gate.request(id));

    expect(reinstated).toMatchObject({ cancelledAt: null, usesConsumed: 1 });
    expect(outcome).toMatchObject({
      decision: { status: 'consumed', ticket: { usesConsumed: 2 } },
    });
  });

  test('an account that scans is a gate of its own, and no key', async () => {
    await using gate = await TestStore.open(engine);
    const [{ id: organisationId = '' } = {}] = await gate.store.list('organisation');
    const scanner = { id: 'acc_0123456789', organisationId, name: 'Ada', createdAt: 5 };
    const add = () =>
      gate.store.write({
        records: [{ kind: 'scanner', before: null, after: scanner }],
        audit: [AN_AUDIT_ENTRY],
      });
    const entries = (await gate.store.readAuditLog({ limit: 99 })).length;
    const added = await Promise.allSettled([add(), add()]);
    expect(added.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(add()).rejects.toMatchObject({ reason: 'changed_meanwhile' });
    expect(await gate.store.list('scanner')).toEqual([scanner]);
    expect(await gate.store.readAuditLog({ limit: 99 })).toHaveLength(entries + 1);
    expect((await gate.store.list('key')).map(({ id }) => id)).toEqual([gate.keyId]);
    expect(await gate.store.findKeyByHash(hashApiKey(scanner.id))).toBeUndefined();
    const unknown = { ...scanner, id: 'acc_other', organisationId: 'org_none' };
    await expect(
      gate.store.write({
        records: [{ kind: 'scanner', before: null, after: unknown }],
        audit: [AN_AUDIT_ENTRY],
      }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    for (const name of ['second', 'third']) {
      await gate.administration.createKey({ name, type: 'api', events: 'all' });
    }

    const ticket = await gate.mint();
    const retry = { name: 'client a', bodyHash: 'b', expiresAt: gate.clock.now() + 1000 };
    const request = gate.request(ticket.id, { keyId: scanner.id, retry });
    expect(await gate.scan({ ...request, events: ['zzzzzz'], retry: null })).toMatchObject([
      { decision: { reason: 'event_not_allowed' } },
    ]);
    for (let times = 0; times < 2; times += 1) {
      expect(await gate.scan({ ...request, events: [gate.eventId] })).toMatchObject([
        { decision: { status: 'consumed' } },
      ]);
    }
    const log = await gate.store.readLog({ limit: 9 });
    expect(log.map(({ keyId, replayed }) => [keyId, replayed])).toEqual([
      [scanner.id, false],
      [scanner.id, false],
      [scanner.id, true],
    ]);
    const found = await gate.store.searchLog({
      keyId: scanner.id,
      organisationId,
      limit: 9,
      searchMax: 9,
    });
    expect(found.entries).toHaveLength(3);
    const look = { ...request, retry: null, operation: 'validate', events: 'all' } as const;
    expect(await gate.scan(look)).toMatchObject([{ decision: { status: 'exhausted' } }]);
    expect((await gate.store.verify()).problems).toEqual([]);
  });

  test('a search for tickets looks at a bounded number and says where to go on', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.administration.createEvent('Other');
    const made: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const eventId = index % 3 === 0 ? other.id : gate.eventId;
      made.push((await gate.mint({ eventId, lastName: index === 10 ? 'Needle' : 'Hay' })).id);
    }
    const everything = { eventIds: [gate.eventId, other.id], limit: 100 };

    const short = await gate.store.searchTickets({ ...everything, search: 'needle', searchMax: 5 });
    expect(short.tickets).toEqual([]);
    // No ticket's id: the one at that place may be another organisation's.
    expect(short.next).toMatch(/^#\d+$/);
    const full = await gate.store.searchTickets({ ...everything, limit: 4, searchMax: 100 });
    expect(full.tickets.map(({ id }) => id)).toEqual(made.slice(0, 4));
    const rest = await gate.store.searchTickets({
      ...everything,
      searchMax: 100,
      afterId: full.next ?? '',
    });
    expect(rest.tickets.map(({ id }) => id)).toEqual(made.slice(4));
    expect(rest.next).toBeNull();

    const found: string[] = [];
    let next: string | null = null;
    do {
      const page = await gate.store.searchTickets({
        eventIds: [other.id],
        limit: 2,
        searchMax: 5,
        ...(next !== null && { afterId: next }),
      });
      found.push(...page.tickets.map(({ id }) => id));
      next = page.next;
    } while (next !== null);
    expect(found).toEqual(made.filter((_, index) => index % 3 === 0));
    expect(await gate.store.searchTickets({ eventIds: [], limit: 9, searchMax: 100 })).toEqual({
      tickets: [],
      next: null,
    });
    expect(await gate.store.countTickets(other.id)).toBe(4);
    expect(await gate.store.countTickets()).toBe(12);
  });
});
