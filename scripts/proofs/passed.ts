import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonTestResults } from 'vitest/node';
import { PROOFS, type Sums } from './sources.ts';

/** It lies in the repository, so that a commit says by itself which proofs it still has to run. */
export const PASSED_FILE = 'test/passed-proofs.txt';

/** The sums that a proof had when it passed, by its file. There are several where two branches met. */
export type Passed = ReadonlyMap<string, readonly Sums[]>;

/** Reads lines of two sums and a file. A line that is none says nothing: the proof runs again. */
export function passedIn(text: string): Passed {
  const lines = text.split('\n').flatMap((line) => {
    const [near = '', whole = '', file] = line.split(' ');
    return file === undefined ? [] : [{ sums: { near, whole }, file }];
  });
  const byFile = Map.groupBy(lines, ({ file }) => file);
  return new Map([...byFile].map(([file, all]) => [file, all.map(({ sums }) => sums)]));
}

export function readPassed(): Passed {
  return passedIn(existsSync(PASSED_FILE) ? readFileSync(PASSED_FILE, 'utf8') : '');
}

/** The proofs of which the chosen sum is not one that they had when they passed. */
export function changedProofs(
  sums: ReadonlyMap<string, Sums>,
  passed: Passed,
  chosen: keyof Sums,
): string[] {
  const isNoted = (file: string, now: Sums) =>
    passed.get(file)?.some((then) => then[chosen] === now[chosen]) ?? false;
  return [...sums].filter(([file, now]) => !isNoted(file, now)).map(([file]) => file);
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
export function notePassed(files: readonly string[], sums: ReadonlyMap<string, Sums>): void {
  const all = new Map(readPassed());
  for (const file of files) {
    const now = sums.get(file);
    if (now !== undefined) all.set(file, [now]);
  }
  const lines = PROOFS.flatMap((file) =>
    (all.get(file) ?? []).map(({ near, whole }) => `${near} ${whole} ${file}\n`),
  );
  writeFileSync(PASSED_FILE, lines.join(''));
}
