import { expect, test } from 'vitest';
import { checkIn } from '../../src/check/run/run.ts';
import { remembering, step } from './faults/faulty-server.ts';
import { LONG_CASES } from './found.ts';
import type { ServerOptions } from './reference/server.ts';
import { virtualServer } from './reference/virtual-world.ts';

/** A use is given back when a run with the rate limits has almost ended. */
const GIVEN_BACK_MS = 30_000;
/** Without a request for so long, the next one is answered with an error. */
const SILENCE_MS = 5000;

async function checkPatiently(options: ServerOptions) {
  const { world, baseUrl, target } = virtualServer({ ...options, rateLimits: true });
  const how = { baseUrl, target, consume: true, rateLimits: true, skip: LONG_CASES };
  return world.run(checkIn(world, how));
}

test('a use that is given back after half a minute is seen at the end of a run with the rate limits', async () => {
  const { findings } = await checkPatiently({
    alter: step('register', ({ next, world }, ticket) => {
      void next();
      void world.clock.sleep(GIVEN_BACK_MS).then(() => {
        ticket.usesConsumed -= 1;
      });
    }),
  });
  expect(findings).toMatchObject([
    {
      id: '3.2/every-answer',
      endpoints: ['validate', 'hw/validate'],
      cause: expect.stringMatching(/^[\d.]+ s before, this ticket was shown with 1 use taken/),
    },
  ]);
});

test('an error after some seconds of silence is seen at the end of a run with the rate limits', async () => {
  const { findings } = await checkPatiently({
    alter: remembering(() => {
      let lastMs: number | undefined;
      return step('keyOf', ({ next, world }) => {
        const sinceMs = world.clock.now() - (lastMs ?? world.clock.now());
        lastMs = world.clock.now();
        if (sinceMs > SILENCE_MS) throw new Error('the connection to the store was closed');
        return next();
      });
    }),
  });
  expect(findings).toMatchObject([
    {
      id: '4/every-answer',
      endpoints: ['validate'],
      cause: expect.stringMatching(/as the first after 6\.0 s without a request\.$/),
    },
  ]);
});

test('a right server is not accused by it', async () => {
  const { findings, verdict } = await checkPatiently({});
  expect([verdict, findings]).toEqual(['conforms', []]);
});
