import { describe, expect, test } from 'vitest';
import { check, explore, replay } from '../../../src/check/index.ts';
import { startServer } from '../reference/server.ts';
import { minterOf } from './minter.ts';
import { HISTORY_TWINS } from './twins/index.ts';
import type { HistoryTwin } from './twins/twin.ts';

const FAST = { rate: 1e6, burst: 1e6 };
const SEEDS = [1, 2, 3];
const STEPS_MAX = 6;
/** They mostly wait: for pauses, for each other, for a connection. */
const AT_ONCE = 8;
/** Of all twins. */
const FOUND_SHARE = 0.95;
/** The other twins get new tickets for each try. */
const OWN_TICKETS_EVERY = 6;
const REPLAYS_MAX = 3;
const notReplayed: string[] = [];

test('there are at least 60 twins with faults of history, each with a name of its own', () => {
  const names = HISTORY_TWINS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

describe('what only a history shows', { timeout: 1_200_000 }, () => {
  test(`is found by explore, in a few steps, or by the fixed cases for at least ${FOUND_SHARE * 100} % of the twins`, async () => {
    const missed: string[] = [];
    const { alone = [], beside = [] } = Object.groupBy(HISTORY_TWINS, ({ isAlone }) =>
      isAlone ? 'alone' : 'beside',
    );
    const work = async (queue: Iterable<HistoryTwin>) => {
      for (const twin of queue) {
        if (!(await isFoundByExplore(twin)) && !(await isFoundByCases(twin)))
          missed.push(twin.name);
      }
    };
    await work(alone);
    const queue = beside.values();
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(queue)));
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(
      HISTORY_TWINS.length * (1 - FOUND_SHARE),
    );
  });

  test('comes back when it is replayed', () => {
    expect(notReplayed).toEqual([]);
  });
});

/** With one of the seeds, and so short that each of its few steps is needed. */
async function isFoundByExplore(twin: HistoryTwin): Promise<boolean> {
  for (const seed of SEEDS) if (await isFoundAndShrunk(twin, seed)) return true;
  return false;
}

/** What explore saves must be FAILED at once on the server that showed it: on new tickets, or on the target's own. */
async function isFoundAndShrunk(twin: HistoryTwin, seed: number): Promise<boolean> {
  const server = await startServer(twin.make());
  try {
    const { baseUrl, target, world } = server;
    const mint =
      HISTORY_TWINS.indexOf(twin) % OWN_TICKETS_EVERY === 0 ? undefined : minterOf(world);
    const options = { baseUrl, target, consume: true, limits: FAST, mint };
    const { failure } = await explore({ ...options, seed });
    if (!failure || failure.shrunk === 'not again') return false;
    const verdict = await verdictOfReplay({ ...options, history: failure.history });
    const isUsedUp = verdict === 'lacks-tickets' && mint === undefined;
    if (verdict !== 'failed' && !isUsedUp) {
      notReplayed.push(`${twin.name}: ${verdict}, ${failure.story.join(' / ')}`);
    }
    return failure.shrunk === 'fully' && failure.steps <= STEPS_MAX;
  } finally {
    await server.close();
  }
}

/** A busy machine shifts the moments of a history, so that a replay cannot tell: it gets more tries. */
async function verdictOfReplay(options: Parameters<typeof replay>[0]) {
  for (let tries = REPLAYS_MAX; ; tries--) {
    const { verdict } = await replay(options);
    if (verdict !== 'cannot-tell' || tries === 1) return verdict;
  }
}

async function isFoundByCases(twin: HistoryTwin): Promise<boolean> {
  const server = await startServer(twin.make());
  try {
    const { baseUrl, target } = server;
    const { verdict } = await check({ baseUrl, target, consume: true, maxRate: 5000 });
    return verdict === 'deviates';
  } finally {
    await server.close();
  }
}
