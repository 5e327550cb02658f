import { beforeAll, describe, expect, test } from 'vitest';
import { check, explore, replay } from '../../../src/check/index.ts';
import { startServer } from '../reference/server.ts';
import { minterOf } from './minter.ts';
import { HISTORY_TWINS } from './twins/index.ts';
import type { HistoryTwin } from './twins/twin.ts';

const FAST = { rate: 1e6, burst: 1e6 };
const SEEDS = [1, 2];
const STEPS_MAX = 6;
/** They mostly wait: for pauses, for each other, for a connection. */
const AT_ONCE = 4;
/** Of all twins: what is found by one or the other, and what each finds by itself. */
const SHARE = 0.95;
const SHARE_OF_EXPLORE = 0.9;
const SHARE_OF_CASES = 0.8;
/** The other twins get new tickets for each try. */
const OWN_TICKETS_EVERY = 6;
const notReplayed: string[] = [];

test('there are at least 60 twins with faults of history, each with a name of its own', () => {
  const names = HISTORY_TWINS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

interface Found {
  readonly byCases: boolean;
  readonly byExplore: boolean;
}

describe('what only a history shows', { timeout: 1_200_000 }, () => {
  const found = new Map<string, Found>();
  const missing = (isFound: (one: Found) => boolean) =>
    [...found].filter(([, one]) => !isFound(one)).map(([name]) => name);

  beforeAll(async () => {
    const queue = HISTORY_TWINS.values();
    const worker = async () => {
      for (const twin of queue)
        found.set(twin.name, {
          byCases: await isFoundByCases(twin),
          byExplore: await isFoundByExplore(twin),
        });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }, 1_200_000);

  test.each([
    [
      'by the fixed cases or by explore',
      SHARE,
      ({ byCases, byExplore }: Found) => byCases || byExplore,
    ],
    ['by explore', SHARE_OF_EXPLORE, ({ byExplore }: Found) => byExplore],
    ['by the fixed cases', SHARE_OF_CASES, ({ byCases }: Found) => byCases],
  ])(`is found %s in at least %d of all twins`, (_, share, isFound) => {
    expect(found.size).toBe(HISTORY_TWINS.length);
    const missed = missing(isFound);
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(found.size * (1 - share));
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
    const { verdict } = await replay({ ...options, history: failure.history });
    const isUsedUp = verdict === 'lacks-tickets' && mint === undefined;
    if (verdict !== 'failed' && !isUsedUp) {
      notReplayed.push(`${twin.name}: ${verdict}, ${failure.story.join(' / ')}`);
    }
    return failure.shrunk === 'fully' && failure.steps <= STEPS_MAX;
  } finally {
    await server.close();
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
