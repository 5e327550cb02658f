import type { LogEntry } from '../../../core/records.ts';
import type { LogConditions } from '../../manage/log-reader.ts';
import type { DataLog } from '../access/data-types.ts';

/** Entries that meet the conditions, and where a reader of new ones goes on. */
interface ReadEntries {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** The last number that was looked at, or the newest that was found. */
  readonly newest: number;
}

/**
 * The first `limit` entries after `afterSequence`; without it, the latest ones. Searches the whole log where it must, a bounded
 * part at a time.
 */
export async function readEntries(
  log: DataLog,
  conditions: LogConditions,
  limit: number,
): Promise<ReadEntries> {
  const isForward = conditions.afterSequence !== undefined;
  const entries: LogEntry[] = [];
  let cursor = conditions.afterSequence;
  for (let ended = false; !ended && entries.length < limit; ) {
    const from = isForward ? { afterSequence: cursor } : { beforeSequence: cursor };
    const bounds = cursor === undefined ? {} : from;
    const page = await log.page(
      { ...conditions, ...bounds } as LogConditions,
      limit - entries.length,
    );
    entries.push(...page.entries);
    cursor = page.searchedTo;
    ended = page.ended;
  }
  if (!isForward) entries.reverse();
  const found = entries.at(-1)?.sequence ?? conditions.afterSequence ?? 0;
  return { entries, newest: isForward ? (cursor ?? found) : found };
}
