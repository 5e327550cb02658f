import type { LogEntry } from '../../../core/records.ts';
import type { LogConditions, ReaderGap } from '../../manage/log-reader.ts';
import type { DataLog } from '../access/data-types.ts';

interface ReadEntries {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** What is missing before them. */
  readonly gap: ReaderGap | undefined;
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
  let gap: ReaderGap | undefined;
  let cursor = conditions.afterSequence ?? conditions.beforeSequence;
  for (let ended = false; !ended && entries.length < limit; ) {
    const from = isForward ? { afterSequence: cursor } : { beforeSequence: cursor };
    const bounds = cursor === undefined ? {} : from;
    const page = await log.page(
      { ...conditions, ...bounds } as LogConditions,
      limit - entries.length,
    );
    gap ??= page.gap;
    entries.push(...page.entries);
    cursor = page.searchedTo;
    ended = page.ended;
  }
  if (!isForward) entries.reverse();
  return { entries, gap };
}
