import { expect, test } from 'vitest';
import type { Observation } from '../../../src/check/explore/observation.ts';
import { failureOf } from '../../../src/check/explore/report.ts';
import type { Shrunk } from '../../../src/check/explore/shrink.ts';
import { merged } from '../../../src/check/explore/smaller.ts';
import { storyOf } from '../../../src/check/explore/story.ts';
import { Redactor } from '../../../src/check/requests/redact.ts';

const shrunk = (state: Shrunk['state'], times: number, tries: number): Shrunk => ({
  history: [
    {
      steps: [{ endpoint: 'heartbeat', key: 'hardware', times: 1 }],
      dispatch: 'one-by-one',
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
  const limited = { step, outcome: 'limited' } as unknown as Observation;
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
  const step = { endpoint: 'consume', key: 'rest', times: 1 } as const;
  const steps = [step, { ...step }];
  const history = [{ steps, dispatch: 'together', over: 'new' }] as const;
  const trace = [steps.map((one) => ({ step: one, outcome: 'granted', used: 1 }) as Observation)];
  const lines = storyOf(history, trace);
  expect(lines.map((line) => line.match(/Answer: .*/)?.[0])).toEqual([
    'Answer: consumed (usesConsumed 1).',
    'Answer: consumed (usesConsumed 1).',
  ]);
  expect(merged(history)).toEqual([{ ...history[0], steps: [{ ...step, times: 2 }] }]);
});
