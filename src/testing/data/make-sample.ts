import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import { Administration } from '../../features/keys/administration.ts';
import { seed } from '../../features/seed/seed.ts';
import type { Store } from '../../stores/store.ts';
import type { KeyName, Sample, SeedOptions } from '../controls.ts';

const TICKETS_PER_STATE = 5;

/** Fills a store with the sample that a test asked for. */
export async function makeSample(
  store: Store,
  keyring: Keyring,
  clock: Clock,
  options: SeedOptions,
): Promise<Sample> {
  const administration = new Administration(store, clock, randomBytes);
  const { ratePerSecond, burst, quotaPerMonth } = { ...DEFAULT_LIMITS, ...options.limits };
  const limits = {
    ratePerSecond: ratePerSecond ?? DEFAULT_LIMITS.ratePerSecond,
    burst: burst ?? DEFAULT_LIMITS.burst,
    quotaPerMonth: quotaPerMonth ?? DEFAULT_LIMITS.quotaPerMonth,
  };
  const perState = options.ticketsPerState ?? TICKETS_PER_STATE;
  const ticketsPerState = options.seed === 'keys-only' ? 0 : perState;
  const { events, keys, tickets } = await seed(
    { store, administration, keyring, clock, random: randomBytes },
    { ticketsPerState, limits },
  );
  const sample = { events, keys: keys as Sample['keys'], tickets };
  for (const [name, bound] of Object.entries(options.devices ?? {})) {
    if (!bound) continue;
    await administration.editKey(sample.keys[name as KeyName], { device: bound.file });
  }
  return sample;
}
