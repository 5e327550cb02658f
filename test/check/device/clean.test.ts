import { expect, test } from 'vitest';
import { type CheckResult, checkDevice } from '../../../src/check/index.ts';
import { clientSubject } from './support/client-subject.ts';
import { simulatedSubject } from './support/simulated-subject.ts';

/** Short, so that a session takes seconds; long enough for a machine that does other things as well. */
const SHORT = {
  waitTimeMs: 1000,
  heartbeatMs: 400,
  reactionMs: 60,
  antiRepeatMs: 200,
  openSeconds: [1, 2],
  bootMs: 500,
  // advice about the setting alone, which is short here
  skip: ['7.3/device-wait-time'],
} as const;
const DEVICE = { waitTime: 10, heartbeatMs: 400, antiRepeatMs: 200 } as const;
const LIMIT_MS = 60_000;

function findings({ cases }: CheckResult) {
  return cases
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'warned')
    .map(({ id, expected, observed }) => `${id}: ${expected}, but ${observed}`);
}

test.concurrent.each(['access-controller', 'bas-ip', 'vguang'])(
  'the simulated %s meets every requirement',
  { timeout: LIMIT_MS },
  async (model) => {
    const subject = simulatedSubject({ model, ...DEVICE });
    const result = await checkDevice({ kind: 'device', subject, ...SHORT });
    expect(findings(result)).toEqual([]);
    expect([result.verdict, result.subject]).toEqual(['conforms', 'device']);
    expect(result.notes[0]).toContain(`speaks as ${model} does`);
    // what the model has no field for is not judged, and all the rest is
    const reasons = result.cases.flatMap(({ notAsked }) => notAsked);
    expect(reasons.filter(({ optional }) => optional !== true)).toEqual([]);
    expect(result.totals.passed).toBeGreaterThan(model === 'access-controller' ? 50 : 30);
  },
);

test.concurrent("the library's client meets every requirement", { timeout: LIMIT_MS }, async () => {
  const subject = clientSubject({ timeoutMs: 700, totalTimeoutMs: 3000 });
  const { skip: _, ...short } = SHORT;
  const result = await checkDevice({ kind: 'client', subject, ...short });
  expect(findings(result)).toEqual([]);
  expect([result.verdict, result.subject]).toEqual(['conforms', 'client']);
  expect(result.totals.passed).toBeGreaterThan(35);
});
