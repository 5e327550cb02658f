import { describe, expect, test } from 'vitest';
import { Random } from '../../prove/world/random.ts';
import { type CaseResult, check } from '../../src/check/index.ts';
import { cellRate, coarseBucket } from '../check/rates/simulated.ts';
import { SEED } from '../support/seed.ts';
import { wholeOrCover } from '../support/whole.ts';
import { step } from './faults/faulty-server.ts';
import { type FaultyLimits, LIMIT_FAULTS, limiter } from './faults/rate-limits.ts';
import { eachOf } from './found.ts';
import { slowLine } from './lines.ts';
import { type ServerOptions, startServer, writeReply } from './reference/server.ts';

const random = new Random(SEED);
const RATE_LIMIT_CASES = ['8/*', '7.2/body-of-429', '7.3/limited-*'];
/** What is measured; on one endpoint, because the others are asked in the same way. */
const NUMBERS = [
  '8/burst-of-100',
  '8/429-beyond-the-limit',
  '8/steady-rate',
  '8/no-more-than-50-a-second',
].map((id) => `${id}@validate`);
/** Of what the checker says that it could not tell: answers may take too long to tell two limits apart. */
const ASKED_MAX = 3;
/** They wait most of the time; more of them would wait for each other. */
const AT_ONCE = 14;

async function checkLimits(
  options: ServerOptions,
  only: readonly string[],
  delayMs?: () => number,
) {
  const server = await startServer({ ...options, rateLimits: true });
  const line = delayMs && (await slowLine(server.baseUrl, delayMs));
  const { baseUrl } = line ?? server;
  try {
    const { target } = server;
    return await check({ baseUrl, target, consume: true, rateLimits: true, only });
  } finally {
    line?.close();
    await server.close();
  }
}

const late = (delayMs: () => number): Pick<ServerOptions, 'write'> => ({
  write: (response, answer) => {
    setTimeout(() => writeReply(response, answer), delayMs());
  },
});

const RIGHT: readonly (ServerOptions & {
  name: string;
  isSlow?: true;
  /** Of the line to it, each way. */
  delayMs?: () => number;
  cases: readonly string[];
  warns?: readonly string[];
})[] = [
  { name: 'the reference server', cases: RATE_LIMIT_CASES },
  { name: 'limits told in arrival times', cases: NUMBERS, alter: limiter(cellRate) },
  {
    name: 'limited devices that get the answer for software',
    cases: ['7.3/limited-*'],
    warns: ['7.3/limited-device-format'],
    alter: step('limited', ({ parts }) => parts.limited('rest')),
  },
  { name: 'a bucket with a coarse clock', cases: NUMBERS, alter: limiter(coarseBucket) },
  {
    name: 'answers up to 50 ms later',
    cases: NUMBERS,
    ...late(() => random.between(0, 50)),
    isSlow: true,
  },
  {
    name: 'answers 300 ms later',
    cases: ['8/*@hw/consume'],
    ...late(() => 300),
    isSlow: true,
  },
  {
    name: 'a line of 100 to 300 ms',
    cases: RATE_LIMIT_CASES,
    delayMs: () => random.between(50, 150),
    isSlow: true,
  },
];

/** Asks again what could not be told, and gives every result. */
async function askUntilTold(
  wanted: readonly string[],
  ask: (cases: readonly string[]) => Promise<{ readonly cases: readonly CaseResult[] }>,
  askedMax = ASKED_MAX,
) {
  const results: CaseResult[] = [];
  let open = wanted;
  for (let asked = 0; asked < askedMax && open.length > 0; asked += 1) {
    const { cases } = await ask(open);
    results.push(...cases);
    open = cases.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id);
  }
  return { results, open };
}

function checkRight({
  cases,
  isSlow,
  delayMs,
  name: _,
  warns: __,
  ...options
}: (typeof RIGHT)[number]) {
  const ask = (open: readonly string[]) => checkLimits(options, open, delayMs);
  return askUntilTold(cases, ask, isSlow ? 1 : ASKED_MAX);
}

const reasonOf = ({ reason }: CaseResult) => reason ?? '';

async function checkFaulty({ only: endpoint, caughtBy, ...fault }: FaultyLimits) {
  const ids = caughtBy.map((id) => (endpoint ? `${id}@${endpoint}` : id));
  const ask = (open: readonly string[]) => checkLimits({ ...fault, only: endpoint }, open);
  const { results } = await askUntilTold(ids, ask);
  return results
    .filter(({ outcome }) => outcome === 'failed')
    .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
}

/** Few that make each case fail on each endpoint where it fails for one of all. */
const FAULTY_LIMITS = wholeOrCover(LIMIT_FAULTS, ({ caughtBy, only = 'all' }) =>
  caughtBy.map((id) => `${id}@${only}`),
);

const right = eachOf(RIGHT, checkRight, AT_ONCE);
const caught = eachOf(FAULTY_LIMITS, checkFaulty, AT_ONCE);

describe('no false alarm:', () => {
  test.each(RIGHT)('$name', async (one) => {
    const { results = [], open = [] } = (await right.get(one)) ?? {};
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const warned = results.filter(({ outcome }) => outcome === 'warned').map(({ id }) => id);
    expect(warned).toEqual(one.warns ?? []);
    const reasons = results.filter(({ outcome }) => outcome === 'skipped').map(reasonOf);
    // The last is a busy machine's: it sends less than the limit.
    const known = /answers took up to|only when the key|this client sent only/;
    expect(reasons.filter((reason) => !known.test(reason))).toEqual([]);
    if (!one.isSlow) expect(open).toEqual([]);
  });
});

describe('the checker fails a server that', () => {
  test.each(FAULTY_LIMITS)('$name ($section)', async (faulty) => {
    const failed = (await caught.get(faulty)) ?? [];
    expect(failed.map(({ id }) => id)).toEqual([...faulty.caughtBy]);
    expect(failed.map(({ section }) => section)).toContain(faulty.section);
  });
});
