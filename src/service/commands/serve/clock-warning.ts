import { shownTime } from '../../../core/time-zone.ts';
import type { Store } from '../../stores/store.ts';
import { zoneOf } from '../access/zone.ts';

/** Several servers write to one log: their clocks differ by less. */
const CLOCKS_DIFFER_MS = 1000;

/**
 * What to say when the clock of this machine is before the newest log entry; undefined when it is not. Both times are in the
 * zone of the only organisation, else in that of the machine.
 * @param now milliseconds since 1970 UTC
 */
export async function clockWarning(
  store: Pick<Store, 'searchLog' | 'list'>,
  now: number,
): Promise<string | undefined> {
  const [newest] = (await store.searchLog({ limit: 1, searchMax: 1 })).entries;
  if (!newest || newest.at <= now + CLOCKS_DIFFER_MS) return undefined;
  const zone = await zoneOf(store);
  const [shown, logged] = [shownTime(now, zone), shownTime(newest.at, zone)];
  return `The clock of this machine shows ${shown}, before the newest entry of the scan log, ${logged} (${zone}).`;
}

/** What to do then. */
export const CLOCK_ADVICE =
  'Set the clock right: by a clock that is behind, gates refuse tickets as not yet valid, and expired ones enter.';
