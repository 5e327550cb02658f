import type { LogPage, LogSearch } from '../core/log-search.ts';
import type { LogEntry } from '../core/records.ts';
import type { Store } from '../stores/store.ts';

/** Between two steps the store answers scans: a step takes it some 10 ms. */
const STEP_ENTRIES = 10_000;
/** So far one question reaches; whoever asks may go on from there. */
const REACH_ENTRIES = 100_000;

export type LogConditions = Omit<LogSearch, 'limit' | 'searchMax'>;

/** A page of the entries that meet the conditions, found in small steps and never further than a fixed reach. */
export async function readLogPage(
  store: Pick<Store, 'searchLog'>,
  conditions: LogConditions,
  limit: number,
): Promise<LogPage> {
  const entries: LogEntry[] = [];
  const forward = conditions.afterSequence !== undefined;
  let cursor = forward ? conditions.afterSequence : conditions.beforeSequence;
  for (let reached = 0; ; reached += STEP_ENTRIES) {
    const page: LogPage = await store.searchLog({
      ...conditions,
      ...(cursor !== undefined && { [forward ? 'afterSequence' : 'beforeSequence']: cursor }),
      limit: limit - entries.length,
      searchMax: STEP_ENTRIES,
    });
    entries.push(...page.entries);
    cursor = page.searchedTo;
    const isDone = page.ended || entries.length >= limit;
    if (isDone || reached + STEP_ENTRIES >= REACH_ENTRIES) return { ...page, entries };
  }
}

/** The number of the newest entry; 0 in an empty log. */
export async function newestSequence(store: Pick<Store, 'searchLog'>): Promise<number> {
  const { entries } = await store.searchLog({ limit: 1, searchMax: 1 });
  return entries[0]?.sequence ?? 0;
}

/** Every entry after a number that meets the conditions, oldest first, up to what is the newest at the start. */
export async function* allEntries(
  store: Pick<Store, 'searchLog'>,
  conditions: Omit<LogConditions, 'beforeSequence'>,
): AsyncGenerator<LogEntry> {
  const newest = await newestSequence(store);
  let afterSequence = conditions.afterSequence ?? 0;
  while (afterSequence < newest) {
    const limit = STEP_ENTRIES;
    const page = await store.searchLog({ ...conditions, afterSequence, limit, searchMax: limit });
    yield* page.entries;
    afterSequence = page.searchedTo;
  }
}
