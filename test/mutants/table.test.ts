import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkCasesPage } from '../../scripts/check-cases-page.ts';
import { listCases } from '../../src/check/index.ts';
import { KEY_CHANGE_TWINS } from './twins/3.1-key-changes.ts';
import { RATE_LIMIT_TWINS } from './twins/8-rate-limits.ts';
import { TWINS } from './twins/index.ts';
import { ONE_ENDPOINT_TWINS } from './twins/one-endpoint.ts';

const cases = listCases();

test('there are at least 120 twins, each with a name of its own', () => {
  const names = [...TWINS, ...KEY_CHANGE_TWINS, ...RATE_LIMIT_TWINS].map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(120);
  expect(new Set(names).size).toBe(names.length);
});

test('every stated case is proven by a twin', () => {
  const proven = new Set<string | undefined>([
    ...[...TWINS, ...KEY_CHANGE_TWINS, ...RATE_LIMIT_TWINS].flatMap(({ caughtBy }) => caughtBy),
    ...ONE_ENDPOINT_TWINS.map(({ caughtBy }) => caughtBy),
  ]);
  const unproven = cases.filter(({ id, level }) => level === 'stated' && !proven.has(id));
  expect(unproven.map(({ id }) => id)).toEqual([]);
});

test('every case has an id of its own, bound to a section, and a requirement', () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  for (const one of cases) {
    expect(one.id).toMatch(/^\d(\.\d)?\/[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(one.requirement, one.id).toMatch(/\.$/);
  }
});

test('docs/check-cases.md is up to date (npm run docs makes it)', () => {
  const document = readFileSync(new URL('../../docs/check-cases.md', import.meta.url), 'utf8');
  expect(document).toBe(checkCasesPage());
});
