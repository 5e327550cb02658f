import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { startServer } from './reference/server.ts';
import { TWINS } from './twins/index.ts';

test('there are at least 120 twins, each with a name of its own', () => {
  expect(TWINS.length).toBeGreaterThanOrEqual(120);
  expect(new Set(TWINS.map(({ name }) => name)).size).toBe(TWINS.length);
});

describe.concurrent('the checker fails a server that', () => {
  for (const twin of TWINS) {
    test(`${twin.fault} (${twin.name})`, async ({ expect }) => {
      const server = await startServer(twin);
      const { baseUrl, target } = server;
      const result = await check({
        baseUrl,
        target,
        consume: true,
        maxRate: 5000,
        timeoutMs: 5000,
      });
      await server.close();

      const failed = result.cases.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining([...twin.caughtBy]));
      expect(failed.map(({ section }) => section)).toContain(twin.section);
      expect(result.verdict).toBe('deviates');
    });
  }
});
