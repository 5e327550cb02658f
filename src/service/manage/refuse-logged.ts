import type { LogSearch } from '../stores/log-search.ts';
import type { LogStore } from '../stores/store.ts';
import { notEmpty } from '../stores/store-errors.ts';
import { follow, searchIn } from './log-reader.ts';

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
  for await (const page of follow(searchIn(store, condition, 1), { after: 0 })) {
    if (page.entries.length > 0) throw notEmpty(what, 'log entries');
    searchedTo = page.upTo;
  }
  return searchedTo;
}
