import type { LogEntry } from '../../core/records.ts';
import type { LogStore } from '../stores/store.ts';

/** Entries that are looked at, the newest first: somebody waits for the answer. */
const SEARCH_MAX = 20_000;
/** Repeated answers lie between the uses. */
const ENTRIES_MAX = 20;

/** The newest use of a ticket that is in the last part of the log; undefined for an older one. */
export async function findLastUse(
  store: Pick<LogStore, 'searchLog'>,
  organisationId: string,
  ticketId: string,
): Promise<LogEntry | undefined> {
  const { entries } = await store.searchLog({
    organisationId,
    ticketId,
    outcome: 'admitted',
    limit: ENTRIES_MAX,
    searchMax: SEARCH_MAX,
  });
  return entries.find(({ replayed }) => !replayed);
}
