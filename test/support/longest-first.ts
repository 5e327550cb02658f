import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes each, and most of that is waiting: whatever starts beside them costs no time. */
const LONGEST =
  /(?:mutants[/](?:history[/]twins|variants|rate-limits|matrix)|install[/](?:image|package-on-each-node|release))[.]proof[.]test[.]ts$/;

/** Vitest knows how long a file takes only where it has run before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { true: first = [], false: rest = [] } = Object.groupBy(files, ({ moduleId }) =>
      LONGEST.test(moduleId) ? 'true' : 'false',
    );
    return [...first.toSorted(byPath), ...(await super.sort(rest))];
  }
}

const byPath = (one: TestSpecification, other: TestSpecification) =>
  one.moduleId < other.moduleId ? -1 : 1;
