import { expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { startServer } from './reference/server.ts';

test('the reference server keeps the specification: every case runs, none fails or warns', async () => {
  const server = await startServer();
  const { baseUrl, target, keyHooks } = server;
  const result = await check({ baseUrl, target, consume: true, maxRate: 2000, keyHooks });
  await server.close();

  const findings = result.cases.filter(({ outcome }) =>
    ['failed', 'warned', 'skipped'].includes(outcome),
  );
  expect(
    findings.map(({ id, outcome, expected, observed, reason }) => ({
      id,
      outcome,
      expected,
      observed,
      reason,
    })),
  ).toEqual([]);
  expect(result.verdict).toBe('conforms');
});

test('the reference server lets every change of a key take effect at once, and its keys are put back', async () => {
  const { baseUrl, target, keyHooks, world, close } = await startServer();
  const result = await check({
    baseUrl,
    target,
    consume: true,
    maxRate: 5000,
    only: ['3.1/*-at-once', '3.1/renamed-*', '3.1/narrower-*'],
    skip: ['3.1/deleted-at-once'],
    keyHooks: { ...keyHooks, 'delete-key': async () => undefined },
  });
  await close();
  expect(result).toMatchObject({ verdict: 'conforms', totals: { failed: 0, skipped: 0 } });
  expect(result.cases.find(({ id }) => id === '3.1/disabled-at-once')?.endpoints).toHaveLength(5);
  const { spare, hardwareSpare } = target.keys;
  expect([spare, hardwareSpare].map((value) => world.keys.get(value))).toMatchObject([
    { active: true, events: 'all', name: 'Spare' },
    { active: true, events: 'all', name: 'Spare gate' },
  ]);
});
