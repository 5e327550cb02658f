import { describe, expect, test } from 'vitest';
import {
  casesThatFind,
  checkFaulty,
  eachOf,
  type Faulty,
  FOUND,
  type Found,
  foundIn,
  longCasesBeside,
} from './found.ts';

/** Faults that show by chance: which requests of a race meet differs from run to run. */
const byChance = ({ name }: Faulty) =>
  /race|busy|lost-update|mixed-up|at-once|waiting|at-random/.test(name);

/** `npm run found` runs the long cases on every faulty server; here, on those that fail one, and on each of so many others. */
const WHOLE_OF = 8;

/** One test for each: the first finding names what is wrong, and nothing unrelated fails. */
export function expectFound(all: readonly Faulty[]): void {
  const results = new Map(all.map((one) => [one, Promise.withResolvers<Found>()]));
  void eachOf(all, (one) =>
    checkFaulty(one, all.indexOf(one) % WHOLE_OF === 0 ? [] : longCasesBeside(one.name))
      .then(foundIn)
      .then(results.get(one)?.resolve, results.get(one)?.reject),
  );
  describe('the first finding names what is wrong with a server that', { timeout: 600_000 }, () => {
    for (const faulty of all) {
      test(`${faulty.fault} (${faulty.name})`, async () => {
        const seen = await results.get(faulty)?.promise;
        const known = FOUND[faulty.name];
        expect(known, 'run `npm run found`, and look at the difference').toBeDefined();
        const ids = seen?.findings.map((one) => one.split('@')[0] ?? '') ?? [];
        expect(ids.filter((id) => !casesThatFind(faulty.name).includes(id))).toEqual([]);
        if (byChance(faulty)) expect(ids.length).toBeGreaterThan(0);
        else expect(seen?.findings[0]).toBe(known?.findings[0]);
      });
    }
  });
}
