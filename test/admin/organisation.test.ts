import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Administration } from '../../src/features/administration.ts';
import { mayRaiseKeys } from '../../src/features/organisations/owners-limits.ts';
import { noteBackup } from '../../src/features/server/operations.ts';
import { DAY_MS } from '../../src/kit/durations.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { TestClock } from '../support/clock.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const KEY = { name: 'Gate', type: 'hardware', events: 'all' } as const;
const OWNER = { accountId: 'acc_ada', by: 'ada' };
const at = sharedService();

test('a part that is refused changes nothing of an organisation, nor of what its tickets look like', async () => {
  const { owner } = at;
  const all = async () => [
    (await owner.get('/organisation')).json,
    (await owner.get('/organisation/sheets')).json,
  ];
  const before = await all();
  const [name, sheets] = ['Neu', { language: 'de' }];
  const noPng = { ...sheets, logo: Buffer.from('no PNG').toString('base64') };
  for (const refused of [
    { name, timeZone: 'Mars/Base' },
    { name, sheets: noPng },
    { timeZone: 'Mars/Base', sheets },
  ])
    expect((await owner.patch('/organisation', refused)).status).toBe(422);
  expect(await all()).toEqual(before);
  expect((await owner.patch('/organisation', { name, sheets })).status).toBe(200);
  expect(await all()).toMatchObject([{ name }, sheets]);
});

test('an owner whose limits the operator has set is told the command of the operator', async () => {
  const { name, keysMaxTo } = (await at.owner.get('/organisation')).json;
  expect(keysMaxTo).toBeNull();
  const refused = await at.owner.patch('/organisation', { keysMax: 20 });
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
    const { id } = await operator.organisations.create('Lido');
    const owner = new Administration(store, clock, randomBytes, OWNER);
    const raise = (keysMax: number) => owner.organisations.edit(id, { limits: { keysMax } });
    return { store, id, operator, owner, raise };
  }

  test('owners raise the number of keys to at most 50, until there is a second one', async () => {
    const { store, id, operator, owner, raise } = await setUp();
    for (let key = 0; key < 3; key += 1) await owner.keys.create(KEY);
    await expect(owner.keys.create(KEY)).rejects.toMatchObject({ reason: 'keys_max_raisable' });
    await expect(raise(51)).rejects.toMatchObject({ code: 'usage', reason: 'owners_keys_max' });
    await expect(owner.organisations.edit(id, { limits: { burst: 9 } })).rejects.toThrow(
      'operator',
    );

    await raise(9);
    expect((await raise(10)).limits.keysMax).toBe(10);
    await owner.keys.create(KEY);
    const entries = await store.readAuditLog({ organisationId: id, limit: 9 });
    const raised = { act: 'organisation.limits', accountId: OWNER.accountId };
    expect(entries).toContainEqual(
      expect.objectContaining({ ...raised, details: { keysMax: 10 } }),
    );

    await operator.organisations.create('Second');
    await expect(raise(20)).rejects.toMatchObject({ reason: 'limits_of_operator' });
    const [lido] = await store.list('organisation');
    expect([lido?.limits.keysMax, await mayRaiseKeys(store, lido!)]).toEqual([10, false]);
  });

  test('not any more when the operator has set them, even to the usual number', async () => {
    const { store, id, operator, owner, raise } = await setUp();
    const [usual] = await store.list('organisation');
    expect(await mayRaiseKeys(store, usual!)).toBe(true);
    await operator.organisations.edit(id, { limits: { keysMax: 3 } });
    // As after the audit log was pruned.
    store.readAuditLog = async () => [];
    expect(await mayRaiseKeys(store, usual!)).toBe(false);
    await expect(raise(9)).rejects.toMatchObject({ reason: 'limits_of_operator' });
    for (let key = 0; key < 3; key += 1) await owner.keys.create(KEY);
    await expect(owner.keys.create(KEY)).rejects.toThrow(
      "ticketscan organisations edit 'Lido' --keys-max N --store URL",
    );
  });
});

test('owners of the only organisation are told of the last backup, and nobody else', async () => {
  await using service = await TestService.start({ store: 'sqlite', ticketsPerState: 0 });
  const backupFor = async (client: AdminClient) => (await client.get('/server')).json.backup;
  const owner = await AdminClient.signedIn(service);
  expect(await backupFor(owner)).toEqual({ at: null, overdue: false });
  for (let index = 0; index < 100; index += 1) await service.mint();
  expect(await backupFor(owner)).toEqual({ at: null, overdue: true });

  const noted = service.clock.nowMs;
  await noteBackup(service.store, noted);
  expect(await backupFor(owner)).toEqual({ at: new Date(noted).toISOString(), overdue: false });
  service.clock.advance(7 * DAY_MS);
  const later = await AdminClient.signedIn(service);
  expect((await backupFor(later)).overdue).toBe(false);
  service.clock.advance(1);
  expect((await backupFor(later)).overdue).toBe(true);

  expect(await backupFor(await AdminClient.signedIn(service, 'operator'))).toBeNull();
  await service.administration.organisations.create('Second');
  expect(await backupFor(later)).toBeNull();
  // A store in memory has none to tell of.
  expect(await backupFor(at.owner)).toBeNull();
});
