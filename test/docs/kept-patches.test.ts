import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const patchOf = (name: string) => resolve(`fixtures/cost/${name}.patch`);

const PATCHES = [
  // Its route and use case, its command, its button on a page with both languages, and its test.
  ['add-operation', 4],
  // A text of a ticket: stored, listed, exported and imported, shown and changed by page, API and command, and its test.
  ['add-ticket-field', 8],
] as const;

test.each(PATCHES)('the kept patch %s is an addition to %i source files', (name, files) => {
  const touched = readFileSync(patchOf(name), 'utf8').match(/(?<=^\+\+\+ b\/)src\/.*$/gm);
  expect(touched).toHaveLength(files);
});

// What they do is checked before a release: kept-patches.release.test.ts builds the program with them.
test('the kept patches fit the sources, one after the other', () => {
  const apply = ['apply', '--check', ...PATCHES.map(([name]) => patchOf(name))];
  expect(() => execFileSync('git', apply, { stdio: 'pipe' })).not.toThrow();
});
