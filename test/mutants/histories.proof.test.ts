import { describe, expect, test } from 'vitest';
import { explore, replay } from '../../src/check/index.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { HISTORY_FAULTS } from './faults/index.ts';
import { checkServer, eachOf } from './found.ts';
import { minterOf } from './reference/minter.ts';
import { startServer } from './reference/server.ts';

const FAST = { rate: 1e6, burst: 1e6 };
const SEEDS = [1, 2, 3];
const STEPS_MAX = 6;
/** Of all faults. */
const FOUND_SHARE = 0.95;
/** The other servers get new tickets for each try. */
const OWN_TICKETS_EVERY = 6;
const REPLAYS_MAX = 3;
const notReplayed: string[] = [];

test('there are at least 60 faults of history, each with a name of its own', () => {
  const names = HISTORY_FAULTS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

describe('what only a history shows', { timeout: 1_200_000 }, () => {
  test(`is found by explore, in a few steps, or by the fixed cases for at least ${FOUND_SHARE * 100} % of the faults`, async () => {
    const isFound = async (one: FaultyServer) =>
      (await isFoundByExplore(one)) || (await isFoundByCases(one));
    const missed: string[] = [];
    for (const alone of [true, false]) {
      const part = HISTORY_FAULTS.filter(({ isAlone = false }) => isAlone === alone);
      for (const [{ name }, result] of eachOf(part, isFound))
        if (!(await result)) missed.push(name);
    }
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(
      HISTORY_FAULTS.length * (1 - FOUND_SHARE),
    );
  });

  test('comes back when it is replayed', () => {
    expect(notReplayed).toEqual([]);
  });
});

/** With one of the seeds, and so short that each of its few steps is needed. */
async function isFoundByExplore(faulty: FaultyServer): Promise<boolean> {
  for (const seed of SEEDS) if (await isFoundAndShrunk(faulty, seed)) return true;
  return false;
}

/** What explore saves must be FAILED at once on the server that showed it: on new tickets, or on the target's own. */
async function isFoundAndShrunk(faulty: FaultyServer, seed: number): Promise<boolean> {
  const { baseUrl, target, world, close } = await startServer(faulty);
  try {
    const hasOwnTickets = HISTORY_FAULTS.indexOf(faulty) % OWN_TICKETS_EVERY === 0;
    const mint = hasOwnTickets ? undefined : minterOf(world);
    const options = { baseUrl, target, consume: true, limits: FAST, mint };
    const { failure } = await explore({ ...options, seed });
    if (!failure || failure.shrunk === 'not again') return false;
    const verdict = await verdictOfReplay({ ...options, history: failure.history });
    const isUsedUp = verdict === 'lacks-tickets' && hasOwnTickets;
    if (verdict !== 'failed' && !isUsedUp)
      notReplayed.push(`${faulty.name}: ${verdict}, ${failure.story.join(' / ')}`);
    return failure.shrunk === 'fully' && failure.steps <= STEPS_MAX;
  } finally {
    await close();
  }
}

/** A busy machine shifts the moments of a history, so that a replay cannot tell: it gets more tries. */
async function verdictOfReplay(options: Parameters<typeof replay>[0]) {
  for (let tries = REPLAYS_MAX; ; tries--) {
    const { verdict } = await replay(options);
    if (verdict !== 'cannot-tell' || tries === 1) return verdict;
  }
}

const isFoundByCases = async (faulty: FaultyServer) =>
  (await checkServer(faulty, () => ({}))).verdict === 'deviates';
