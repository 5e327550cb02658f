import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { tokenExpiryWatch } from '../../src/features/accounts/access-tokens.ts';
import { monthsOfKeys, monthWatch } from '../../src/features/keys/key-watches.ts';
import { TestStore } from '../support/stores.ts';

test('a key is warned of at 80 and at 95 percent, once in a month', async () => {
  await using gate = await TestStore.open('memory');
  const { id: organisation } = await gate.administration.organisations.find(undefined);
  const limits = { ...DEFAULT_LIMITS, quotaPerMonth: 20 };
  const { store } = gate;
  await gate.administration.organisations.edit(organisation, { limits: limits });
  const { id } = await gate.mint({ kind: 'permanent' });
  const said: string[] = [];
  const watch = monthWatch(store, gate.clock, (facts, message) => {
    said.push(`${JSON.stringify(facts)} ${message}`);
  });
  const after = async (scans: number) => {
    for (let scan = 0; scan < scans; scan += 1) await gate.scan(gate.request(id));
    await watch();
    await watch();
    return said.splice(0).map((line) => /\d+ %/.exec(line)?.[0]);
  };

  expect(await after(15)).toEqual([]);
  expect(await after(1)).toEqual(['80 %']);
  expect(await after(2)).toEqual([]);
  expect(await after(1)).toEqual(['95 %']);
  expect(await after(5)).toEqual([]);
  gate.clock.advance(31 * 24 * 60 * 60_000);
  expect(await after(16)).toEqual(['80 %']);
});

test('only a neighbour of the sample is left out, whatever an organisation is called', async () => {
  await using gate = await TestStore.open('memory');
  const { administration, store, clock } = gate;
  const limits = DEFAULT_LIMITS;
  const flags = { sampleNeighbour: true } as const;
  await administration.organisations.create('Lido', limits, flags);
  await administration.organisations.create('Sample neighbour');
  for (const organisation of ['Lido', 'Sample neighbour']) {
    const key = { name: organisation, type: 'api', events: 'all', organisation } as const;
    await administration.keys.create(key);
  }
  const watched = (await monthsOfKeys(store, clock.now())).map(({ key }) => key.name);
  expect(watched).toContain('Sample neighbour');
  expect(watched).not.toContain('Lido');
});

test('an access token is warned of in the fourteen days before its end, once a day, and not after it', async () => {
  await using gate = await TestStore.open('memory');
  const DAY_MS = 86_400_000;
  const token = {
    id: 'pat_nightly',
    accountName: 'ada',
    accountId: 'acc_ada',
    passwordSalt: 'salt',
    name: 'nightly',
    role: 'owner',
    createdAt: gate.clock.now(),
    expiresAt: gate.clock.now() + 90 * DAY_MS,
  };
  await gate.store.write({
    administrative: [{ kind: 'access-token', id: 'hash', revision: 0, value: token }],
    audit: [],
  });
  const said: string[] = [];
  const watch = tokenExpiryWatch(gate.store, gate.clock, (facts, message) => {
    said.push(`${JSON.stringify(facts)} ${message}`);
  });
  const onDay = async (days: number) => {
    gate.clock.advance(days * DAY_MS);
    await watch();
    await watch();
    return said.splice(0);
  };

  expect(await onDay(75)).toEqual([]);
  expect(await onDay(1)).toEqual([
    `{"accessToken":"pat_nightly","expiresAt":"${new Date(token.expiresAt).toISOString()}"} an access token expires soon; scripts with it are then refused`,
  ]);
  expect(await onDay(1)).toHaveLength(1);
  expect(await onDay(13)).toEqual([]);
});
