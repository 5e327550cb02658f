import { monthOf } from '../../../core/clock.ts';
import { expiresSoon, keyStateName } from '../../../core/key-terms.ts';
import type { ApiKeyRecord, Organisation } from '../../../core/records.ts';
import { usedUpAt } from '../../manage/month-forecast.ts';
import type { AdminContext } from '../admin-app.ts';
import type { Key } from '../wire/keys.ts';

/** A key with what it has used of its limits. */
export async function keyView(
  key: ApiKeyRecord,
  { limits }: Organisation,
  { store, clock }: Pick<AdminContext, 'store' | 'clock'>,
): Promise<Key> {
  const now = clock.now();
  const requestsThisMonth = await store.requestsInMonth(key.id, monthOf(now));
  const { quotaPerMonth } = limits;
  const use = { requestsInMonth: requestsThisMonth, quotaPerMonth, createdAt: key.createdAt };
  return {
    ...key,
    events: key.events === 'all' ? 'all' : [...key.events],
    state: keyStateName(key, now),
    expiresSoon: expiresSoon(key, now),
    lastUsedAt: await store.keyLastUsedAt(key.id),
    usage: {
      requestsThisMonth,
      quota: quotaPerMonth,
      usedUpAt: usedUpAt(use, now),
      ratePerSecond: limits.ratePerSecond,
      burst: limits.burst,
    },
  };
}
