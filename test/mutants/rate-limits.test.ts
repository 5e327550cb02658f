import { describe, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { startServer } from './reference/server.ts';
import { RATE_LIMIT_TWINS } from './twins/8-rate-limits.ts';

const RATE_LIMIT_CASES = ['8/*', '7.2/body-of-429'];

describe.concurrent('rate limits', { timeout: 120_000 }, () => {
  test('the reference server keeps them', async ({ expect }) => {
    const server = await startServer({ rateLimits: true });
    const { baseUrl, target } = server;
    const result = await check({ baseUrl, target, rateLimits: true, only: RATE_LIMIT_CASES });
    await server.close();

    const findings = result.cases.filter(
      ({ outcome }) => outcome === 'failed' || outcome === 'skipped',
    );
    expect(findings).toEqual([]);
  });

  for (const twin of RATE_LIMIT_TWINS) {
    test(`the checker fails a server that ${twin.fault} (${twin.name})`, async ({ expect }) => {
      const server = await startServer({ ...twin, rateLimits: true });
      const { baseUrl, target } = server;
      const result = await check({ baseUrl, target, rateLimits: true, only: twin.caughtBy });
      await server.close();

      const failed = result.cases.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ id }) => id)).toEqual([...twin.caughtBy]);
      expect(failed.map(({ section }) => section)).toContain(twin.section);
    });
  }
});
