import { expect, test } from 'vitest';
import { type CheckResult, check, renderReport } from '../../src/check/index.ts';
import { checkIn } from '../../src/check/run/run.ts';
import { type ServerOptions, startServer } from '../mutants/reference/server.ts';
import { virtualServer } from '../mutants/reference/virtual-world.ts';

const ONLY = ['2.3/*', '3.2/*', '4.2/*'];

async function checkWith(
  options: ServerOptions,
  only: readonly string[] = ONLY,
): Promise<CheckResult> {
  const { world, baseUrl, target } = virtualServer(options);
  return world.run(checkIn(world, { baseUrl, target, consume: true, only }));
}

const failedOf = ({ cases }: CheckResult) =>
  cases.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

/** Keeps the limits, and tells whom it limited. */
function limitingServer() {
  const limited: string[] = [];
  const options: ServerOptions = {
    rateLimits: true,
    alter: (parts) => ({
      limited(side) {
        limited.push(side);
        return parts.limited(side);
      },
    }),
  };
  return { limited, options };
}

test('a server that keeps the limits is asked as fast as they allow, and limits nothing', async () => {
  const { limited, options } = limitingServer();
  const result = await checkWith(options);
  expect(limited).toEqual([]);
  expect(failedOf(result)).toEqual([]);
  expect(result.notes.join()).not.toContain('429');
  // 24 a second over all keys took twice as long
  expect((result.requests / result.durationMs) * 1000).toBeGreaterThan(40);
});

test('over sockets and by the clock of this machine, a server that keeps the limits limits nothing', async () => {
  const { limited, options } = limitingServer();
  const { baseUrl, target, close } = await startServer(options);
  const only = ['2.3/*', '4.2/*'];
  const result = await check({ baseUrl, target, consume: true, only }).finally(close);
  expect(limited).toEqual([]);
  expect(failedOf(result)).toEqual([]);
  expect(result.notes.join()).not.toContain('429');
});

test('a 429 is waited for, as long as it says, and told: no other case fails for it', async () => {
  let count = 0;
  const limitedAt = new Map<string, number>();
  let tooEarly = 0;
  const result = await checkWith({
    alter(parts, { clock }) {
      return {
        withinLimit({ type, value }) {
          if (type !== 'rest') return true;
          count += 1;
          const now = clock.now();
          // those that were on their way already may come at once
          const pausedMs = now - (limitedAt.get(value) ?? Number.NEGATIVE_INFINITY);
          if (pausedMs > 50 && pausedMs < 1000) tooEarly += 1;
          if (count % 90 === 0) limitedAt.set(value, now);
          return count % 90 !== 0;
        },
        limited: (side) => {
          const reply = parts.limited(side);
          return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } };
        },
      };
    },
  });
  expect(count).toBeGreaterThan(90);
  expect(tooEarly).toBe(0);
  expect(failedOf(result)).toEqual([]);
  expect(result.notes.join()).toMatch(/\$REST_KEY got 429 .*sent again after a pause/);
  expect(renderReport('pretty', result)).toContain('got 429');
});

test('a 429 that comes whatever one waits is the answer, and waited for only once on a path', async () => {
  const result = await checkWith(
    {
      alter: (parts) => ({
        statusOf: (outcome, side) =>
          outcome.status === 'exhausted' ? 429 : parts.statusOf(outcome, side),
      }),
    },
    ['4/refused-ticket{exhausted}', '7.1/*'],
  );
  expect(failedOf(result).length).toBeGreaterThan(0);
  expect(result.durationMs).toBeLessThan(20_000);
});

test('429s at the start may come from what was sent before the run: they are told, and no deviation', async () => {
  const result = await checkWith(
    {
      rateLimits: true,
      alter(parts) {
        let isDrained = false;
        return {
          withinLimit(key, incoming) {
            if (!isDrained) for (let i = 0; i < 99; i += 1) parts.withinLimit(key, incoming);
            isDrained = true;
            return parts.withinLimit(key, incoming);
          },
        };
      },
    },
    [...ONLY, '7.1/no-429-below-the-limit'],
  );
  expect(result.notes.join()).toContain('got 429');
  expect(failedOf(result)).toEqual([]);
});
