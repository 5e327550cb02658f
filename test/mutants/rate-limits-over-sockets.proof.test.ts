import { expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { step } from './faults/faulty-server.ts';
import { type ServerOptions, startServer } from './reference/server.ts';

const NUMBERS = [
  '8/burst-of-100@validate',
  '8/429-beyond-the-limit@validate',
  '8/steady-rate@validate',
  '8/no-more-than-50-a-second@validate',
];

/** The outcomes of the cases on a server of this machine, by its clock. */
async function outcomesOf(options: ServerOptions) {
  const { baseUrl, target, close } = await startServer({ ...options, rateLimits: true });
  const how = { baseUrl, target, consume: true, rateLimits: true, only: NUMBERS };
  const { cases } = await check(how).finally(close);
  return new Map(cases.map(({ id, outcome }) => [id, outcome]));
}

// Whatever is beside: a busy machine sends less than a limit, or gets its answers too late to tell one from the other.
test.concurrent('a right server is not accused', async () => {
  const outcomes = new Set((await outcomesOf({})).values());
  expect([...outcomes].filter((one) => one !== 'passed' && one !== 'skipped')).toEqual([]);
  expect(outcomes).toContain('passed');
});

test.concurrent('a server without a limit is found', async () => {
  const outcomes = await outcomesOf({ alter: step('withinLimit', () => true) });
  expect(outcomes.get('8/429-beyond-the-limit')).toBe('failed');
});
