import { SCANS, type ScanEndpoint } from '../../../src/check/requests/exchange.ts';
import { fixedWindow, refillsWhole } from '../../check/rates/simulated.ts';
import type { Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key } from '../reference/world.ts';
import type { Parts, Twin } from './twin.ts';

/** A token bucket with other numbers, or another idea of what it belongs to. */
function bucket(options: {
  burst?: number;
  perSecond?: number;
  name?: (key: Key, path: string) => string;
  costOfRefusal?: number;
}) {
  const { burst = 100, perSecond = 50, name = (key) => key.value, costOfRefusal = 0 } = options;
  return (): Partial<Parts> => {
    const buckets = new Map<string, { tokens: number; filledAt: number }>();
    return {
      withinLimit(key, incoming) {
        const now = performance.now();
        const id = name(key, incoming.path);
        const one = buckets.get(id) ?? { tokens: burst, filledAt: now };
        buckets.set(id, one);
        one.tokens = Math.min(burst, one.tokens + ((now - one.filledAt) / 1000) * perSecond);
        one.filledAt = now;
        const passes = one.tokens >= 1;
        one.tokens -= passes ? 1 : costOfRefusal;
        return passes;
      },
    };
  };
}

/** Limits of another idea than a bucket's, for each key. */
function limiter(make: () => (now: number) => boolean) {
  return (): Partial<Parts> => {
    const limiters = new Map<string, (now: number) => boolean>();
    return {
      withinLimit(key) {
        const one = limiters.get(key.value) ?? make();
        limiters.set(key.value, one);
        return one(performance.now());
      },
    };
  };
}

/** Registers the use of a good ticket although the request is limited. */
function takesUseWhenLimited(side: Side): Alteration {
  return (parts, world) => ({
    withinLimit(key, incoming) {
      const isWithin = parts.withinLimit(key, incoming);
      const code = side === 'rest' ? parts.readCode(incoming, 'consume') : parts.readCard(incoming);
      const id = parts.verify(code ?? '', side, 'consume');
      const ticket = world.tickets.get(id ?? '');
      if (ticket && !isWithin) ticket.usesConsumed += 1;
      return isWithin;
    },
  });
}

const FAULTS = [
  {
    name: 'rate-of-42',
    fault: 'refills 42 a second',
    caughtBy: '8/steady-rate',
    alter: bucket({ perSecond: 42 }),
  },
  {
    name: 'rate-of-64',
    fault: 'refills 64 a second',
    caughtBy: '8/no-more-than-50-a-second',
    alter: bucket({ perSecond: 64 }),
  },
  {
    name: 'burst-of-80',
    fault: 'allows bursts of 80',
    caughtBy: '8/burst-of-100',
    alter: bucket({ burst: 80 }),
  },
  {
    name: 'burst-of-129',
    fault: 'allows bursts of 129',
    caughtBy: 'more',
    alter: bucket({ burst: 129 }),
  },
  {
    name: 'unlimited',
    fault: 'has no rate limit',
    caughtBy: 'more',
    alter: () => ({ withinLimit: () => true }),
  },
] as const;

/** Each of these faults on each endpoint alone. */
const ON_ONE_ENDPOINT: readonly RateTwin[] = SCANS.flatMap((endpoint) => {
  const isHardware = endpoint.startsWith('hw/');
  const more = isHardware ? '8/device-limit' : '8/429-beyond-the-limit';
  return [
    ...FAULTS.map(({ name, fault, caughtBy, alter }) => ({
      name: `${name}-on-${endpoint.replace('/', '-')}`,
      section: '8',
      fault: `${fault} on ${endpoint} only`,
      caughtBy: [caughtBy === 'more' ? more : caughtBy],
      endpoint,
      alter,
    })),
    isHardware ? limitedButOpen(endpoint) : limitedWithPage(endpoint),
  ];
});

function limitedWithPage(endpoint: ScanEndpoint): RateTwin {
  return {
    name: `limited-body-on-${endpoint.replace('/', '-')}`,
    section: '7.2',
    fault: `answers a 429 with a page on ${endpoint} only`,
    caughtBy: ['7.2/body-of-429'],
    endpoint,
    alter: () => ({
      limited: () => ({ status: 429, headers: {}, body: '<h1>Too Many Requests</h1>' }),
    }),
  };
}

function limitedButOpen(endpoint: ScanEndpoint): RateTwin {
  return {
    name: `limited-but-open-on-${endpoint.replace('/', '-')}`,
    section: '7.3',
    fault: `answers a 429 with a grant on ${endpoint} only`,
    caughtBy: ['7.3/limited-opens-no-door'],
    endpoint,
    alter: (parts) => ({
      limited(side) {
        const { body, ...answer } = parts.limited(side);
        return { ...answer, body: { ...(body as object), AcsRes: '1' } };
      },
    }),
  };
}

/** A twin of the limits; with an endpoint, it errs there alone. */
export interface RateTwin extends Twin {
  /** The cases that must fail, at the least. */
  readonly caughtBy: readonly string[];
  readonly endpoint?: ScanEndpoint;
}

/** Twins that break the rate limits; only their own cases are run, because each takes seconds. */
export const RATE_LIMIT_TWINS: readonly RateTwin[] = [
  ...ON_ONE_ENDPOINT,
  {
    name: 'no-limit',
    section: '8',
    fault: 'has no rate limit',
    caughtBy: ['8/429-beyond-the-limit', '8/device-limit'],
    alter: () => ({ withinLimit: () => true }),
  },
  {
    name: 'burst-of-30',
    section: '8',
    fault: 'allows bursts of 30',
    caughtBy: ['8/burst-of-100'],
    alter: bucket({ burst: 30 }),
  },
  {
    name: 'burst-of-400',
    section: '8',
    fault: 'allows bursts of 400',
    caughtBy: ['8/429-beyond-the-limit'],
    alter: bucket({ burst: 400 }),
  },
  {
    name: 'rate-of-20',
    section: '8',
    fault: 'refills 20 a second',
    caughtBy: ['8/steady-rate'],
    alter: bucket({ perSecond: 20 }),
  },
  {
    name: 'limit-of-all-keys',
    section: '8',
    fault: 'shares one limit among all keys',
    caughtBy: ['8/limit-is-per-key'],
    alter: bucket({ name: () => 'all' }),
  },
  {
    name: 'limit-by-endpoint',
    section: '8',
    fault: 'has a limit for each endpoint',
    caughtBy: ['8/limit-covers-all-endpoints'],
    alter: bucket({ name: (key, path) => `${key.value} ${path}` }),
  },
  {
    name: 'refusals-count',
    section: '8',
    fault: 'counts refused requests as well',
    caughtBy: ['8/recovers'],
    alter: bucket({ costOfRefusal: 3 }),
  },
  {
    name: 'limited-with-503',
    section: '8',
    fault: 'answers 503 beyond the limit',
    caughtBy: ['8/429-beyond-the-limit'],
    alter: (parts) => ({ limited: (side) => ({ ...parts.limited(side), status: 503 }) }),
  },
  {
    name: 'devices-unlimited',
    section: '8',
    fault: 'does not limit devices',
    caughtBy: ['8/device-limit'],
    alter: (parts) => ({
      withinLimit: (key, incoming) => key.type === 'hardware' || parts.withinLimit(key, incoming),
    }),
  },
  {
    name: 'limited-text',
    section: '7.2',
    fault: 'says `Rate exceeded` on a 429',
    caughtBy: ['7.2/body-of-429'],
    alter: (parts) => ({
      limited: (side) => ({ ...parts.limited(side), body: { message: 'Rate exceeded' } }),
    }),
  },
  {
    name: 'limited-with-more',
    section: '7.2',
    fault: 'adds the limit to the 429 body',
    caughtBy: ['7.2/body-of-429'],
    alter: (parts) => ({
      limited: (side) => ({
        ...parts.limited(side),
        body: { message: 'Too Many Requests', limit: 50 },
      }),
    }),
  },
  {
    name: 'rate-of-55',
    section: '8',
    fault: 'refills 55 a second',
    caughtBy: ['8/no-more-than-50-a-second'],
    alter: bucket({ perSecond: 55 }),
  },
  {
    name: 'rate-of-45',
    section: '8',
    fault: 'refills 45 a second',
    caughtBy: ['8/steady-rate'],
    alter: bucket({ perSecond: 45 }),
  },
  {
    name: 'burst-of-115',
    section: '8',
    fault: 'allows bursts of 115',
    caughtBy: ['8/429-beyond-the-limit'],
    alter: bucket({ burst: 115 }),
  },
  {
    name: 'refill-of-100',
    section: '8',
    fault: 'gives the whole burst back after 0.9 s without requests',
    caughtBy: ['8/no-more-than-50-a-second'],
    alter: limiter(() => refillsWhole(900)),
  },
  {
    name: 'window-of-one-second',
    section: '8',
    fault: 'counts 100 requests in each second, a fixed window',
    caughtBy: ['8/no-more-than-50-a-second'],
    alter: limiter(() => fixedWindow(1000, 100)),
  },
  {
    name: 'window-of-two-seconds',
    section: '8',
    fault: 'counts 100 requests in two seconds, a fixed window',
    caughtBy: ['8/steady-rate', '8/no-more-than-50-a-second'],
    alter: limiter(() => fixedWindow(2000, 100)),
  },
  ...(['rest', 'hardware'] as const).map((side) => ({
    name: `limited-takes-a-use-${side}`,
    section: '8',
    fault: `takes the use and then asks the limit, on ${side === 'rest' ? 'consume' : 'hw/consume'}`,
    caughtBy: ['8/limited-takes-no-use'],
    endpoint: side === 'rest' ? ('consume' as const) : ('hw/consume' as const),
    alter: takesUseWhenLimited(side),
  })),
];
