import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes each, and most of that is waiting: whatever starts beside them costs no time. */
const LONGEST =
  /(?:mutants[/](?:history[/]twins|variants|rate-limits|matrix)|install[/](?:image|package-on-each-node|release))[.]proof[.]test[.]ts$/;

/** Small files that take seconds: by their size they would come last, and the other workers would have nothing left to do. */
const LONG_FOR_THEIR_SIZE =
  /(?:check[/](?:device[/]clean|public-entry|unspent)|cli[/]device-files|dashboard[/]files|docs[/]examples|e2e[/]whole-check|mint[/](?:cli[/]interrupted|library|qr[/]symbol)|mutants[/]twins-of-\w+|stores[/]killed-restore)[.]test[.]ts$/;

/** Vitest knows how long a file takes only where it has run before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { true: first = [], false: rest = [] } = Object.groupBy(files, ({ moduleId }) =>
      LONGEST.test(moduleId) || LONG_FOR_THEIR_SIZE.test(moduleId) ? 'true' : 'false',
    );
    return [...first.toSorted(byPath), ...(await super.sort(rest))];
  }
}

const byPath = (one: TestSpecification, other: TestSpecification) =>
  one.moduleId < other.moduleId ? -1 : 1;
