import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Accounts } from '../../src/features/accounts/accounts.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import type { Store } from '../../src/stores/store.ts';
import { CHEAP_PASSWORDS } from '../support/service.ts';
import { ENGINES, SHARED_ENGINES, TestStore } from '../support/stores.ts';

const WRITERS = 40;
const bound = { member: 'owner', countMax: 5, refusal: 'There are five already.' };

/** Everybody writes at once, each a document of its own; returns how many were let in. */
async function writeAtOnce(stores: readonly Store[]): Promise<number> {
  const settled = await Promise.allSettled(
    Array.from({ length: WRITERS }, (_, index) =>
      stores[index % stores.length]!.write({
        documents: [
          { kind: 'access-token', id: `t${index}`, revision: 0, value: { owner: 'ada' } },
        ],
        bounds: [bound],
        audit: [],
      }),
    ),
  );
  for (const one of settled) {
    if (one.status === 'fulfilled') continue;
    expect(one.reason).toMatchObject({ code: 'limit_reached', message: bound.refusal });
  }
  return settled.filter(({ status }) => status === 'fulfilled').length;
}

function accountsOn({ clock }: TestStore, store: Store): Accounts {
  const passwords = new Passwords(CHEAP_PASSWORDS);
  return new Accounts({ store, clock, random: randomBytes, passwords }, COMMAND_LINE);
}

describe.each(ENGINES)('%s', (engine) => {
  test('documents that are written at the same time do not pass their bound', async () => {
    await using gate = await TestStore.open(engine);

    expect(await writeAtOnce([gate.store])).toBe(5);
    expect(await gate.store.list('access-token')).toHaveLength(5);
  });

  test('a bound counts the documents with the same text only, and not the written one itself', async () => {
    await using gate = await TestStore.open(engine);
    const write = (id: string, owner: string | null, revision = 0) =>
      gate.store.write({
        documents: [{ kind: 'account', id, revision, value: { owner } }],
        bounds: [{ ...bound, countMax: 1 }],
        audit: [],
      });

    await write('a', 'ada');
    await write('b', 'bob');
    await write('n', null);
    await write('a', 'ada', 1);
    await expect(write('c', 'ada')).rejects.toMatchObject({ code: 'limit_reached' });
    await expect(write('m', null)).rejects.toMatchObject({ code: 'limit_reached' });
    expect(await gate.store.list('account')).toHaveLength(3);
    expect(await gate.store.readAuditLog({ limit: 10 })).not.toContainEqual(
      expect.objectContaining({ subject: 'c' }),
    );
  });
});

describe.each(SHARED_ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('documents that both write at the same time do not pass their bound', async () => {
    await using gate = await TestStore.open(engine);

    expect(await writeAtOnce([gate.store, await gate.another()])).toBe(5);
    expect(await gate.store.list('access-token')).toHaveLength(5);
  });

  test('an organisation gets no more accounts than it may have, however many are made at once', async () => {
    await using gate = await TestStore.open(engine);
    const { id: organisationId } = await gate.administration.findOrganisation(undefined);
    const both = [accountsOn(gate, gate.store), accountsOn(gate, await gate.another())];
    const make = (name: string, index: number) =>
      both[index % 2]!.create({
        name,
        role: 'viewer',
        organisationId,
        password: 'correct horse battery',
      });
    for (let index = 0; index < 199; index += 1) await make(`person ${index}`, index);

    const made = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => make(`late ${index}`, index)),
    );

    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await both[0]!.list(organisationId)).toHaveLength(200);
  });

  test('of one name that is chosen several times at once, in several spellings, one is given', async () => {
    await using gate = await TestStore.open(engine);
    const both = [accountsOn(gate, gate.store), accountsOn(gate, await gate.another())];
    const names = ['owner', 'Owner', 'OWNER', 'ｏｗｎｅｒ', 'oWNER'];
    const { administration } = gate;
    const organisations = await Promise.all(
      names.map((_, index) => administration.createOrganisation(`Pool ${index}`)),
    );

    const made = await Promise.allSettled(
      names.map((name, index) =>
        both[index % 2]!.create({
          name,
          role: 'viewer',
          organisationId: organisations[index]!.id,
          password: 'correct horse battery',
        }),
      ),
    );

    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of made) {
      if (one.status === 'rejected') {
        expect(one.reason.message).toContain('taken or reserved');
      }
    }
  });
});
