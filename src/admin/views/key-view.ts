import { monthOf } from '../../core/clock.ts';
import type { ApiKeyRecord, Organisation } from '../../core/records.ts';
import type { AdminContext } from '../admin-app.ts';
import type { Key } from '../wire/keys.ts';
import { wireTime } from './wire-time.ts';

/** A key with what it has used of its limits. */
export async function keyView(
  key: ApiKeyRecord,
  { limits }: Organisation,
  { store, clock }: Pick<AdminContext, 'store' | 'clock'>,
): Promise<Key> {
  const requestsThisMonth = await store.requestsInMonth(key.id, monthOf(clock.now()));
  return {
    ...key,
    events: key.events === 'all' ? 'all' : [...key.events],
    createdAt: wireTime(key.createdAt),
    usage: {
      requestsThisMonth,
      quota: limits.quotaPerMonth,
      ratePerSecond: limits.ratePerSecond,
      burst: limits.burst,
    },
  };
}
