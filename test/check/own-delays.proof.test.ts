import { describe, expect, test } from 'vitest';
import { exploreIn } from '../../src/check/explore/explore.ts';
import type { CheckResult } from '../../src/check/index.ts';
import { checkIn } from '../../src/check/run/run.ts';
import { minterOf } from '../mutants/reference/minter.ts';
import { type VirtualServer, virtualServer } from '../mutants/reference/virtual-world.ts';

/** How often this process stands still, and for how long: less and more than the client waits for an answer. */
const DELAYS = [
  { every: 7, ms: 300 },
  { every: 7, ms: 2500 },
  { every: 40, ms: 12_000 },
];

const accusationsIn = ({ cases }: CheckResult) =>
  cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'warned').map(({ id }) => id);

/** The right server, in a process that stands still at each of so many connections. */
function lateAtConnections({ every, ms }: (typeof DELAYS)[number]): VirtualServer {
  const server = virtualServer({ rateLimits: true });
  const { world } = server;
  const connect = world.connect.bind(world);
  let count = 0;
  world.connect = async (options) => {
    const line = await connect(options);
    count += 1;
    if (count % every === 0) world.standStill(ms);
    return line;
  };
  return server;
}

describe.each(DELAYS)('of a process that stands still for $ms ms again and again', (delays) => {
  test('a check accuses no right server, and needs no answer that did not come', async () => {
    const { world, baseUrl, target, keyHooks } = lateAtConnections(delays);
    const how = { baseUrl, target, keyHooks, consume: true };
    const result = await world.run(checkIn(world, how));
    expect(accusationsIn(result)).toEqual([]);
    expect(result.verdict).toBe('conforms');
  });

  test('an exploration accuses no right server', async () => {
    const { world, served, baseUrl, target } = lateAtConnections(delays);
    const how = { baseUrl, target, consume: true, seed: 1, budget: 600, mint: minterOf(served) };
    const { verdict, lost } = await world.run(exploreIn(world, how));
    expect([verdict, lost]).toEqual(['nothing-found', 0]);
  });

  test.each(['before', 'after'])(
    'the limits of a right server are not called wrong: %s it decides',
    async (moment) => {
      const { world, baseUrl, target } = virtualServer({ rateLimits: true });
      let count = 0;
      world.putBefore((replyTo) => async (incoming) => {
        count += 1;
        const isLate = count % delays.every === 0;
        if (isLate && moment === 'before') world.standStill(delays.ms);
        const reply = await replyTo(incoming);
        if (isLate && moment === 'after') world.standStill(delays.ms);
        return reply;
      });
      const how = { baseUrl, target, consume: true, rateLimits: true, only: ['8/*@validate'] };
      expect(accusationsIn(await world.run(checkIn(world, how)))).toEqual([]);
    },
  );
});

/** Refuses one request in the middle of a run, which is right where others were held back until then. */
async function checkLimitedOnce(delayMs: number): Promise<CheckResult> {
  let isLimited = false;
  const { world, baseUrl, target } = virtualServer({
    alter: (_, { clock }) => ({
      withinLimit({ type }) {
        if (isLimited || type !== 'rest' || clock.now() < 4000) return true;
        isLimited = true;
        if (delayMs > 0) world.standStill(delayMs);
        return false;
      },
    }),
  });
  const only = ['2.3/*', '3.2/*', '7.1/no-429-below-the-limit'];
  return world.run(checkIn(world, { baseUrl, target, consume: true, only }));
}

test('a 429 is a deviation in the middle of a run, and none just after this process stood still', async () => {
  expect(accusationsIn(await checkLimitedOnce(0))).toEqual(['7.1/no-429-below-the-limit']);
  expect(accusationsIn(await checkLimitedOnce(500))).toEqual([]);
});

test('a server that never answers is not waited for longer than this process stood still', async () => {
  const { world, baseUrl } = virtualServer({});
  world.putBefore((replyTo) => (incoming) => {
    if (incoming.path !== '/scan/consume') return replyTo(incoming);
    world.standStill(3000);
    return new Promise(() => undefined);
  });
  const line = await world.run(world.connect({ baseUrl: new URL(baseUrl), timeoutMs: 5000 }));
  const startedMs = world.now();
  const asked = line.send({ path: '/scan/consume' });
  await expect(world.run(asked)).rejects.toMatchObject({ kind: 'timeout' });
  expect(world.now() - startedMs).toBe(8000);
});
