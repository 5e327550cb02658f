import { expect, test } from 'vitest';
import { Random } from '../../src/kit/random.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { FAULTY } from './faults/index.ts';
import {
  casesThatFind,
  checkWhole,
  eachOf,
  FOUND,
  foundIn,
  longCasesBeside,
  todaysPart,
} from './found.ts';
import type { Alteration } from './reference/server.ts';

const PAIRS = 200;

/** Whoever repairs that one is left with the other, which is found alone. */
test('of two faults, one at least is the first finding', { timeout: 900_000 }, async () => {
  // what is written differently, or on one endpoint alone, cannot be planted beside another fault
  const pool = FAULTY.filter(
    ({ write, only, name }) => !write && !only && (FOUND[name]?.findings.length ?? 0) > 0,
  );
  const random = new Random(20261124);
  const pairs = Array.from(
    { length: PAIRS },
    () => [random.pick(pool), random.pick(pool)] as const,
  );
  const results = eachOf(todaysPart(pairs), ([one, other]) =>
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

/** The second alters what the first has altered. */
const inTurn =
  (one: FaultyServer, other: FaultyServer): Alteration =>
  (parts, world) => {
    const first = { ...parts, ...one.alter?.(parts, world) };
    return { ...first, ...other.alter?.(first, world) };
  };
