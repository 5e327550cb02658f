import { describe, expect, test } from 'vitest';
import { isWhole } from '../support/whole.ts';
import { EXPLORED, exploredFaults, exploreFaulty, SEEDS } from './explored.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { HISTORY_FAULTS } from './faults/index.ts';
import { checkServer, eachOf } from './found.ts';

/** Of all faults. */
const FOUND_SHARE = 0.95;
const notReplayed: string[] = [];

test('there are at least 60 faults of history, each with a name of its own, and explored', () => {
  const names = HISTORY_FAULTS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(EXPLORED), 'run `npm run found`').toEqual(names);
});

describe('what only a history shows', { timeout: 1_200_000 }, () => {
  test(`is found by explore, in a few steps, or by the fixed cases for at least ${FOUND_SHARE * 100} % of the faults`, async () => {
    const faults = exploredFaults();
    expect(faults.length).toBeGreaterThan(10);
    const isFound = async (one: FaultyServer) =>
      (await isFoundByExplore(one)) || (await isFoundByCases(one));
    const found = await Promise.all(eachOf(faults, isFound).values());
    const missed = faults.filter((_, index) => !found[index]).map(({ name }) => name);
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(faults.length * (1 - FOUND_SHARE));
  });

  test('comes back when it is replayed', () => {
    expect(notReplayed).toEqual([]);
  });
});

/** With the seed that found it before, then with the others. A commit's run does not ask explore for what it never found. */
async function isFoundByExplore(faulty: FaultyServer): Promise<boolean> {
  const { seed } = EXPLORED[faulty.name] ?? { seed: undefined };
  if (seed === null && !isWhole()) return false;
  const first = seed ?? SEEDS[0];
  const inOrder = SEEDS.toSorted((one, other) => Number(other === first) - Number(one === first));
  for (const each of inOrder) {
    const { isFound, notReplayed: reason } = await exploreFaulty(faulty, each);
    if (reason !== undefined) notReplayed.push(reason);
    if (isFound) return true;
  }
  return false;
}

const isFoundByCases = async (faulty: FaultyServer) =>
  (await checkServer(faulty, () => ({}))).verdict === 'deviates';
