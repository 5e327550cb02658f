import { expect, test } from 'vitest';
import { Random } from '../../src/kit/random.ts';
import { isWhole } from '../support/whole.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { FAULTY } from './faults/index.ts';
import { casesThatFind, checkWhole, eachOf, FOUND, foundIn, longCasesBeside } from './found.ts';
import type { Alteration } from './reference/server.ts';
import { covering, faultsByTheClock } from './selection.ts';

/** In a whole run. */
const PAIRS = 200;

type Pair = readonly [FaultyServer, FaultyServer];

/** After fixing one, run again to see the other: alone it is found. */
test('of two faults, one at least is the first finding', { timeout: 900_000 }, async () => {
  const pairs = isWhole() ? pairsByChance() : pairsOfCovering();
  expect(pairs.length).toBeGreaterThan(30);
  const results = eachOf(pairs, ([one, other]) =>
    checkWhole({ alter: inTurn(one, other) }, longCasesBeside(one.name, other.name)),
  );
  const wrong: string[] = [];
  for (const [[one, other], result] of results) {
    const ids = [...casesThatFind(one.name), ...casesThatFind(other.name)];
    const first = foundIn(await result).findings[0]?.split('@')[0];
    if (first === undefined || !ids.includes(first))
      wrong.push(`${one.name} + ${other.name}: ${first}`);
  }
  expect(wrong).toEqual([]);
});

/**
 * What is written differently, or on one endpoint alone, cannot be planted beside another fault; what errs by the clock is first
 * found by another case on a busy machine.
 */
const canBePaired = (one: FaultyServer): boolean =>
  !one.write &&
  !one.only &&
  (FOUND[one.name]?.findings.length ?? 0) > 0 &&
  !faultsByTheClock().includes(one);

function pairsByChance(): readonly Pair[] {
  const pool = FAULTY.filter(canBePaired);
  const random = new Random(20261124);
  return Array.from({ length: PAIRS }, () => [random.pick(pool), random.pick(pool)]);
}

/** Each case that is ever the first finding of such a server is in a pair with one of another section. */
function pairsOfCovering(): readonly Pair[] {
  const pool = covering().filter(canBePaired);
  const half = Math.ceil(pool.length / 2);
  // The two halves of the list are of different sections: the list is in the order of the files of faults.
  return pool.slice(0, half).map((one, index) => [one, pool[(index + half) % pool.length] ?? one]);
}

/** The second alters what the first has altered. */
const inTurn =
  (one: FaultyServer, other: FaultyServer): Alteration =>
  (parts, world) => {
    const first = { ...parts, ...one.alter?.(parts, world) };
    return { ...first, ...other.alter?.(first, world) };
  };
