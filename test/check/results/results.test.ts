import { describe, expect, test } from 'vitest';
import type { CheckCase } from '../../../src/check/cases/case.ts';
import { knownDeviations, withBaseline } from '../../../src/check/results/baseline.ts';
import { type CaseResult, exitCodeOf, verdictOf } from '../../../src/check/results/result.ts';
import { hostileResult } from '../support/results.ts';

const [passed] = hostileResult().cases as [CaseResult];
const ID = '7.1/bad-body';
const run = () => Promise.resolve(undefined);
const CASE: CheckCase = {
  id: ID,
  requirement: 'A bad body is refused.',
  cause: 'It is not.',
  cells: ['validate', 'consume'].flatMap((endpoint) =>
    ['empty', 'cut'].map((about) => ({ endpoint: endpoint as 'validate', variant: about, run })),
  ),
};

/** The case, deviating at these places: `cut@consume`. */
function deviating(...places: string[]): CaseResult {
  const deviations = places.map((place) => {
    const [variant = '', endpoint] = place.split('@');
    return { variant, endpoint: endpoint as 'validate', expected: '400', observed: '200' };
  });
  return {
    ...passed,
    id: ID,
    outcome: places.length === 0 ? 'passed' : 'failed',
    endpoints: ['validate', 'consume'],
    failedEndpoints: [...new Set(deviations.map(({ endpoint }) => endpoint))],
    variants: ['empty', 'cut'],
    failedVariants: [...new Set(deviations.map(({ variant }) => variant))],
    notAsked: [],
    ...(places.length > 1 ? { deviations } : {}),
  };
}

describe('a baseline', () => {
  const judged = (baseline: unknown, one: CaseResult) => {
    const { cases, stale } = withBaseline([one], knownDeviations(baseline, [CASE]));
    return [cases[0]?.known ?? false, stale];
  };

  test.each([
    [`${ID}{cut}`, ['cut@validate', 'cut@consume'], true],
    [`${ID}{cut}`, ['cut@validate', 'empty@validate'], false],
    [`${ID}{cut}@consume`, ['cut@consume'], true],
    [`${ID}{cut}@consume`, ['cut@consume', 'cut@validate'], false],
    [`${ID}@consume`, ['cut@consume', 'empty@consume'], true],
    [ID, ['cut@consume', 'empty@validate'], true],
  ])('with %s, deviations at %j are known: %s', (entry, places, isKnown) => {
    expect(judged([entry], deviating(...places))).toEqual([isKnown, []]);
  });

  test('an entry for a variant is stale where that is met, whatever others do', () => {
    expect(judged([`${ID}{cut}@consume`], deviating('empty@consume'))).toEqual([
      false,
      [`${ID}{cut}@consume`],
    ]);
    const partly = { ...deviating(), notAsked: [{ endpoint: 'consume', reason: '' } as const] };
    expect(judged([`${ID}{cut}@consume`], partly)).toEqual([false, []]);
  });

  test('an earlier report covers the places that deviated in it, and no others', () => {
    const before = { cases: [deviating('cut@consume', 'empty@validate')] };
    expect(judged(before, deviating('cut@consume', 'empty@validate'))[0]).toBe(true);
    expect(judged(before, deviating('cut@validate'))[0]).toBe(false);
  });

  test.each([
    [`${ID}{half}`, 'a variant that does not exist'],
    [`${ID}@gate`, 'not an endpoint'],
  ])('%s is refused', (entry, message) => {
    expect(() => knownDeviations([entry], [CASE])).toThrow(message);
  });
});

describe('the exit code', () => {
  const { brokenOff: _, ...base } = hostileResult();
  const none = { passed: 1, failed: 0, warned: 0, skipped: 0, observed: 0, known: 0 };
  const totals = { ...none, follows: 0, unanswered: 0 };
  const good = { ...base, stale: [], totals, cases: [{ ...passed, notAsked: [] }] };
  const unanswered = { ...good, totals: { ...totals, unanswered: 2 } };
  const preflight = { observed: 'All keys are refused.', advice: '', reproduce: null };

  test.each([
    ['nothing failed', good, [], 0],
    ['a finding', { ...good, totals: { ...totals, failed: 1 } }, [], 1],
    ['a stale entry', { ...good, stale: [ID] }, [], 1],
    ['a warning', { ...good, totals: { ...totals, warned: 1 } }, [], 0],
    ['a warning that fails', { ...good, totals: { ...totals, warned: 1 } }, ['warned'], 1],
    ['no answer', unanswered, [], 3],
    ['no answer that fails', unanswered, ['unanswered'], 1],
    ['no answer beside a finding', { ...unanswered, totals: { ...totals, failed: 1 } }, [], 1],
    ['a wrong address', { ...good, preflight }, [], 2],
    ['a server that went away', { ...good, brokenOff: 'gone' }, [], 3],
    ['a fault of the checker', { ...good, ownFaults: ['x'] }, [], 4],
  ] as const)('%s', (_name, result, failOn, code) => {
    expect(exitCodeOf(result, failOn)).toBe(code);
  });

  test('a case without an answer makes the verdict incomplete', () => {
    expect(verdictOf(good.cases)).toBe('conforms');
    expect(verdictOf([...good.cases, { ...passed, outcome: 'unanswered' }])).toBe('incomplete');
  });
});
