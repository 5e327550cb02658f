import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, TicketscanError } from '../../../core/errors.ts';
import type { LogEntry } from '../../../core/records.ts';
import type { LogConditions, ReaderGap } from '../../manage/log-reader.ts';
import type { DataLog } from '../access/data-types.ts';

const PAGE_ENTRIES = 1000;
const POLL_MS = 300;
const RETRY_MS_MAX = 5000;
/** A server or a database that was restarted is there again after a while. */
const PASSING: readonly ErrorCode[] = ['unreachable', 'store_unavailable', 'store_busy', 'busy'];
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
  const reader = { log, conditions, follower, place: conditions.afterSequence };
  let failures = 0;
  const failed = (error: unknown) => {
    if (!(error instanceof TicketscanError) || !PASSING.includes(error.code)) throw error;
    if (failures === 0) follower.away(error);
    failures += 1;
    return Math.min(RETRY_MS_MAX, POLL_MS * 2 ** Math.min(failures, 10));
  };
  while (!signal.aborted) {
    let pauseMs: number;
    try {
      pauseMs = (await showPage(reader)) ? POLL_MS : 0;
      failures = 0;
    } catch (error) {
      pauseMs = failed(error);
    }
    if (pauseMs > 0) await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
}

interface Reader {
  readonly log: DataLog;
  readonly conditions: LogConditions;
  readonly follower: Follower;
  /** Up to this number everything was shown: where it goes on after a failure, too. */
  place: number;
}

/** @returns true when there is nothing more for now */
async function showPage(reader: Reader): Promise<boolean> {
  const { log, conditions, follower } = reader;
  const page = await log.page({ ...conditions, afterSequence: reader.place }, PAGE_ENTRIES);
  if (page.gap) {
    follower.gap(page.gap);
    reader.place = page.gap.goOnAfter;
  }
  if (page.entries.length > 0) {
    const print = await follower.printer();
    for (const entry of page.entries) {
      await print(entry);
      reader.place = entry.sequence;
    }
  }
  if (page.gap?.reason !== 'log_replaced') reader.place = page.searchedTo;
  return page.ended;
}
