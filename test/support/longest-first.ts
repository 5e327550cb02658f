import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Half a minute and more each, the longest first; those that mostly wait are between those that keep a core busy. */
const LONGEST = [
  'mutants/rate-limits.timed',
  'mutants/histories',
  'mutants/variants',
  'check/limited.timed',
  'mutants/found-in-answers',
  'device-faults/device-faults',
  'mutants/found-in-rules',
  'docs/kept-patches',
  'mutants/two-faults',
  'admin/fair-shares.timed',
  'dashboard/accessibility',
  'install/image',
  'prove/planted-bugs',
  'install/package-on-each-node',
  'install/release',
].map((name) => `/test/${name}.proof.test.ts`);

/** Small files that take seconds: by their size they would come last, and the other workers would have nothing left to do. */
const LONG_FOR_THEIR_SIZE =
  /(?:check[/]unspent|cli[/]device-files|dashboard[/]files|docs[/]examples|e2e[/]whole-check|mint[/](?:cli[/]interrupted|library|qr[/]symbol)|mutants[/]twins-of-\w+)[.]test[.]ts$/;

/** Next, because its sessions keep time: while all workers load their sources a device misses its heartbeats. */
const NOT_AT_THE_START = /check[/]device[/]clean[.]test[.]ts$/;

/** Vitest knows how long a file takes only where it has run before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const {
      longest = [],
      first = [],
      next = [],
      rest = [],
    } = Object.groupBy(files, ({ moduleId }) => {
      if (NOT_AT_THE_START.test(moduleId)) return 'next';
      if (placeOf(moduleId) >= 0) return 'longest';
      return LONG_FOR_THEIR_SIZE.test(moduleId) ? 'first' : 'rest';
    });
    longest.sort((one, other) => placeOf(one.moduleId) - placeOf(other.moduleId));
    return [...longest, ...first.toSorted(byPath), ...next, ...(await super.sort(rest))];
  }
}

const placeOf = (moduleId: string) => LONGEST.findIndex((name) => moduleId.endsWith(name));

const byPath = (one: TestSpecification, other: TestSpecification) =>
  one.moduleId < other.moduleId ? -1 : 1;
