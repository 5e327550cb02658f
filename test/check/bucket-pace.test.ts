import { expect, test } from 'vitest';
import { TokenBucketPace } from '../../src/check/pace/pace.ts';
import { fc } from '../support/fast-check.ts';

function virtualClock() {
  let time = 0;
  return {
    now: () => time,
    sleep: async (ms: number) => {
      time += ms;
    },
  };
}

/** The most that any window holds beyond what the rate gives in it. */
function burstOf(times: readonly number[], perMs: number): number {
  const windows = times.flatMap((from, i) =>
    times.slice(i).map((to, more) => more + 1 - (to - from) * perMs),
  );
  return Math.max(0, ...windows);
}

test('each key gets at most four fifths of its burst and rate, in whatever window one looks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ rate: fc.integer({ min: 1, max: 60 }), burst: fc.integer({ min: 2, max: 120 }) }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 9 })), {
        maxLength: 120,
      }),
      async (limits, groups) => {
        const clock = virtualClock();
        const pace = new TokenBucketPace(limits, clock);
        const capacity = Math.max(1, Math.floor(limits.burst * 0.8));
        const sent: Record<string, number[]> = { a: [], b: [] };
        for (const [key, wanted] of groups) {
          const count = Math.min(wanted, capacity);
          await pace.wait(count, key);
          sent[key]?.push(...Array.from({ length: count }, clock.now));
        }
        for (const times of Object.values(sent))
          expect(burstOf(times, (limits.rate * 0.8) / 1000)).toBeLessThanOrEqual(capacity + 1e-6);
      },
    ),
    { numRuns: 60 },
  );
});

test('the burst leaves at once, and then four fifths of the rate', async () => {
  const clock = virtualClock();
  const pace = new TokenBucketPace({ rate: 50, burst: 100 }, clock);
  for (let i = 0; i < 80; i += 1) await pace.wait(1, 'a');
  expect(clock.now()).toBe(0);
  for (let i = 0; i < 80; i += 1) await pace.wait(1, 'a');
  expect(clock.now()).toBeGreaterThanOrEqual(2000);
  expect(clock.now()).toBeLessThan(2100);
});

test('a key that was limited rests, goes on at half the pace and recovers; another key is not held up', async () => {
  const clock = virtualClock();
  const pace = new TokenBucketPace({ rate: 50, burst: 100 }, clock);
  await pace.wait(1, 'a');
  pace.slowDown('a', 1000);
  pace.slowDown('a', 1000);
  await pace.wait(1, 'b');
  expect(clock.now()).toBe(0);
  await pace.wait(1, 'a');
  expect(clock.now()).toBe(1000);
  const durationOf = async (count: number) => {
    const from = clock.now();
    for (let i = 0; i < count; i += 1) await pace.wait(1, 'a');
    return clock.now() - from;
  };
  await durationOf(30); // what was regained meanwhile
  expect(await durationOf(20)).toBeGreaterThanOrEqual(990);
  for (let i = 0; i < 10; i += 1) pace.speedUp('a');
  expect(await durationOf(20)).toBeLessThan(600);
});
