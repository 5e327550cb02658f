import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../../src/check/facts/exchange.ts';
import { drill } from '../../../src/check/rates/drill.ts';
import { findingsOf, LESS, MORE } from '../../../src/check/rates/findings.ts';
import { isLimited } from '../../../src/check/rates/history.ts';
import type { Range } from '../../../src/check/rates/reading.ts';
import { fc } from '../../support/fast-check.ts';
import { VirtualTime } from '../../support/virtual-time.ts';
import {
  cellRate,
  coarseBucket,
  fixedWindow,
  type Limiter,
  over,
  refillsWhole,
  tokenBucket,
} from './simulated.ts';

const LIMITS = { rate: 50, burst: 100 };
type Delay = Parameters<typeof over>[2];

/** A line on one machine. */
const NEAR: Delay = { there: () => 1, back: () => 1.5 };

function compare(range: Range, limit: number): 'less' | 'more' | 'unclear' | 'right' {
  if (MORE.isWrong(range, limit)) return 'more';
  if (LESS.isWrong(range, limit)) return 'less';
  const isUnclear = [LESS, MORE].some((side) => side.isUnclear(range, limit));
  return isUnclear ? 'unclear' : 'right';
}

async function measure(limiter: Limiter, delay = NEAR) {
  const time = new VirtualTime();
  const found = await time.run(drill(LIMITS, over(time, limiter, delay), time));
  const findings = findingsOf(found, LIMITS);
  const sent = found.burst.length + found.rounds.flat().length;
  return {
    ...findings,
    burstIs: compare(findings.burst, LIMITS.burst),
    rateIs: compare(findings.rate, LIMITS.rate),
    sent,
    ms: time.now(),
  };
}

describe('what is wrong is seen:', () => {
  test.each([
    ['42 a second', tokenBucket({ rate: 42 }), 'right', 'less'],
    ['45 a second', tokenBucket({ rate: 45 }), 'right', 'less'],
    ['55 a second', tokenBucket({ rate: 55 }), 'right', 'more'],
    ['64 a second', tokenBucket({ rate: 64 }), 'right', 'more'],
    ['a burst of 80', tokenBucket({ burst: 80 }), 'less', 'right'],
    ['a burst of 90', tokenBucket({ burst: 90 }), 'less', 'right'],
    ['a burst of 110', tokenBucket({ burst: 110 }), 'more', 'right'],
    ['a burst of 115', tokenBucket({ burst: 115 }), 'more', 'right'],
    ['a burst of 129', tokenBucket({ burst: 129 }), 'more', 'right'],
  ] as const)('%s', async (_, limiter, burstIs, rateIs) => {
    expect(await measure(limiter)).toMatchObject({ burstIs, rateIs });
  });

  test.each([
    ['a bucket that is full again after 0.2 s', refillsWhole(200), 'more'],
    ['a bucket that is full again after 0.9 s', refillsWhole(900), 'more'],
    ['a fixed window of 1 s for 50', fixedWindow(1000, 50), 'more'],
    ['a fixed window of 1 s for 100', fixedWindow(1000, 100), 'more'],
    ['a fixed window of 2 s for 100', fixedWindow(2000, 100), 'more'],
  ] as const)('%s', async (name, limiter, rateIs) => {
    const found = await measure(limiter);
    expect(found.rateIs).toBe(rateIs);
    // both ways: nothing comes back between the steps
    if (name.includes('window of 2 s')) expect(found.rate.to).toBeLessThan(46);
  });

  test('refusals that cost tokens', async () => {
    expect((await measure(tokenBucket({ costOfRefusal: 3 }))).rateIs).toBe('less');
  });

  test('no limit at all, after fewer than 300 requests', async () => {
    const found = await measure(() => true);
    expect(found.burstIs).toBe('more');
    expect(found.sent).toBeLessThan(1000);
  });
});

test.each([{ rate: 46.5 }, { rate: 53.5 }, { burst: 93 }, { burst: 107 }])(
  'what is less than 8 %% off is no deviation: %o',
  async (limits) => {
    expect(await measure(tokenBucket(limits))).toMatchObject({ burstIs: 'right', rateIs: 'right' });
  },
);

/** Any line: how long it takes, how much that varies, and a stall now and then. */
const lines = fc.record({
  base: fc.constantFrom(0.2, 1, 5, 20, 80, 250),
  jitter: fc.constantFrom(0, 2, 50, 200),
  stall: fc.constantFrom(0, 0.01, 0.05),
  seed: fc.integer(),
});

function lineOf({ base, jitter, stall, seed }: { [key: string]: number } = {}): Delay {
  let state = (seed ?? 0) >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const leg = () =>
    (base ?? 0) + random() * (jitter ?? 0) + (random() < (stall ?? 0) ? random() * 700 : 0);
  return { there: leg, back: leg };
}

test('no right server deviates, whatever the line does', async () => {
  const servers = { tokenBucket, cellRate, coarseBucket };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(servers) as (keyof typeof servers)[])),
      lines,
      async (name, line) => {
        const { burstIs, rateIs } = await measure(servers[name](), lineOf(line));
        expect(['right', 'unclear']).toContain(burstIs);
        expect(['right', 'unclear']).toContain(rateIs);
      },
    ),
    { numRuns: 40 },
  );
});

test.each([{ rate: 45 }, { rate: 55 }, { burst: 90 }, { burst: 110 }])(
  'a limit that is a tenth off never passes, whatever the line does: %o',
  async (limits) => {
    await fc.assert(
      fc.asyncProperty(lines, async (line) => {
        const { burstIs, rateIs } = await measure(tokenBucket(limits), lineOf(line));
        expect('rate' in limits ? rateIs : burstIs).not.toBe('right');
      }),
      // A stall in a pause fills the bucket of a server that refills faster than the limit.
      { numRuns: 15, examples: [[{ base: 0.2, jitter: 2, stall: 0.05, seed: 24 }]] },
    );
  },
);

test.each([10, 40, 100])('a right server is told to be right on a line of %d ms', async (ms) => {
  const found = await measure(tokenBucket(), { there: () => ms / 2, back: () => ms / 2 });
  expect(found).toMatchObject({ burstIs: 'right', rateIs: 'right' });
});

test('slow answers with a jitter of 50 ms are judged still, and right', async () => {
  const found = await measure(tokenBucket(), lineOf({ base: 1, jitter: 50, seed: 7 }));
  expect(found.rateIs).toBe('right');
});

test('a line on which nothing can be told says so', async () => {
  const slow = { there: () => 400, back: () => 400 };
  expect(await measure(tokenBucket(), slow)).toMatchObject({ rateIs: 'unclear' });
});

test('a drill takes less than 5 s and 500 requests', async () => {
  const { ms, sent } = await measure(tokenBucket());
  expect(ms).toBeLessThan(5000);
  expect(sent).toBeLessThan(500);
});

test('a heartbeat speaks no device format: only its status says that it was limited', () => {
  const answer = { status: 200, headers: {}, body: '', json: { AcsRes: '0' }, cut: false };
  const exchangeAt = (path: string) => ({ request: { path }, answer }) as Exchange;
  expect(isLimited(exchangeAt('/scan/hw/heartbeat'))).toBe(false);
  expect(isLimited(exchangeAt('/scan/hw/consume'))).toBe(true);
});
