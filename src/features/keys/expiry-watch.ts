import { type Clock, isoTime } from '../../core/clock.ts';
import { expiresSoon } from '../../core/key-terms.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { Warn } from './month-watch.ts';

/** @returns a function to call about once a minute: it warns once a day of each key whose expiry is near */
export function expiryWatch(
  store: Pick<RecordStore, 'list'>,
  clock: Clock,
  warn: Warn,
): () => Promise<void> {
  const warned = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const day = Math.floor(now / DAY_MS);
    const expiring = (await store.list('key')).filter((key) => expiresSoon(key, now));
    for (const id of warned.keys()) {
      if (!expiring.some((key) => key.id === id)) warned.delete(id);
    }
    for (const { id, expiresAt } of expiring) {
      if (warned.get(id) === day) continue;
      warned.set(id, day);
      const facts = { key: id, expiresAt: isoTime(expiresAt ?? null) };
      warn(facts, 'a key expires soon; its requests are then refused');
    }
  };
}
