import { SCANS, type ScanEndpoint } from '../../../src/check/facts/exchange.ts';
import {
  fixedWindow,
  type Limiter,
  refillsWhole,
  tokenBucket,
} from '../../check/rates/simulated.ts';
import type { Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key } from '../reference/world.ts';
import { type FaultyServer, faults, faultsOn, remembering, step } from './faulty-server.ts';

/** A server that errs in its limits. */
export interface FaultyLimits extends FaultyServer {
  /** The cases that must fail, at the least. */
  readonly caughtBy: readonly string[];
}

/** A limiter for each key, or for what else is named. */
export const limiter = (
  make: () => Limiter,
  nameOf = (key: Key, _path: string) => key.value,
): Alteration =>
  remembering(() => {
    const limiters = new Map<string, Limiter>();
    let startedAt: number | undefined;
    return step('withinLimit', ({ world: { clock } }, key, { path }) => {
      const name = nameOf(key, path);
      const one = limiters.get(name) ?? make();
      limiters.set(name, one);
      startedAt ??= clock.now();
      return one(clock.now() - startedAt);
    });
  });

const bucket = (numbers: Parameters<typeof tokenBucket>[0]) => limiter(() => tokenBucket(numbers));
const unlimited = step('withinLimit', () => true);
const limitedWith = (change: object): Alteration =>
  step('limited', ({ next }) => ({ ...next(), ...change }));

/** Registers the use of a good ticket although the request is limited. */
const usedWhenLimited = (side: Side): Alteration =>
  step('withinLimit', ({ next, parts, world }, _, incoming) => {
    const isWithin = next();
    const code = side === 'rest' ? parts.readCode(incoming, 'consume') : parts.readCard(incoming);
    const ticket = world.tickets.get(parts.verify(code ?? '', side, 'consume') ?? '');
    if (ticket && !isWithin) ticket.usesConsumed += 1;
    return isWithin;
  });

type Row = readonly [caughtBy: string | readonly string[], how: Alteration];
type Rows = Readonly<Record<string, Row>>;

function caught(rows: Rows, tableOf: (rows: Record<string, Alteration>) => FaultyServer[]) {
  const caughtBy = Object.values(rows).map(([ids]) => [ids].flat());
  const table = tableOf(
    Object.fromEntries(Object.entries(rows).map(([name, [, how]]) => [name, how])),
  );
  return table.map((one, index): FaultyLimits => ({ ...one, caughtBy: caughtBy[index] ?? [] }));
}

const limits = (section: string, rows: Rows) => caught(rows, (table) => faults(section, table));
const limitsOn = (where: ScanEndpoint, section: string, rows: Rows) =>
  caught(rows, (table) => faultsOn(where, section, table));

/** Each of these faults on each endpoint alone. */
const ON_ONE_ENDPOINT = SCANS.flatMap((endpoint) => {
  const isDevice = endpoint.startsWith('hw/');
  const more = isDevice ? '8/device-limit' : '8/429-beyond-the-limit';
  return [
    ...limitsOn(endpoint, '8', {
      'refills 42 a second': ['8/steady-rate', bucket({ rate: 42 })],
      'refills 64 a second': ['8/no-more-than-50-a-second', bucket({ rate: 64 })],
      'allows bursts of 80': ['8/burst-of-100', bucket({ burst: 80 })],
      'allows bursts of 129': [more, bucket({ burst: 129 })],
      'has no rate limit': [more, unlimited],
    }),
    ...(isDevice
      ? limitsOn(endpoint, '7.3', {
          'answers a 429 with a grant': [
            '7.3/limited-opens-no-door',
            step('limited', ({ next }) => {
              const right = next();
              return { ...right, body: { ...(right.body as object), AcsRes: '1' } };
            }),
          ],
        })
      : limitsOn(endpoint, '7.2', {
          'answers a 429 with a page': [
            '7.2/body-of-429',
            limitedWith({ headers: {}, body: '<h1>Too Many Requests</h1>' }),
          ],
        })),
  ];
});

/** Servers that break the rate limits; only their own cases are run, because each takes seconds. */
export const LIMIT_FAULTS: readonly FaultyLimits[] = [
  ...ON_ONE_ENDPOINT,
  ...limits('8', {
    'has no rate limit': ['8/429-beyond-the-limit', unlimited],
    'allows bursts of 30': ['8/burst-of-100', bucket({ burst: 30 })],
    'allows bursts of 115': ['8/429-beyond-the-limit', bucket({ burst: 115 })],
    'allows bursts of 400': ['8/429-beyond-the-limit', bucket({ burst: 400 })],
    'refills 20 a second': ['8/steady-rate', bucket({ rate: 20 })],
    'refills 45 a second': ['8/steady-rate', bucket({ rate: 45 })],
    'refills 55 a second': ['8/no-more-than-50-a-second', bucket({ rate: 55 })],
    'shares one limit among all keys': ['8/limit-is-per-key', limiter(tokenBucket, () => 'all')],
    'has a limit for each endpoint': [
      '8/limit-covers-all-endpoints',
      limiter(tokenBucket, (key, path) => `${key.value} ${path}`),
    ],
    'counts refused requests as well': ['8/recovers', bucket({ costOfRefusal: 3 })],
    'answers 503 beyond the limit': ['8/429-beyond-the-limit', limitedWith({ status: 503 })],
    'does not limit devices': [
      '8/device-limit',
      step('withinLimit', ({ next }, key) => key.type === 'hardware' || next()),
    ],
    'gives the whole burst back after 0.9 s without requests': [
      '8/no-more-than-50-a-second',
      limiter(() => refillsWhole(900)),
    ],
    'counts 100 requests in each second, a fixed window': [
      '8/no-more-than-50-a-second',
      limiter(() => fixedWindow(1000, 100)),
    ],
    'counts 100 requests in two seconds, a fixed window': [
      ['8/steady-rate', '8/no-more-than-50-a-second'],
      limiter(() => fixedWindow(2000, 100)),
    ],
  }),
  ...limits('7.2', {
    'says `Rate exceeded` on a 429': [
      '7.2/body-of-429',
      limitedWith({ body: { message: 'Rate exceeded' } }),
    ],
    'adds the limit to the 429 body': [
      '7.2/body-of-429',
      limitedWith({ body: { message: 'Too Many Requests', limit: 50 } }),
    ],
  }),
  ...(['consume', 'hw/consume'] as const).flatMap((where) =>
    limitsOn(where, '8', {
      'takes the use and then asks the limit': [
        '8/limited-takes-no-use',
        usedWhenLimited(where === 'consume' ? 'rest' : 'hardware'),
      ],
    }),
  ),
];
