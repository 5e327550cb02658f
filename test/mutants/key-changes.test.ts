import { describe, expect, test } from 'vitest';
import { type CheckOptions, check, type Endpoint } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from './reference/server.ts';
import { KEY_CHANGE_TWINS } from './twins/3.1-key-changes.ts';

const CASES = ['3.1/*-at-once', '3.1/renamed-*', '3.1/narrower-*'];

async function checkChanges(options: ServerOptions, more: CheckOptions = {}) {
  const server = await startServer(options);
  const { baseUrl, target, keyHooks } = server;
  try {
    const how = { consume: true, maxRate: 5000, only: CASES, keyHooks, ...more };
    return await check({ baseUrl, target, ...how });
  } finally {
    await server.close();
  }
}

test('the reference server lets every change take effect at once, and its keys are put back', async () => {
  const server = await startServer();
  const { baseUrl, target, keyHooks, world } = server;
  const kept = { ...keyHooks, 'delete-key': async () => undefined };
  const only = CASES;
  const skip = ['3.1/deleted-at-once'];
  const result = await check({
    baseUrl,
    target,
    consume: true,
    maxRate: 5000,
    only,
    skip,
    keyHooks: kept,
  });
  await server.close();
  expect(result).toMatchObject({ verdict: 'conforms', totals: { failed: 0, skipped: 0 } });
  expect(result.cases.find(({ id }) => id === '3.1/disabled-at-once')?.endpoints).toHaveLength(5);
  const { spare, hardwareSpare } = target.keys;
  expect([spare, hardwareSpare].map((value) => world.keys.get(value))).toMatchObject([
    { active: true, events: 'all', name: 'Spare' },
    { active: true, events: 'all', name: 'Spare gate' },
  ]);
});

const ENDPOINTS: readonly Endpoint[] = [
  'validate',
  'consume',
  'hw/validate',
  'hw/consume',
  'heartbeat',
];

describe('the checker fails a server that', { timeout: 60_000 }, () => {
  for (const twin of KEY_CHANGE_TWINS) {
    for (const endpoint of ENDPOINTS) {
      const shows = twin.name !== 'deleted-key-heartbeats' || endpoint === 'heartbeat';
      if (!shows || (twin.name === 'scoped-key-ends' && endpoint === 'heartbeat')) continue;
      test(`${twin.fault}, on ${endpoint} only`, async () => {
        const { cases } = await checkChanges({ ...twin, only: endpoint });
        const failed = cases.filter(({ outcome }) => outcome === 'failed');
        expect(failed.length).toBeGreaterThan(0);
        for (const one of failed) expect(one.failedEndpoints, one.id).toEqual([endpoint]);
      });
    }
  }
});
