import type { Clock } from '../../core/clock.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { sessionEndsAt } from './access.ts';
import { listTyped } from './account-records.ts';

/** Removes the ended sessions and pairings of every organisation. A server does it beside its requests. */
export async function dropEnded(
  store: Pick<RecordStore, 'list' | 'write'>,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const now = clock.now();
  const sessions = await listTyped(store, 'session');
  const pairings = await listTyped(store, 'pairing');
  const deleted = [
    ...sessions.filter(({ value }) => now >= sessionEndsAt(value)),
    ...pairings.filter(({ value }) => now >= value.expiresAt),
  ];
  if (deleted.length > 0) await store.write({ deleted, audit: [] });
}
