import { BaseSequencer, type TestSpecification } from 'vitest/node';

const test = (name: string) => `/test/${name}.test.ts`;

/** Half a minute and more each, the longest first; those that mostly wait are between those that keep a core busy. */
export const LONGEST = [
  'mutants/histories.proof',
  'mutants/variants.proof',
  'mutants/lossy-lines.release',
  'mutants/found-in-answers.proof',
  'device-faults/device-faults.proof',
  'mutants/found-in-rules.proof',
  'docs/kept-patches.release',
  'mutants/two-faults.proof',
  'admin/fair-shares.timed.proof',
  'dashboard/every-page.proof',
  'install/image.release',
  'prove/planted-bugs.proof',
  'install/package-on-each-node.release',
  'install/files.release',
].map(test);

/** Small files that take seconds: by their size they would come last, and the other workers would have nothing left to do. */
export const LONG_FOR_THEIR_SIZE = [
  'check/unspent.proof',
  'cli/device-files.proof',
  'dashboard/files.proof',
  'docs/examples.proof',
  'e2e/whole-check.proof',
  'mint/cli/interrupted.proof',
  'mint/library.proof',
  'mint/qr/symbol.proof',
].map(test);

/** Next, because its sessions keep time: while all workers load their sources a device misses its heartbeats. */
export const NOT_AT_THE_START = ['check/device/clean.timed.proof'].map(test);

/** Vitest knows how long a file takes only where it has run before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const {
      longest = [],
      first = [],
      next = [],
      rest = [],
    } = Object.groupBy(files, ({ moduleId }) => {
      if (isOneOf(NOT_AT_THE_START, moduleId)) return 'next';
      if (isOneOf(LONGEST, moduleId)) return 'longest';
      return isOneOf(LONG_FOR_THEIR_SIZE, moduleId) ? 'first' : 'rest';
    });
    longest.sort((one, other) => placeOf(one.moduleId) - placeOf(other.moduleId));
    return [...longest, ...first.toSorted(byPath), ...next, ...(await super.sort(rest))];
  }
}

const isOneOf = (names: readonly string[], moduleId: string) =>
  names.some((name) => moduleId.endsWith(name));

const placeOf = (moduleId: string) => LONGEST.findIndex((name) => moduleId.endsWith(name));

const byPath = (one: TestSpecification, other: TestSpecification) =>
  one.moduleId < other.moduleId ? -1 : 1;
