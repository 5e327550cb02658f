import type { LogSearch } from '../stores/log-search.ts';
import type { LogStore } from '../stores/log-store.ts';
import { notEmpty } from '../stores/store-errors.ts';

/** A few milliseconds of a store: scans go on meanwhile. */
const SEARCHED_AT_ONCE = 10_000;

/**
 * Looks through the whole log, a part at a time, for an entry that meets a condition.
 * @returns the number up to which there is none
 * @throws TicketscanError `conflict` when there is one
 */
export async function refuseLogged(
  store: Pick<LogStore, 'searchLog'>,
  what: 'event' | 'organisation',
  condition: Pick<LogSearch, 'eventId' | 'organisationId'>,
): Promise<number> {
  let searchedTo = 0;
  for (;;) {
    const page = await store.searchLog({
      ...condition,
      afterSequence: searchedTo,
      limit: 1,
      searchMax: SEARCHED_AT_ONCE,
    });
    if (page.entries.length > 0) throw notEmpty(what, 'log entries');
    searchedTo = page.searchedTo;
    if (page.ended) return searchedTo;
  }
}
