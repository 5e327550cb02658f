import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes each, and most of that is waiting: whatever starts beside them costs no time. */
const LONGEST =
  /(?:device-faults[/]device-faults|mutants[/](?:history[/]twins|variants|rate-limits|matrix)|install[/](?:image|package-on-each-node|release))[.]proof[.]test[.]ts$/;

/** Small files that take seconds: by their size they would come last, and the other workers would have nothing left to do. */
const LONG_FOR_THEIR_SIZE =
  /(?:check[/](?:public-entry|unspent)|cli[/]device-files|dashboard[/]files|docs[/]examples|e2e[/]whole-check|mint[/](?:cli[/]interrupted|library|qr[/]symbol)|mutants[/]twins-of-\w+)[.]test[.]ts$/;

/** Next, because its sessions keep time: while all workers load their sources a device misses its heartbeats. */
const NOT_AT_THE_START = /check[/]device[/]clean[.]test[.]ts$/;

/** Vitest knows how long a file takes only where it has run before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const {
      first = [],
      next = [],
      rest = [],
    } = Object.groupBy(files, ({ moduleId }) => {
      if (NOT_AT_THE_START.test(moduleId)) return 'next';
      return LONGEST.test(moduleId) || LONG_FOR_THEIR_SIZE.test(moduleId) ? 'first' : 'rest';
    });
    return [...first.toSorted(byPath), ...next, ...(await super.sort(rest))];
  }
}

const byPath = (one: TestSpecification, other: TestSpecification) =>
  one.moduleId < other.moduleId ? -1 : 1;
