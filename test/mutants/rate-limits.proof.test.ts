import { describe, expect, test } from 'vitest';
import { Random } from '../../prove/world/random.ts';
import type { CaseResult } from '../../src/check/index.ts';
import { checkIn } from '../../src/check/run/run.ts';
import { cellRate, coarseBucket } from '../check/rates/simulated.ts';
import { SEED } from '../support/seed.ts';
import { wholeOrCover } from '../support/whole.ts';
import { step } from './faults/faulty-server.ts';
import { LIMIT_FAULTS, limiter } from './faults/rate-limits.ts';
import type { ServerOptions } from './reference/server.ts';
import { type Delay, NEAR, virtualServer } from './reference/virtual-world.ts';

const random = new Random(SEED);
const RATE_LIMIT_CASES = ['8/*', '7.2/body-of-429', '7.3/limited-*'];
/** What is measured; on one endpoint, because the others are asked in the same way. */
const NUMBERS = [
  '8/burst-of-100',
  '8/429-beyond-the-limit',
  '8/steady-rate',
  '8/no-more-than-50-a-second',
].map((id) => `${id}@validate`);

async function checkLimits(options: ServerOptions, only: readonly string[], delay?: Delay) {
  const { world, baseUrl, target } = virtualServer({ ...options, rateLimits: true }, delay);
  const how = { baseUrl, target, consume: true, rateLimits: true, only };
  return world.run(checkIn(world, how));
}

const late = (answer: () => number): Delay => ({ ...NEAR, answer });

const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' };

const RIGHT: readonly (ServerOptions & {
  name: string;
  /** Of the line to it; then not everything can be told. */
  delay?: Delay;
  cases: readonly string[];
  warns?: readonly string[];
})[] = [
  { name: 'the reference server', cases: RATE_LIMIT_CASES },
  {
    name: 'the reference server, where one key is asked twice without another between',
    cases: ['8/burst-of-100@validate', '8/burst-of-100@consume'],
  },
  { name: 'limits told in arrival times', cases: NUMBERS, alter: limiter(cellRate) },
  {
    name: 'limited devices that get the answer for software',
    cases: ['7.3/limited-*'],
    warns: ['7.3/limited-device-format'],
    alter: step('limited', ({ parts }) => parts.limited('rest')),
  },
  {
    name: 'limited devices that are denied with HTTP 200 and a Note of their own',
    cases: [...RATE_LIMIT_CASES, '4/every-answer'],
    alter: step('limited', ({ next, parts }, side) =>
      side === 'rest'
        ? next()
        : {
            ...parts.limited('hardware'),
            status: 200,
            body: { ...DENIED, Note: 'Zu viele Anfragen' },
          },
    ),
  },
  { name: 'a bucket with a coarse clock', cases: NUMBERS, alter: limiter(coarseBucket) },
  {
    name: 'answers up to 50 ms later',
    cases: NUMBERS,
    delay: late(() => random.between(0, 50)),
  },
  { name: 'answers 300 ms later', cases: ['8/*@hw/consume'], delay: late(() => 300) },
  {
    name: 'a line of 100 to 300 ms',
    cases: RATE_LIMIT_CASES,
    delay: { there: () => random.between(50, 150), back: () => random.between(50, 150) },
  },
];

const idsOf = (cases: readonly CaseResult[], outcome: CaseResult['outcome']) =>
  cases.filter((one) => one.outcome === outcome).map(({ id }) => id);

describe('no false alarm:', () => {
  test.each(RIGHT)('$name', async ({ name: _, cases: only, delay, warns = [], ...options }) => {
    const { cases } = await checkLimits(options, only, delay);
    expect(cases.length).toBeGreaterThan(0);
    expect(idsOf(cases, 'failed')).toEqual([]);
    expect(idsOf(cases, 'warned')).toEqual(warns);
    const reasons = cases.flatMap(({ outcome, reason }) => (outcome === 'skipped' ? reason : []));
    const known = /answers took up to|only when the key/;
    expect(reasons.filter((reason) => !known.test(reason ?? ''))).toEqual([]);
    if (!delay) expect(reasons).toEqual([]);
  });
});

/** Few that make each case fail on each endpoint where it fails for one of all. */
const FAULTY_LIMITS = wholeOrCover(LIMIT_FAULTS, ({ caughtBy, only = 'all' }) =>
  caughtBy.map((id) => `${id}@${only}`),
);

describe('the checker fails a server that', () => {
  test.each(FAULTY_LIMITS)('$name ($section)', async ({ only, caughtBy, section, ...fault }) => {
    const ids = caughtBy.map((id) => (only ? `${id}@${only}` : id));
    const { cases } = await checkLimits({ ...fault, only }, ids);
    const failed = cases.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ id }) => id).toSorted()).toEqual(caughtBy.toSorted());
    expect(failed.map((one) => one.section)).toContain(section);
  });
});
