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
