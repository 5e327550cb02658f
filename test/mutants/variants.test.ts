import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { startServer } from './reference/server.ts';
import { VARIANTS } from './variants.ts';

test('at least 25 variants keep the specification to the letter of its samples', () => {
  expect(VARIANTS.filter(({ warns }) => warns === undefined).length).toBeGreaterThanOrEqual(25);
});

describe.concurrent('no false alarm for a server with', { timeout: 90_000 }, () => {
  for (const variant of VARIANTS) {
    test(variant.name, async ({ expect }) => {
      const server = await startServer(variant);
      const { baseUrl, target } = server;
      const result = await check({
        baseUrl,
        target,
        consume: true,
        maxRate: 5000,
        concurrency: 40,
      });
      await server.close();

      const findings = result.cases.filter(
        ({ outcome }) => outcome === 'failed' || outcome === 'skipped',
      );
      expect(findings).toEqual([]);
      const warned = result.cases.filter(({ outcome }) => outcome === 'warned').map(({ id }) => id);
      expect(warned.toSorted()).toEqual([...(variant.warns ?? [])].toSorted());
    });
  }
});
