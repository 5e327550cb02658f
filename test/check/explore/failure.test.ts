import { expect, test } from 'vitest';
import { failureOf } from '../../../src/check/explore/report/failure.ts';
import { storyOf } from '../../../src/check/explore/report/story.ts';
import type { Observation } from '../../../src/check/explore/run/observation.ts';
import type { Shrunk } from '../../../src/check/explore/shrink/shrink.ts';
import { merged } from '../../../src/check/explore/shrink/smaller.ts';
import { Redactor } from '../../../src/check/requests/redact.ts';

const shrunk = (state: Shrunk['state'], times: number, tries: number): Shrunk => ({
  history: [
    {
      steps: [{ action: 'heartbeat', key: 'hardware', times: 1 }],
      way: 'in-turn',
      over: 'new',
    },
  ],
  violation: {
    rule: 'echo',
    section: '4.5',
    expected: 'the key',
    observed: 'nothing',
    at: {} as Shrunk['violation']['at'],
  },
  attempt: undefined,
  state,
  cameBack: { times, tries },
});

test.each([
  ['fully', 5, 5, true],
  ['not fully', 1, 5, true],
  ['fully', 0, 5, false],
  ['not again', 0, 0, false],
] as const)(
  'a fault that was shrunk %s and came back %i of %i times: a replay without it proves something: %s',
  (state, times, tries, isReproduced) => {
    const { history } = failureOf(shrunk(state, times, tries), 1, new Redactor());
    expect(history.isReproduced).toBe(isReproduced);
  },
);

test('a fault that needs a rate limit says so, and is tried as often as a race', () => {
  const { history, ...rest } = shrunk('fully', 5, 5);
  const [step] = history[0]?.steps ?? [];
  const limited = { step, answer: { status: 429 } } as unknown as Observation;
  const attempt = {
    history,
    violation: rest.violation,
    trace: [[limited]],
    requests: 1,
    isStale: false,
  };
  const save = (one: Shrunk) => failureOf(one, 1, new Redactor()).history;
  expect(save({ history, ...rest })).toMatchObject({ isLimited: false, isCertain: true });
  expect(save({ history, ...rest, attempt })).toMatchObject({ isLimited: true, isCertain: false });
});

test('equal steps of a group have an answer each in the story, and become one step', () => {
  const step = { action: 'consume', key: 'rest', times: 1 } as const;
  const history = [{ steps: [step, { ...step }], way: 'at-once', over: 'new' }] as const;
  const json = { valid: true, status: 'consumed', usesConsumed: 1 };
  const answer = { status: 200, headers: {}, body: JSON.stringify(json), json };
  const trace = [[step, { ...step }].map((one) => ({ step: one, answer }) as never)];
  const lines = storyOf(history, trace);
  expect(lines.map((line) => line.match(/Answer: .*/)?.[0])).toEqual([
    'Answer: consumed (usesConsumed 1).',
    'Answer: consumed (usesConsumed 1).',
  ]);
  expect(merged(history)).toEqual([{ ...history[0], steps: [{ ...step, times: 2 }] }]);
});
