import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, TicketscanError } from '../../../core/errors.ts';
import { type LogEntry, logEntryFromView } from '../../../core/records.ts';
import { PAGE_ITEMS_MAX } from '../../../operations/fields.ts';
import type { Call } from '../../../operations/operation.ts';
import { follow, type LogConditions, type ReaderGap, type ReadLogPage } from '../log-reader.ts';
import { type LogConditions as GivenConditions, readLog } from '../operations.ts';

const POLL_MS = 300;
const RETRY_MS_MAX = 5000;
/** Failures that pass: a restarted server or database comes back after a while. */
const PASSING: readonly ErrorCode[] = ['unreachable', 'store_unavailable', 'store_busy', 'busy'];

/** A page of the entries that somebody wants to see, from a place on; it may hold fewer than `limit`. */
export type ReadPage = (
  place: Pick<LogConditions, 'beforeSequence' | 'afterSequence'>,
  limit: number,
) => Promise<ReadLogPage>;

export function pagesOf(call: Call, conditions: GivenConditions): ReadPage {
  return async ({ beforeSequence: before, afterSequence: after }, wanted) => {
    const limit = Math.min(wanted, PAGE_ITEMS_MAX);
    const page = await call(readLog, { ...conditions, before, after, limit });
    const { items, next, searchedBackTo: searchedTo, gap } = page;
    const entries = items.map(logEntryFromView);
    return { entries, searchedTo, ended: next === null, ...(gap && { gap }) };
  };
}

interface ReadEntries {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** The gap before these entries. */
  readonly gap: ReaderGap | undefined;
}

/**
 * The first `limit` entries after `afterSequence`; without it, the latest ones. Searches the whole log where it must, a bounded
 * part at a time.
 */
export async function readEntries(
  read: ReadPage,
  place: Parameters<ReadPage>[0],
  limit: number,
): Promise<ReadEntries> {
  const isForward = place.afterSequence !== undefined;
  const entries: LogEntry[] = [];
  let gap: ReaderGap | undefined;
  let cursor = place.afterSequence ?? place.beforeSequence;
  for (let ended = false; !ended && entries.length < limit; ) {
    const bounds =
      cursor === undefined ? {} : { [isForward ? 'afterSequence' : 'beforeSequence']: cursor };
    const page = await read(bounds, limit - entries.length);
    gap ??= page.gap;
    entries.push(...page.entries);
    cursor = page.searchedTo;
    ended = page.ended;
  }
  if (!isForward) entries.reverse();
  return { entries, gap };
}

/** The functions that are called while a log is followed. */
export interface Follower {
  /** Called once for each page that has entries; what it returns is called with each of them. */
  readonly printer: () => Promise<(entry: LogEntry) => Promise<void>>;
  readonly gap: (gap: ReaderGap) => void;
  /** Called once for each time that the log cannot be read; it is tried again. */
  readonly away: (error: TicketscanError) => void;
}

/**
 * Shows every wanted entry after a number, each once, until `signal` is aborted. It outlasts a restart of the
 * server or database that it reads.
 * @throws whatever else the log or the follower throw
 */
export async function followLog(
  read: ReadPage,
  afterSequence: number,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  /** Up to this number everything was shown: where it goes on after a failure, too. */
  let after = afterSequence;
  let failures = 0;
  const readAfter = (number: number) => read({ afterSequence: number }, PAGE_ITEMS_MAX);
  const show = async () => {
    for await (const page of follow(readAfter, { after, signal, pauseMs: POLL_MS })) {
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
