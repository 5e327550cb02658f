import { expect, test } from 'vitest';
import {
  countedAnswer,
  isUse,
  type Observation,
  wordOf,
} from '../../src/check/explore/observation.ts';
import { judgeUses, type Uses } from '../../src/check/law/uses.ts';
import { fc } from '../support/fast-check.ts';

const FRESH: Uses = { taken: 0, unseen: 0, pending: 0, base: 0, allowed: 5 };

type Word = 'validated' | 'consumed' | 'exhausted';

/** An answer of REST to a request that was under way from one time to another. */
function scan(word: Word, used: number, startedAt = 0, endedAt = startedAt + 1): Observation {
  const endpoint = word === 'validated' ? 'validate' : 'consume';
  return {
    step: { endpoint, key: 'rest', times: 1 },
    request: { path: '' },
    startedAt,
    endedAt,
    wallEndedAt: 0,
    outcome: word === 'exhausted' ? word : 'granted',
    used,
    allowed: 5,
    mayBeReset: false,
  };
}

function ruleOf(scans: readonly Observation[], before = FRESH, lost = 0): string | undefined {
  const judged = judgeUses(before, scans.map(countedAnswer), lost);
  return 'violation' in judged ? judged.violation.rule : undefined;
}

/** What a right server answers to requests that take effect at `effectAt`, somewhere in their time. */
const rightRun = fc
  .array(
    fc.record({
      isConsume: fc.boolean(),
      startedAt: fc.integer({ min: 0, max: 100 }),
      before: fc.integer({ min: 0, max: 30 }),
      after: fc.integer({ min: 1, max: 30 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((requests) => {
    let used = 0;
    return requests
      .map((one, i) => ({ ...one, effectAt: one.startedAt + one.before + i / 1000 }))
      .sort((a, b) => a.effectAt - b.effectAt)
      .map(({ isConsume, startedAt, effectAt, after }) => {
        const isLeft = used < 5;
        if (isConsume && isLeft) used += 1;
        const outcome = !isLeft ? 'exhausted' : isConsume ? 'consumed' : 'validated';
        return scan(outcome, used, startedAt, effectAt + after);
      });
  });

test('a right server is never blamed, however its requests overlap', () => {
  fc.assert(fc.property(rightRun, (scans) => ruleOf(scans) === undefined));
});

test('nor when some of its answers got lost', () => {
  const run = fc.tuple(rightRun, fc.integer({ min: 0, max: 2 ** 20 - 1 }));
  fc.assert(
    fc.property(run, ([scans, mask]) => {
      const kept = scans.filter((_, i) => (mask & (1 << i)) === 0);
      const lost = scans.filter((one, i) => !kept.includes(one) && isUse(scans[i] as Observation));
      return ruleOf(kept, FRESH, lost.length) === undefined;
    }),
  );
});

test('a right server is not blamed from one group to the next', () => {
  fc.assert(
    fc.property(rightRun, fc.integer({ min: 1, max: 19 }), (scans, at) => {
      const inTurn = scans.map((one, i) => scan(wordOf(one) as Word, one.used ?? 0, i * 10));
      const first = judgeUses(FRESH, inTurn.slice(0, at).map(countedAnswer), 0);
      return 'uses' in first && ruleOf(inTurn.slice(at), first.uses) === undefined;
    }),
  );
});

test.each([
  ['use-given-twice', [scan('consumed', 1), scan('consumed', 1)]],
  ['too-many-uses', [scan('consumed', 6)]],
  ['uses-from-nowhere', [scan('consumed', 2)]],
  ['uses-from-nowhere', [scan('validated', 1)]],
  ['exhausted-too-early', [scan('consumed', 1), scan('exhausted', 5)]],
  ['uses-vanished', [scan('consumed', 1, 0), scan('consumed', 2, 10), scan('validated', 1, 20)]],
  ['order', [scan('validated', 1, 0), scan('consumed', 1, 10)]],
])('%s is seen', (rule, scans) => {
  expect(ruleOf(scans)).toBe(rule);
});

test('what was taken before a group must show in it', () => {
  const before = { ...FRESH, taken: 3 };
  expect(ruleOf([scan('validated', 2)], before)).toBe('uses-vanished');
  expect(ruleOf([scan('consumed', 3)], before)).toBe('uses-vanished');
  expect(ruleOf([scan('consumed', 4)], before)).toBe(undefined);
});

test('a ticket that may have been used before is not blamed on the server', () => {
  const before = { ...FRESH, unseen: 5, base: undefined };
  expect(ruleOf([scan('exhausted', 5)], before)).toBe(undefined);
  expect(ruleOf([scan('consumed', 4), scan('validated', 3)], before)).toBe(undefined);
});
