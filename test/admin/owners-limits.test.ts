import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Administration } from '../../src/features/keys/administration.ts';
import { mayRaiseKeys } from '../../src/features/organisations/owners-limits.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { TestClock } from '../support/clock.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

const KEY = { name: 'Gate', type: 'hardware', events: 'all' } as const;
const OWNER = { accountId: 'acc_ada', by: 'ada' };

test('a part that is refused changes nothing of an organisation', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const before = (await owner.get('/organisation')).json;
  const { status } = await owner.patch('/organisation', { name: 'Neu', timeZone: 'Mars/Base' });
  expect([status, (await owner.get('/organisation')).json]).toEqual([422, before]);
});

test('a refused part changes nothing of what tickets look like either', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const all = async () => [
    (await owner.get('/organisation')).json,
    (await owner.get('/organisation/sheets')).json,
  ];
  const before = await all();
  const sheets = { language: 'de' };
  const wrong = { ...sheets, logo: Buffer.from('no PNG').toString('base64') };
  expect((await owner.patch('/organisation', { name: 'Neu', sheets: wrong })).status).toBe(422);
  const mars = { timeZone: 'Mars/Base', sheets };
  expect((await owner.patch('/organisation', mars)).status).toBe(422);
  expect(await all()).toEqual(before);
  expect((await owner.patch('/organisation', { name: 'Neu', sheets })).status).toBe(200);
  expect(await all()).toMatchObject([{ name: 'Neu' }, sheets]);
});

test('an owner whose limits the operator has set is told the command of the operator', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const { name, keysMaxTo } = (await owner.get('/organisation')).json;
  expect(keysMaxTo).toBeNull();
  const refused = await owner.patch('/organisation', { keysMax: 20 });
  expect([refused.status, refused.json.code]).toEqual([403, 'limits_of_operator']);
  expect(refused.json.values.command).toBe(
    `ticketscan organisations edit '${name}' --keys-max N --store URL`,
  );
});

describe('of the only organisation, with the usual limits', () => {
  async function setUp() {
    const store = await openStore('memory:');
    const clock = new TestClock();
    const operator = new Administration(store, clock, randomBytes);
    const { id } = await operator.createOrganisation('Lido');
    return { store, id, operator, owner: new Administration(store, clock, randomBytes, OWNER) };
  }

  test('owners raise the number of keys to at most 50, until there is a second one', async () => {
    const { store, id, operator, owner } = await setUp();
    for (let key = 0; key < 3; key += 1) await owner.createKey(KEY);
    await expect(owner.createKey(KEY)).rejects.toMatchObject({ reason: 'keys_max_raisable' });
    const raise = (keysMax: number) => owner.editOrganisation(id, { limits: { keysMax } });
    await expect(raise(51)).rejects.toMatchObject({ code: 'usage', reason: 'owners_keys_max' });
    await expect(owner.editOrganisation(id, { limits: { burst: 9 } })).rejects.toThrow('operator');

    await raise(9);
    expect((await raise(10)).limits.keysMax).toBe(10);
    await owner.createKey(KEY);
    const entries = await store.readAuditLog({ organisationId: id, limit: 9 });
    expect(entries).toContainEqual(
      expect.objectContaining({
        act: 'organisation.limits',
        accountId: OWNER.accountId,
        details: { keysMax: 10 },
      }),
    );

    await operator.createOrganisation('Second');
    await expect(raise(20)).rejects.toMatchObject({ reason: 'limits_of_operator' });
    const [lido] = await store.list('organisation');
    expect([lido?.limits.keysMax, await mayRaiseKeys(store, lido!)]).toEqual([10, false]);
  });

  test('not any more when the operator has set them, even to the usual number', async () => {
    const { store, id, operator, owner } = await setUp();
    const [usual] = await store.list('organisation');
    expect(await mayRaiseKeys(store, usual!)).toBe(true);
    await operator.editOrganisation(id, { limits: { keysMax: 3 } });
    // As after the audit log was pruned.
    store.readAuditLog = async () => [];
    expect(await mayRaiseKeys(store, usual!)).toBe(false);
    const raised = owner.editOrganisation(id, { limits: { keysMax: 9 } });
    await expect(raised).rejects.toMatchObject({ reason: 'limits_of_operator' });
    for (let key = 0; key < 3; key += 1) await owner.createKey(KEY);
    await expect(owner.createKey(KEY)).rejects.toThrow(
      "ticketscan organisations edit 'Lido' --keys-max N --store URL",
    );
  });
});
