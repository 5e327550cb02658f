import { describe, expect, test } from 'vitest';
import { check, type ExploreResult, explore } from '../../../src/check/index.ts';
import { startServer } from '../reference/server.ts';
import { minterOf } from './minter.ts';
import { HISTORY_TWINS } from './twins/index.ts';
import type { HistoryTwin } from './twins/twin.ts';

const FAST = { rate: 1e6, burst: 1e6 };
const SEEDS = [1, 2];
const STEPS_MAX = 6;
/** They mostly wait: for pauses, for each other, for a connection. */
const AT_ONCE = 6;
/** Of all twins. */
const FOUND_SHARE = 0.95;

test('there are at least 60 twins with faults of history, each with a name of its own', () => {
  const names = HISTORY_TWINS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

describe('explore finds what only a history shows', { timeout: 1_200_000 }, () => {
  test(`at least ${FOUND_SHARE * 100} % of the twins, each in at most ${STEPS_MAX} steps`, async () => {
    const missed: string[] = [];
    const queue = HISTORY_TWINS.values();
    const worker = async () => {
      for (const twin of queue) if (!(await isCaught(twin))) missed.push(twin.name);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(
      HISTORY_TWINS.length * (1 - FOUND_SHARE),
    );
  });
});

/** By explore with one of the seeds, in few steps; or by the fixed cases, which need no shrinking. */
async function isCaught(twin: HistoryTwin): Promise<boolean> {
  for (const seed of SEEDS) {
    const { failure } = await exploration(twin, seed);
    if (failure && failure.steps <= STEPS_MAX && failure.shrunk !== 'not again') return true;
  }
  return isCaughtByCases(twin);
}

async function exploration(twin: HistoryTwin, seed: number): Promise<ExploreResult> {
  const server = await startServer(twin.make());
  try {
    const { baseUrl, target, world } = server;
    const mint = minterOf(world);
    return await explore({ baseUrl, target, consume: true, limits: FAST, mint, seed });
  } finally {
    await server.close();
  }
}

async function isCaughtByCases(twin: HistoryTwin): Promise<boolean> {
  const server = await startServer(twin.make());
  try {
    const { baseUrl, target } = server;
    const { verdict } = await check({ baseUrl, target, consume: true, maxRate: 5000 });
    return verdict === 'deviates';
  } finally {
    await server.close();
  }
}
