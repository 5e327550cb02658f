import { expect, test } from 'vitest';
import type { CheckCase } from '../../src/check/cases/case.ts';
import type { Exchange } from '../../src/check/facts/exchange.ts';
import type { CellResult, JudgedCase } from '../../src/check/judging/combine.ts';
import { withRoots } from '../../src/check/judging/roots.ts';
import { ExpectedAnswers } from '../../src/check/law/expected.ts';

const SEEN: Exchange = {
  caseId: 'any',
  level: 'stated',
  request: { path: '/scan/consume' },
  answer: { status: 200, headers: {}, body: '{}', json: {}, cut: false },
  startedAt: new Date(),
  startedMs: 0,
  durationMs: 1,
};
/** Explains every case that failed by the answer above. */
const RULE = {
  id: 'rule',
  endpoints: ['consume'] as const,
  wrong: () => ['a right answer', 'a wrong one'] as const,
};
const answers = new ExpectedAnswers(() => ({ tickets: {}, keys: {} }));
answers.note(SEEN);

/** A question that failed, by the answer above or by what only its case knows. */
function cell(by: 'the answer' | 'its own'): CellResult {
  return {
    cell: { name: 'asked', level: 'stated', endpoint: 'consume', run: async () => {} },
    outcome: 'failed',
    asked: ['consume'],
    touched: ['consume'],
    requests: 1,
    ...(by === 'the answer' ? { exchange: SEEN } : {}),
  };
}

function failed(id: string, buildsOn: readonly string[], ...cells: CellResult[]): JudgedCase {
  const one: CheckCase = { id, requirement: id, buildsOn, cells: [] };
  return { one, cells, durationMs: 0 };
}

/** Which case the questions of each follow from; its own id for a root. */
function rootsOf(judged: readonly JudgedCase[]): Record<string, string[]> {
  const entries = withRoots(judged, answers, [RULE]).map(({ one, cells }) => [
    one.id,
    cells.map(({ followsFrom }) => followsFrom ?? one.id),
  ]);
  return Object.fromEntries(entries);
}

test('what builds on something that follows has the root of that', () => {
  const chain = [
    failed('a', [], cell('its own')),
    failed('b', ['a'], cell('its own')),
    failed('c', ['b'], cell('its own')),
  ];
  expect(rootsOf(chain)).toEqual({ a: ['a'], b: ['a'], c: ['a'] });
});

test('cases that follow from each other have the first of them as their root', () => {
  const circle = [
    failed('rule', ['a'], cell('the answer')),
    failed('a', ['b'], cell('its own'), cell('the answer')),
    failed('b', [], cell('the answer')),
  ];
  expect(rootsOf(circle)).toEqual({ rule: ['rule'], a: ['rule', 'rule'], b: ['rule'] });
});

/** A question with this name and these samples that failed by what only its case knows. */
function asked(name: string, samples: readonly string[] = []): CellResult {
  const one = cell('its own');
  return { ...one, cell: { ...one.cell, name, samples } };
}

test('what only its case knows follows from a wrong answer that the question, or its sample, got earlier', () => {
  answers.note({ ...SEEN, caseId: 'sent' });
  answers.note({ ...SEEN, caseId: 'sample', request: { path: '/scan/hw/consume' } });
  const later = { ...SEEN, caseId: 'other', request: { path: '/scan/validate' } };
  const judged = [
    failed('rule', [], cell('the answer')),
    failed('sends', [], asked('sent')),
    failed('judges', [], asked('hw', ['sent'])),
    failed('right', [], asked('hw', ['sample'])),
    failed('before', [], { ...asked('sent'), exchange: { ...later, startedMs: -1 } }),
  ];
  expect(rootsOf(judged)).toEqual({
    rule: ['rule'],
    sends: ['rule'],
    judges: ['rule'],
    right: ['right'],
    before: ['before'],
  });
});

test('an answer that the law knows to be wrong is no consequence of one before it', () => {
  const validate = { path: '/scan/validate' };
  const early = { ...SEEN, caseId: 'sent', request: validate, startedMs: -5 };
  answers.note(early);
  const rules = [
    { ...RULE, id: 'early', endpoints: ['validate'] as const },
    { ...RULE, id: 'late' },
  ];
  const judged = [
    failed('early', [], { ...cell('its own'), exchange: early }),
    failed('late', [], { ...asked('sent'), exchange: SEEN }),
  ];
  const ends = withRoots(judged, answers, rules);
  expect(ends.map(({ cells }) => cells[0]?.followsFrom)).toEqual([undefined, undefined]);
});
