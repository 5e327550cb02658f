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

/** Twins that break the rate limits; only their own cases are run, because each takes seconds. */
export const RATE_LIMIT_TWINS: readonly Twin[] = [
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
];
