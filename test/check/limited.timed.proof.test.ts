import { expect, type TestContext, test } from 'vitest';
import { check, renderReport } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from '../mutants/reference/server.ts';

const ONLY = ['2.3/*', '3.2/*', '4.2/*'];

// They mostly wait: for pauses, and for what a limit allows.
const together = { concurrent: true };

async function checkWith(
  { onTestFinished }: TestContext,
  options: ServerOptions,
  only: readonly string[] = ONLY,
) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  const { baseUrl, target } = server;
  return { result: await check({ baseUrl, target, consume: true, only }), target };
}

const failedOf = (result: Awaited<ReturnType<typeof check>>) =>
  result.cases.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

test(
  'a server that keeps the limits is asked as fast as they allow, and limits nothing',
  together,
  async (context) => {
    const limited: string[] = [];
    const { result } = await checkWith(context, {
      rateLimits: true,
      alter: (parts) => ({
        limited(side) {
          limited.push(side);
          return parts.limited(side);
        },
      }),
    });
    expect(limited).toEqual([]);
    expect(failedOf(result)).toEqual([]);
    expect(result.notes.join()).not.toContain('429');
    // 24 a second over all keys took twice as long
    expect((result.requests / result.durationMs) * 1000).toBeGreaterThan(40);
  },
);

test(
  'a 429 is waited for, as long as it says, and told: no other case fails for it',
  together,
  async (context) => {
    let count = 0;
    let limitedAt = Number.NEGATIVE_INFINITY;
    let tooEarly = 0;
    const { result } = await checkWith(context, {
      alter(parts) {
        return {
          withinLimit({ type }) {
            if (type !== 'rest') return true;
            count += 1;
            const now = performance.now();
            const isAgain = count % 90 === 1 && count > 1;
            if (isAgain && now - limitedAt < 900) tooEarly += 1;
            if (count % 90 === 0) limitedAt = now;
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
    // those that were on their way already may come at once
    expect(tooEarly).toBeLessThanOrEqual(Math.ceil(count / 90));
    expect(failedOf(result)).toEqual([]);
    expect(result.notes.join()).toMatch(/\$REST_KEY got 429 .*sent again after a pause/);
    expect(renderReport('pretty', result)).toContain('got 429');
  },
);

test(
  'a 429 that comes whatever one waits is the answer, and waited for only once on a path',
  together,
  async (context) => {
    const { result } = await checkWith(
      context,
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
  },
);

test(
  '429s at the start may come from what was sent before the run: they are told, and no deviation',
  together,
  async (context) => {
    const { result } = await checkWith(
      context,
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
  },
);
