import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { LONG_FOR_THEIR_SIZE, LONGEST, NOT_AT_THE_START } from '../support/longest-first.ts';

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const PROJECTS = (config.test?.projects ?? []).map((one): Project => {
  const { name, include = [], exclude = [] } = (one as { test: Partial<Project> }).test;
  if (name === undefined) throw new Error('a project has no name');
  return { name, include, exclude };
});
const FILES = globSync('test/**/*.{test,spec}.{ts,tsx,js,mjs}');

function projectsOf(file: string): string[] {
  const isIn = (globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));
  return PROJECTS.filter(({ include, exclude }) => isIn(include) && !isIn(exclude)).map(
    ({ name }) => name,
  );
}

test('npm test, the proofs and a release have their tests, and share none', () => {
  const found = FILES.map((file) => ({ file, projects: projectsOf(file) }));
  expect(found.filter(({ projects }) => projects.length !== 1)).toEqual([]);
  const used = new Set(found.flatMap(({ projects }) => projects));
  expect([...used].sort()).toEqual(['proofs', 'release', 'tests', 'timed']);
});

test.each([
  ['test/core/decision.test.ts', ['tests']],
  ['test/prove/model.proof.test.ts', ['proofs']],
  ['test/http/connections.timed.proof.test.ts', ['timed']],
  ['test/install/deb.release.test.ts', ['release']],
  ['test/core/decision.spec.ts', []],
])('%s belongs to %j', (file, projects) => expect(projectsOf(file)).toEqual(projects));

// A moved test would silently run in another place of the order, and the run would take longer.
test.each([...LONGEST, ...LONG_FOR_THEIR_SIZE, ...NOT_AT_THE_START])(
  'the order of tests names %s, which is there',
  (name) => expect(FILES.map((file) => `/${file}`)).toContain(name),
);

test.each(readFileSync('.ci/run', 'utf8').match(/\b(?:test|scripts|prove)\/[\w./-]+/g) ?? [])(
  '.ci/run names %s, which is there',
  (name) => expect(globSync(name)).toEqual([name]),
);
