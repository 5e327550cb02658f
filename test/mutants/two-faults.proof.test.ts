import { expect, test } from 'vitest';
import { Random } from '../../src/kit/random.ts';
import {
  casesThatFind,
  checkWhole,
  eachOf,
  FAULTY,
  type Faulty,
  FOUND,
  foundIn,
  longCasesBeside,
  todaysPart,
} from './found.ts';
import type { ServerOptions } from './reference/server.ts';

const PAIRS = 200;

/** Whoever repairs that one is left with the other, which is found alone. */
test('of two faults, one at least is the first finding', { timeout: 900_000 }, async () => {
  // what is written differently, or on one endpoint alone, cannot be planted beside another fault
  const pool = FAULTY.filter(
    ({ write, endpoint, name }) => !write && !endpoint && (FOUND[name]?.findings.length ?? 0) > 0,
  );
  const random = new Random(20261124);
  const pick = (): Faulty => random.pick(pool);
  const pairs = Array.from({ length: PAIRS }, () => [pick(), pick()] as const);
  const wrong: string[] = [];
  await eachOf(todaysPart(pairs), async ([one, other]) => {
    const both: ServerOptions = {
      alter(parts, world) {
        const first = { ...parts, ...one.alter?.(parts, world) };
        return { ...first, ...other.alter?.(first, world) };
      },
    };
    const result = await checkWhole(both, longCasesBeside(one.name, other.name));
    const ids = [...casesThatFind(one.name), ...casesThatFind(other.name)];
    const first = foundIn(result).findings[0]?.split('@')[0];
    if (first === undefined || !ids.includes(first))
      wrong.push(`${one.name} + ${other.name}: ${first}`);
  });
  expect(wrong).toEqual([]);
});
