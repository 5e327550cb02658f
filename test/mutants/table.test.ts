import { expect, test } from 'vitest';
import { checkCasesPage } from '../../scripts/check-cases-page.ts';
import { listCases } from '../../src/check/index.ts';
import { FAULTY } from './faults/index.ts';
import { LIMIT_FAULTS } from './faults/rate-limits.ts';
import { caseOf, casesThatFind, FOUND } from './found.ts';

const cases = listCases();

test('there are at least 480 faulty servers, each with a name of its own and looked at', () => {
  const names = FAULTY.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(480);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(FOUND)).toEqual(names);
});

test('every stated case fails for a faulty server, and most are its root', () => {
  const limits = LIMIT_FAULTS.flatMap(({ caughtBy }) => caughtBy);
  const failing = new Set([...FAULTY.flatMap(({ name }) => casesThatFind(name)), ...limits]);
  const stated = cases.filter(({ level }) => level === 'stated').map(({ id }) => id);
  expect(stated.filter((id) => !failing.has(id))).toEqual([]);
  const roots = new Set(Object.values(FOUND).flatMap(({ findings }) => findings.map(caseOf)));
  expect(stated.filter((id) => !roots.has(id) && !limits.includes(id)).length).toBeLessThan(12);
});

test('every case has an id of its own, bound to a section, and a requirement', () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  for (const one of cases) {
    expect(one.id).toMatch(/^\d(\.\d)?\/[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(one.requirement, one.id).toMatch(/\.$/);
  }
});

test('the page of a release lists every case', () => {
  const page = checkCasesPage();
  for (const { id } of cases) expect(page).toContain(`\`${id}\``);
});
