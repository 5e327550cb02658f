import { describe, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { cellRate, coarseBucket, type Limiter } from '../check/rates/simulated.ts';
import { type ServerOptions, startServer } from './reference/server.ts';
import { RATE_LIMIT_TWINS } from './twins/8-rate-limits.ts';

const RATE_LIMIT_CASES = ['8/*', '7.2/body-of-429', '7.3/limited-device-format'];

async function checkLimits(options: ServerOptions, only: readonly string[]) {
  const server = await startServer({ ...options, rateLimits: true });
  const { baseUrl, target } = server;
  try {
    return await check({ baseUrl, target, consume: true, rateLimits: true, only });
  } finally {
    await server.close();
  }
}

/** A limiter of its own for each key. */
const each = (make: () => Limiter): Pick<ServerOptions, 'alter'> => ({
  alter() {
    const limiters = new Map<string, Limiter>();
    return {
      withinLimit({ value }) {
        const one = limiters.get(value) ?? make();
        limiters.set(value, one);
        return one(performance.now());
      },
    };
  },
});

const late = (delayMs: () => number): Pick<ServerOptions, 'write'> => ({
  write: (response, { status, headers, body }) => {
    const text = JSON.stringify(body);
    setTimeout(() => response.writeHead(status, headers).end(text), delayMs());
  },
});

describe.concurrent('no false alarm:', { timeout: 120_000 }, () => {
  for (const [name, options, mayBeUnclear] of [
    ['the reference server', {}, false],
    ['limits told in arrival times', each(() => cellRate()), false],
    ['a bucket with a coarse clock', each(coarseBucket), false],
    ['answers that come up to 50 ms later', late(() => Math.random() * 50), true],
    ['answers that come 300 ms later', late(() => 300), true],
  ] as const) {
    test(name, async ({ expect }) => {
      const result = await checkLimits(options, RATE_LIMIT_CASES);
      const of = (outcome: string) => result.cases.filter((one) => one.outcome === outcome);
      expect(of('failed')).toEqual([]);
      if (!mayBeUnclear) expect(of('skipped')).toEqual([]);
      for (const { reason } of of('skipped')) expect(reason).toMatch(/answers took|no request was/);
    });
  }
});

async function checkTwin({ endpoint, caughtBy, ...twin }: (typeof RATE_LIMIT_TWINS)[number]) {
  const only = caughtBy.map((id) => (endpoint ? `${id}@${endpoint}` : id));
  for (let tries = 1; ; tries += 1) {
    const result = await checkLimits({ ...twin, only: endpoint }, only);
    // on a busy machine answers take too long now and then to tell two limits apart
    if (tries === 3 || result.cases.some(({ outcome }) => outcome === 'failed')) return result;
  }
}

describe.concurrent('the checker fails a server that', { timeout: 180_000 }, () => {
  for (const twin of RATE_LIMIT_TWINS) {
    test(`${twin.fault} (${twin.name})`, async ({ expect }) => {
      const result = await checkTwin(twin);
      const failed = result.cases.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ id }) => id)).toEqual([...twin.caughtBy]);
      expect(failed.map(({ section }) => section)).toContain(twin.section);
    });
  }
});
