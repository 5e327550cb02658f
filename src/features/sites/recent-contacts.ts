import type { Clock } from '../../core/clock.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import type { Store } from '../../stores/store.ts';
import { CONTACTS_AT_ONCE, type FeedQuestion, WAIT_SECONDS_MAX } from './wire.ts';

/** A contact is told in two questions: one of them may be lost. */
const TOLD_MS = 2 * WAIT_SECONDS_MAX * SECOND_MS;

/** The devices of this store that sent a heartbeat lately, with the last one of each. */
export async function recentContacts(
  store: Pick<Store, 'list' | 'listDevices'>,
  clock: Pick<Clock, 'now'>,
): Promise<FeedQuestion['contacts']> {
  const organisations = await store.list('organisation');
  const devices = await Promise.all(organisations.map(({ id }) => store.listDevices(id)));
  const since = clock.now() - TOLD_MS;
  return devices
    .flat()
    .flatMap(({ keyId, model, serial, address, firmware, clock: shown, lastContactAt: at }) =>
      at === null || at < since
        ? []
        : [{ keyId, model, serial, address, firmware, clock: shown, at }],
    )
    .slice(0, CONTACTS_AT_ONCE);
}
