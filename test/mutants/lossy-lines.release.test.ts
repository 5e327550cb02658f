import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/check/index.ts';
import { Random } from '../../src/kit/random.ts';
import { eachOf } from './found.ts';
import { checkOver, type Losses, lossyLine } from './lines.ts';

const LOSSES: Readonly<Record<string, Omit<Losses, 'random'>>> = {
  'drops 1 request in 40': { dropped: 40 },
  'drops 1 request in 10': { dropped: 10 },
  'cuts 1 answer in 10': { cut: 10 },
};
const LOSSY = Object.entries(LOSSES).flatMap(([name, losses]) =>
  [1, 2, 3].map((seed) => ({ name, losses, seed })),
);

// They wait for most of their time, so more than one runs at once.
const results = eachOf(
  LOSSY,
  ({ losses, seed }) => {
    const random = new Random(seed);
    return checkOver((baseUrl) => lossyLine(baseUrl, { ...losses, random: () => random.next() }));
  },
  2,
);

describe('a right server is accused of nothing over a line that', { timeout: 180_000 }, () => {
  test.each(LOSSY)('$name (seed $seed)', async (one) => {
    const result = await results.get(one);
    expect(result).toMatchObject({ findings: [], verdict: 'incomplete' });
    expect(result?.totals.unanswered).toBeGreaterThan(0);
    expect(result && [exitCodeOf(result), exitCodeOf(result, ['unanswered'])]).toEqual([3, 1]);
  });
});
