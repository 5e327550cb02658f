import { describe, expect, test } from 'vitest';
import { KEY_CHANGE_CASES } from '../../src/check/sections/3.1-key-changes.ts';
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
      expect(cases.length).toBeGreaterThan(120);
      const isChange = (id: string) => KEY_CHANGE_CASES.some((one) => one.id === id);
      const skipped = idsOf('skipped').filter((id) => variant.keyHooks !== false || !isChange(id));
      expect([...idsOf('failed'), ...skipped]).toEqual([]);
      expect(idsOf('warned').toSorted()).toEqual([...(variant.warns ?? [])].toSorted());
    });
  }
});
