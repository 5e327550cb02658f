import { expect, onTestFinished, test } from 'vitest';
import { type CheckCase, cellsOf } from '../../src/check/cases/case.ts';
import { check } from '../../src/check/index.ts';
import { makePlan } from '../../src/check/planning/plan.ts';
import {
  NEWEST_SET,
  pinned,
  REQUIREMENT_SETS,
  setOf,
} from '../../src/check/requirement-sets/index.ts';
import { CASES } from '../../src/check/sections/index.ts';
import { startServer } from '../mutants/reference/server.ts';

test('the newest set is made of all cases (npm run requirements makes it; a set of a past month is frozen)', () => {
  expect(REQUIREMENT_SETS[NEWEST_SET]).toEqual(setOf(CASES));
});

test.each(Object.entries(REQUIREMENT_SETS))(
  'every question of the set %s is still asked',
  (_, set) => {
    const now = setOf(CASES);
    const gone = Object.entries(set).flatMap(([id, levels]) =>
      Object.keys(levels)
        .filter((place) => now[id]?.[place] === undefined)
        .map((place) => `${id}@${place}`),
    );
    expect(gone).toEqual([]);
  },
);

const ID = '7.1/status';

async function deviating() {
  const server = await startServer({
    alter: (parts) => ({
      statusOf: (outcome, side) =>
        outcome.status === 'not_found' ? 200 : parts.statusOf(outcome, side),
    }),
  });
  onTestFinished(() => server.close());
  return { baseUrl: server.baseUrl, target: server.target, maxRate: 5000 };
}

/** Adds a set for one test. */
function withSet(name: string, set: Record<string, Record<string, string>>): void {
  const sets = REQUIREMENT_SETS as Record<string, unknown>;
  const newest = sets[NEWEST_SET];
  delete sets[NEWEST_SET];
  sets[name] = set;
  sets[NEWEST_SET] = newest;
  onTestFinished(() => void delete sets[name]);
}

test('a run that pins a set does not fail for a case that came later, and reports it', async () => {
  const { [ID]: _, ...before } = setOf(CASES);
  withSet('2025-01', before);
  const server = await deviating();
  const newest = await check({ ...server, only: [`${ID}{unknown}`] });
  expect(newest).toMatchObject({ verdict: 'deviates', requirements: NEWEST_SET });

  const pinnedRun = await check({ ...server, only: [`${ID}{unknown}`], requirements: '2025-01' });
  expect(pinnedRun).toMatchObject({ verdict: 'conforms', requirements: '2025-01' });
  expect(pinnedRun.cases[0]).toMatchObject({ id: ID, outcome: 'observed', later: true });
  expect(pinnedRun.cases[0]?.observed).toMatch(
    /^deviates from .* expected HTTP 404; observed HTTP 200/,
  );

  const empty = await check({
    baseUrl: server.baseUrl,
    only: [`${ID}{unknown}`],
    requirements: '2025-01',
  });
  expect(empty.cases[0]).toMatchObject({
    outcome: 'skipped',
    notAsked: [{ optional: true }, { optional: true }],
  });
  expect(empty.verdict).toBe('incomplete');
});

test('a run that pins a set judges by its levels, and an endpoint that came later fails nothing', async () => {
  const set = setOf(CASES);
  const levels = Object.fromEntries(Object.keys(set[ID] ?? {}).map((place) => [place, 'observed']));
  withSet('2025-02', { ...set, [ID]: levels });
  const server = await deviating();
  const result = await check({ ...server, only: [`${ID}{unknown}`], requirements: '2025-02' });
  expect(result.cases[0]?.outcome).toBe('warned');

  const review = '1/json-responses';
  const { consume: __, ...without } = set[review] ?? {};
  withSet('2025-03', { ...set, [review]: without });
  const plain = await startServer({
    only: 'consume',
    alter: (parts) => ({
      finish: (reply, incoming) => ({
        ...parts.finish(reply, incoming),
        headers: { 'content-type': 'text/html' },
      }),
    }),
  });
  onTestFinished(() => plain.close());
  const asked = { baseUrl: plain.baseUrl, target: plain.target, only: [review], maxRate: 5000 };
  expect((await check(asked)).cases[0]).toMatchObject({ failedEndpoints: ['consume'] });
  const old = await check({ ...asked, requirements: '2025-03' });
  expect(old.cases[0]).toMatchObject({ outcome: 'passed', failedEndpoints: [] });
  expect(old.cases[0]?.observed).toContain(
    'deviates from a requirement newer than the requirement set',
  );
});

test('cases that came later get tickets only after the others', () => {
  const one = (id: string): CheckCase => ({
    id,
    level: 'stated',
    requirement: '.',
    cause: '.',
    tickets: { single: 1 },
    uses: { single: 1 },
    run: async () => undefined,
  });
  const set = { '1/old': { sequence: 'stated' } };
  const cases = [one('1/new'), one('1/old')].map((each) => pinned(each, set));
  expect(cases.flatMap(cellsOf).map(({ later }) => later)).toEqual([true, undefined]);
  const skippedOf = (count: number) => {
    const single = Array.from({ length: count }, (_, number) => ({ code: `A.t${number}.s` }));
    return [...makePlan(cases, [], { keys: {}, tickets: { single } }, true).skipped.keys()].filter(
      (name) => name.startsWith('1/'),
    );
  };
  const counts = [1, 2, 3, 4, 5, 6, 7, 8].map(skippedOf).filter((names) => names.length === 1);
  expect(counts.length).toBeGreaterThan(0);
  expect(new Set(counts.flat())).toEqual(new Set(['1/new']));
});
