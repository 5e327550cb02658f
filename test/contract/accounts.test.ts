import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../src/core/api-key.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { Accounts } from '../../src/features/accounts/rules.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import type { Store } from '../../src/stores/store.ts';
import { createRecord } from '../support/records.ts';
import { CHEAP_PASSWORDS } from '../support/service.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const PAIRS = 20;
const RINGS = 5;
const ACCOUNTS_MAX = 200;
const password = 'correct horse battery';

function accountsOn(store: Store, { clock }: TestStore): Accounts {
  const passwords = new Passwords(CHEAP_PASSWORDS);
  return new Accounts({ store, clock, random: randomBytes, passwords }, COMMAND_LINE);
}

const fulfilled = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.filter(({ status }) => status === 'fulfilled').length;

/** Each owner of an organisation is demoted, or deleted, at the same moment by somebody else. */
async function takeAllAway(
  gate: TestStore,
  stores: readonly Store[],
  owners: number,
): Promise<{ done: number; left: number }> {
  const name = randomBytes(4).toString('hex');
  const { id: organisationId } = await gate.administration.organisations.create(name);
  const accounts = accountsOn(gate.store, gate);
  const made = await Promise.all(
    Array.from({ length: owners }, (_, index) =>
      accounts.create({ name: `${name} ${index}`, role: 'owner', organisationId, password }),
    ),
  );
  const acts = made.map(({ id }, index) => {
    const theirs = accountsOn(stores[index % stores.length]!, gate);
    return randomBytes(1)[0]! % 2 === 0
      ? theirs.delete(organisationId, id)
      : theirs.edit(organisationId, id, { role: 'viewer' });
  });
  const settled = await Promise.allSettled(acts);
  for (const one of settled) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
  }
  const left = (await accounts.list(organisationId)).filter(({ role }) => role === 'owner').length;
  return { done: fulfilled(settled), left };
}

describe.each(ENGINES)('%s', (engine) => {
  test('owners who take each other away at once leave one', async () => {
    await using gate = await TestStore.open(engine);
    const stores = [gate.store, await gate.another()];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      expect(await takeAllAway(gate, stores, 2)).toEqual({ done: 1, left: 1 });
    }
    for (let ring = 0; ring < RINGS; ring += 1) {
      const { done, left } = await takeAllAway(gate, stores, 5);
      expect(left).toBeGreaterThan(0);
      expect(done + left).toBe(5);
    }
  });

  test('an account that scans is a gate of its own, and no key', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const [{ id: organisationId = '' } = {}] = await store.list('organisation');
    const scanner = { id: 'acc_0123456789', organisationId, name: 'Ada', createdAt: 5 };
    const entries = (await store.readAuditLog({ limit: 99 })).length;
    const add = () => createRecord(store, 'scanner', scanner);
    expect(fulfilled(await Promise.allSettled([add(), add()]))).toBe(1);
    await expect(add()).rejects.toMatchObject({ reason: 'changed_meanwhile' });
    expect(await store.list('scanner')).toEqual([scanner]);
    expect(await store.readAuditLog({ limit: 99 })).toHaveLength(entries + 1);
    expect((await store.list('key')).map(({ id }) => id)).toEqual([gate.keyId]);
    expect(await store.findKeyByHash(hashApiKey(scanner.id))).toBeUndefined();
    const unknown = { ...scanner, id: 'acc_other', organisationId: 'org_none' };
    const refused = createRecord(store, 'scanner', unknown);
    await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    // It is not one of the three keys that an organisation may have.
    for (const name of ['second', 'third'])
      await gate.administration.keys.create({ name, type: 'api', events: 'all' });

    const { id } = await gate.mint();
    const retry = { name: 'client a', bodyHash: 'b', expiresAt: gate.clock.now() + 1000 };
    const as = { keyId: scanner.id, events: [gate.eventId] };
    expect(await gate.consume(id, { ...as, events: ['zzzzzz'] })).toBe('event_not_allowed');
    for (let times = 0; times < 2; times += 1)
      expect(await gate.consume(id, { ...as, retry })).toBe('consumed');
    expect(await gate.consume(id, { ...as, operation: 'validate', events: 'all' })).toBe(
      'exhausted',
    );
    const log = await store.readLog({ limit: 9 });
    expect(log.map(({ keyId, replayed }) => [keyId, replayed])).toEqual(
      [false, false, true, false].map((replayed) => [scanner.id, replayed]),
    );
    const search = { keyId: scanner.id, organisationId, limit: 9, searchMax: 9 };
    expect((await store.searchLog(search)).entries).toHaveLength(4);
    expect(await gate.problems()).toEqual([]);
  });
});

describe.each(ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('an account that became the only owner since somebody looked is not deleted', async () => {
    await using gate = await TestStore.open(engine);
    const { id: organisationId } = await gate.administration.organisations.find(undefined);
    const there = accountsOn(await gate.another(), gate);
    const ada = await there.create({ name: 'ada', role: 'owner', organisationId, password });
    const bob = await there.create({ name: 'bob', role: 'viewer', organisationId, password });
    const write: Store['write'] = async (change) => {
      await there.edit(organisationId, bob.id, { role: 'owner' });
      await there.edit(organisationId, ada.id, { role: 'viewer' });
      await gate.store.write(change);
    };
    const slow = accountsOn(Object.assign(await gate.another(), { write }), gate);

    await expect(slow.delete(organisationId, bob.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await there.list(organisationId)).toMatchObject([
      { name: 'ada', role: 'viewer' },
      { name: 'bob', role: 'owner' },
    ]);
  });

  test('an organisation gets no more accounts than it may have, and a name is given once, however many ask at once', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const { id: organisationId } = await gate.administration.organisations.find(undefined);
    const both = [accountsOn(store, gate), accountsOn(await gate.another(), gate)];
    const make = (name: string, index: number) =>
      both[index % 2]!.create({ name, role: 'viewer', organisationId, password });
    const names = ['owner', 'Owner', 'OWNER', 'ｏｗｎｅｒ', 'oWNER'];

    const named = await Promise.allSettled(names.map(make));
    expect(fulfilled(named)).toBe(1);
    for (const one of named)
      if (one.status === 'rejected') expect(one.reason.message).toContain('taken or reserved');

    const [account] = await store.list('account');
    const administrative = Array.from({ length: ACCOUNTS_MAX - 2 }, (_, index) => {
      const value = { ...(account?.value as object), id: `acc_${index}`, name: `person ${index}` };
      return { kind: 'account', id: value.name, revision: 0, value } as const;
    });
    await store.write({ administrative, audit: [] });
    const late = ['late 1', 'late 2', 'late 3', 'late 4', 'late 5', 'late 6', 'late 7', 'late 8'];
    expect(fulfilled(await Promise.allSettled(late.map(make)))).toBe(1);
    expect(await both[0]!.list(organisationId)).toHaveLength(ACCOUNTS_MAX);
  });
});
