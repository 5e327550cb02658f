import { describe, expect, test } from 'vitest';
import { checkAll } from './check-all.ts';
import { VARIANTS } from './variants.ts';

test('at least 25 variants keep the specification to the letter of its samples', () => {
  expect(VARIANTS.filter(({ warns }) => warns === undefined).length).toBeGreaterThanOrEqual(25);
});

const results = checkAll(VARIANTS);

describe('no false alarm for a server with', { timeout: 120_000 }, () => {
  for (const variant of VARIANTS) {
    test(variant.name, async () => {
      const { cases = [] } = (await results.get(variant)) ?? {};
      const idsOf = (outcome: string) =>
        cases.filter((one) => one.outcome === outcome).map(({ id }) => id);
      expect(cases.length).toBeGreaterThan(300);
      expect([...idsOf('failed'), ...idsOf('skipped')]).toEqual([]);
      expect(idsOf('warned').toSorted()).toEqual([...(variant.warns ?? [])].toSorted());
    });
  }
});
