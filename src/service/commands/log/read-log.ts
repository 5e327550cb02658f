import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, TicketscanError } from '../../../core/errors.ts';
import type { LogEntry } from '../../../core/records.ts';
import { follow, type LogConditions, type ReaderGap } from '../../manage/log-reader.ts';
import type { DataLog } from '../access/data-types.ts';

const PAGE_ENTRIES = 1000;
const POLL_MS = 300;
const RETRY_MS_MAX = 5000;
/** A server or a database that was restarted is there again after a while. */
const PASSING: readonly ErrorCode[] = ['unreachable', 'store_unavailable', 'store_busy', 'busy'];

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

/** What happens while a log is followed, in its order. */
export interface Follower {
  /** Called once for each page that has entries; what it returns is called with each of them. */
  readonly printer: () => Promise<(entry: LogEntry) => Promise<void>>;
  readonly gap: (gap: ReaderGap) => void;
  /** Called once for each time that the log cannot be read; it is tried again. */
  readonly away: (error: TicketscanError) => void;
}

/**
 * Shows every entry after a number that meets the conditions, each once, until `signal` is aborted. It outlasts a restart of the
 * server or database that it reads.
 * @throws whatever else the log or the follower throw
 */
export async function followLog(
  log: DataLog,
  conditions: LogConditions & { readonly afterSequence: number },
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  /** Up to this number everything was shown: where it goes on after a failure, too. */
  let after = conditions.afterSequence;
  let failures = 0;
  const read = (afterSequence: number) => log.page({ ...conditions, afterSequence }, PAGE_ENTRIES);
  const show = async () => {
    for await (const page of follow(read, { after, signal, pauseMs: POLL_MS })) {
      if (page.gap) follower.gap(page.gap);
      after = page.gap?.goOnAfter ?? after;
      const print = page.entries.length > 0 ? await follower.printer() : undefined;
      for (const entry of page.entries) {
        await print?.(entry);
        after = entry.sequence;
      }
      after = page.upTo;
      failures = 0;
    }
  };
  while (!signal.aborted) {
    await show().catch(async (error: unknown) => {
      if (!(error instanceof TicketscanError) || !PASSING.includes(error.code)) throw error;
      if (failures === 0) follower.away(error);
      failures += 1;
      const pauseMs = Math.min(RETRY_MS_MAX, POLL_MS * 2 ** Math.min(failures, 10));
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    });
  }
}
