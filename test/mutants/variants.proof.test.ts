import { describe, expect, test } from 'vitest';
import { check, exitCodeOf, explore } from '../../src/check/index.ts';
import { KEY_CHANGE_CASES } from '../../src/check/sections/3.1-key-changes.ts';
import { Random } from '../../src/kit/random.ts';
import { checkServer, eachOf } from './found.ts';
import { type Losses, lossyLine, slowLine } from './lines.ts';
import { minterOf } from './reference/minter.ts';
import { startServer } from './reference/server.ts';
import { VARIANTS, type Variant } from './variants.ts';

const FAST = { rate: 1e6, burst: 1e6 };
/** Enough for each kind of request many times; slow servers get fewer. */
const BUDGET = 200;
const BUDGET_OF_SLOW = 20;

const LOSSES: Readonly<Record<string, Omit<Losses, 'random'>>> = {
  'drops 1 request in 40': { dropped: 40 },
  'drops 1 request in 10': { dropped: 10 },
  'cuts 1 answer in 10': { cut: 10 },
};
const LOSSY = Object.entries(LOSSES).flatMap(([name, losses]) =>
  [1, 2, 3].map((seed) => ({ name, losses, seed })),
);

// All wait for most of their time, so they begin at once, the longest first.
const overSlowLine = eachOf(['takes 200 ms'], () =>
  overLine((baseUrl) => slowLine(baseUrl, () => 100)),
);
const overLossyLine = eachOf(
  LOSSY,
  ({ losses, seed }) => {
    const random = new Random(seed);
    return overLine((baseUrl) => lossyLine(baseUrl, { ...losses, random: () => random.next() }));
  },
  2,
);
const checks = eachOf(VARIANTS, (variant) => {
  const { concurrency } = variant;
  return checkServer(variant, ({ keyHooks }) => ({
    concurrency,
    ...(variant.keyHooks !== false && { keyHooks }),
  }));
});
const explorations = eachOf(VARIANTS, explored);

async function overLine(lineTo: (baseUrl: string) => ReturnType<typeof slowLine>) {
  const { baseUrl, target, close } = await startServer();
  const line = await lineTo(baseUrl);
  try {
    return await check({ baseUrl: line.baseUrl, target, consume: true, maxRate: 5000 });
  } finally {
    line.close();
    await close();
  }
}

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

describe('no false alarm for a server with', { timeout: 180_000 }, () => {
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

describe('a right server is accused of nothing over a line that', { timeout: 180_000 }, () => {
  test.each(LOSSY)('$name (seed $seed)', async (one) => {
    const result = await overLossyLine.get(one);
    expect(result).toMatchObject({ findings: [], verdict: 'incomplete' });
    expect(result?.totals.unanswered).toBeGreaterThan(0);
    expect(result && [exitCodeOf(result), exitCodeOf(result, ['unanswered'])]).toEqual([3, 1]);
  });

  test('takes 200 ms', async () => {
    const result = await overSlowLine.get('takes 200 ms');
    expect(result).toMatchObject({ findings: [], verdict: 'conforms' });
  });
});
