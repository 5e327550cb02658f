import { describe, expect, test } from 'vitest';
import { explore } from '../../src/check/index.ts';
import { KEY_CHANGE_CASES } from '../../src/check/sections/3.1-key-changes.ts';
import { isWhole } from '../support/whole.ts';
import { checkServer, eachOf, LONG_CASES } from './found.ts';
import { checkOver, slowLine } from './lines.ts';
import { minterOf } from './reference/minter.ts';
import { startServer } from './reference/server.ts';
import { VARIANTS, type Variant } from './variants.ts';

const FAST = { rate: 1e6, burst: 1e6 };
/** Enough for each kind of request many times; slow servers get fewer. */
const BUDGET = 200;
const BUDGET_OF_SLOW = 20;
/** The long cases are half of the requests of a check, and ask nothing that the others do not ask of a variant. */
const LONG_CASES_EVERY = 8;

// All wait for most of their time, so they begin at once, the longest first.
const overSlowLine = eachOf(['takes 200 ms'], () =>
  checkOver((baseUrl) => slowLine(baseUrl, () => 100)),
);
const checks = eachOf(VARIANTS, (variant) => {
  const { concurrency } = variant;
  const hasLongCases = isWhole() || VARIANTS.indexOf(variant) % LONG_CASES_EVERY === 0;
  return checkServer(variant, ({ keyHooks }) => ({
    concurrency,
    skip: hasLongCases ? [] : LONG_CASES,
    ...(variant.keyHooks !== false && { keyHooks }),
  }));
});
const explorations = eachOf(VARIANTS, explored);

async function explored(variant: Variant) {
  const { baseUrl, target, world, close } = await startServer(variant);
  const budget = variant.name.startsWith('slow') ? BUDGET_OF_SLOW : BUDGET;
  const seed = VARIANTS.indexOf(variant);
  try {
    const options = { baseUrl, target, consume: true, limits: FAST, mint: minterOf(world) };
    return await explore({ ...options, seed, budget });
  } finally {
    await close();
  }
}

test('at least 25 variants keep the specification to the letter of its samples', () => {
  expect(VARIANTS.filter(({ warns }) => warns === undefined).length).toBeGreaterThanOrEqual(25);
});

describe('no false alarm for a server with', () => {
  test.each(VARIANTS)('$name', async (variant) => {
    const { cases = [] } = (await checks.get(variant)) ?? {};
    const idsOf = (outcome: string) =>
      cases.filter((one) => one.outcome === outcome).map(({ id }) => id);
    expect(cases.length).toBeGreaterThan(120);
    const isChange = (id: string) => KEY_CHANGE_CASES.some((one) => one.id === id);
    const skipped = idsOf('skipped').filter((id) => variant.keyHooks !== false || !isChange(id));
    expect([...idsOf('failed'), ...skipped]).toEqual([]);
    expect(idsOf('warned').toSorted()).toEqual([...(variant.warns ?? [])].toSorted());
  });

  test.each(VARIANTS)('$name, explored', async (variant) => {
    expect((await explorations.get(variant))?.failure).toBe(null);
  });
});

test('a right server is accused of nothing over a line that takes 200 ms', async () => {
  const result = await overSlowLine.get('takes 200 ms');
  expect(result).toMatchObject({ findings: [], verdict: 'conforms' });
});
