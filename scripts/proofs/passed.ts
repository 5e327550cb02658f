import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonTestResults } from 'vitest/node';
import { PROOFS } from './sources.ts';

/** It lies in the repository, so that a commit says by itself which proofs it still has to run. */
export const PASSED_FILE = 'test/passed-proofs.txt';

/** The sums of what a proof depended on when it passed, by its file. There are several where two branches met. */
export type Passed = ReadonlyMap<string, readonly string[]>;

/** Reads lines of a sum and a file. A line that is none says nothing: the proof runs again. */
export function passedIn(text: string): Passed {
  const lines = text.split('\n').flatMap((line) => {
    const [sum = '', file] = line.split(' ');
    return file === undefined ? [] : [{ sum, file }];
  });
  const byFile = Map.groupBy(lines, ({ file }) => file);
  return new Map([...byFile].map(([file, all]) => [file, all.map(({ sum }) => sum)]));
}

export function readPassed(): Passed {
  return passedIn(existsSync(PASSED_FILE) ? readFileSync(PASSED_FILE, 'utf8') : '');
}

/** The proofs that depend on something which is not as it was when they passed. */
export function changedProofs(sums: ReadonlyMap<string, string>, passed: Passed): string[] {
  return [...sums].filter(([file, sum]) => !passed.get(file)?.includes(sum)).map(([file]) => file);
}

/** The proofs of a report of which every test ran and passed: one that was skipped proved nothing. */
export function passedProofs({ testResults }: Pick<JsonTestResults, 'testResults'>): string[] {
  return testResults
    .filter(
      ({ status, assertionResults }) =>
        status === 'passed' &&
        assertionResults.length > 0 &&
        assertionResults.every((one) => one.status === 'passed'),
    )
    .map(({ name }) => relative('.', name));
}

/** Notes what passed, and keeps what is said of the other proofs. A proof that is gone goes. */
export function notePassed(files: readonly string[], sums: ReadonlyMap<string, string>): void {
  const all = new Map(readPassed());
  for (const file of files) all.set(file, [sums.get(file) ?? '']);
  const lines = PROOFS.flatMap((file) => (all.get(file) ?? []).map((sum) => `${sum} ${file}\n`));
  writeFileSync(PASSED_FILE, lines.join(''));
}
