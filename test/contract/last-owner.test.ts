import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Accounts } from '../../src/features/accounts/accounts.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import type { Store } from '../../src/stores/store.ts';
import { CHEAP_PASSWORDS } from '../support/service.ts';
import { ENGINES, SHARED_ENGINES, TestStore } from '../support/stores.ts';

const PAIRS = 40;
const password = 'correct horse battery';

function accountsOn(store: Store, { clock }: TestStore): Accounts {
  const passwords = new Passwords(CHEAP_PASSWORDS);
  return new Accounts({ store, clock, random: randomBytes, passwords }, COMMAND_LINE);
}

/** Each owner of an organisation is demoted, or deleted, at the same moment by somebody else. */
async function takeAllAway(
  gate: TestStore,
  stores: readonly Store[],
  owners: number,
): Promise<{ done: number; left: number }> {
  const { administration } = gate;
  const name = randomBytes(4).toString('hex');
  const { id: organisationId } = await administration.createOrganisation(name);
  const names = Array.from({ length: owners }, (_, index) => `${organisationId} ${index}`);
  const accounts = accountsOn(gate.store, gate);
  const made = await Promise.all(
    names.map((one) => accounts.create({ name: one, role: 'owner', organisationId, password })),
  );
  const acts = made.map(({ id }, index) => {
    const theirs = accountsOn(stores[index % stores.length] ?? gate.store, gate);
    return randomBytes(1)[0]! % 2 === 0
      ? theirs.delete(organisationId, id)
      : theirs.edit(organisationId, id, { role: 'viewer' });
  });
  const settled = await Promise.allSettled(acts);
  for (const one of settled) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
  }
  const left = (await accounts.list(organisationId)).filter(({ role }) => role === 'owner').length;
  return { done: settled.filter(({ status }) => status === 'fulfilled').length, left };
}

async function proveOwnersStay(gate: TestStore, stores: readonly Store[]): Promise<void> {
  for (let pair = 0; pair < PAIRS; pair += 1) {
    expect(await takeAllAway(gate, stores, 2)).toEqual({ done: 1, left: 1 });
  }
  for (let ring = 0; ring < 5; ring += 1) {
    const { done, left } = await takeAllAway(gate, stores, 5);
    expect(left).toBeGreaterThan(0);
    expect(done + left).toBe(5);
  }
}

describe.each(ENGINES)('%s', (engine) => {
  test('owners who take each other away at once leave one', async () => {
    await using gate = await TestStore.open(engine);
    await proveOwnersStay(gate, [gate.store]);
  });

  test('what was decided by a document that has changed is not written', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const aDocument = (id: string, revision = 0) =>
      ({ kind: 'account', id, revision, value: id }) as const;
    for (const id of ['ada', 'bob', 'cyd'])
      await store.write({ documents: [aDocument(id)], audit: [] });
    await store.write({ documents: [aDocument('bob', 1)], audit: [] });
    const cases = [
      [aDocument('bob', 1)],
      [aDocument('cyd', 1), aDocument('bob', 3)],
      [aDocument('nobody', 1)],
    ];

    for (const unchanged of cases) {
      const writing = store.write({ documents: [aDocument('ada', 1)], unchanged, audit: [] });
      await expect(writing).rejects.toMatchObject({ code: 'conflict' });
      const deleting = store.write({
        deleted: [{ kind: 'account', id: 'ada' }],
        unchanged,
        audit: [],
      });
      await expect(deleting).rejects.toMatchObject({ code: 'conflict' });
    }

    expect(await store.read('account', 'ada')).toMatchObject({ revision: 1 });
    const unchanged = [aDocument('bob', 2), aDocument('cyd', 1)];
    await store.write({ documents: [aDocument('ada', 1)], unchanged, audit: [] });
    await store.write({
      deleted: [{ kind: 'account', id: 'ada' }],
      unchanged: [aDocument('ada', 2), ...unchanged],
      audit: [],
    });
    expect(await store.read('account', 'ada')).toBeUndefined();
  });
});

describe.each(SHARED_ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('owners who take each other away at once leave one', async () => {
    await using gate = await TestStore.open(engine);
    await proveOwnersStay(gate, [gate.store, await gate.another()]);
  });

  test('an account that became the only owner since somebody looked is not deleted', async () => {
    await using gate = await TestStore.open(engine);
    const { id: organisationId } = await gate.administration.findOrganisation(undefined);
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
});
