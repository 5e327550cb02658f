import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { LogEntry } from '../../core/records.ts';
import { HOUR_MS } from '../../kit/durations.ts';
import { gapAfter, type LogGap, type LogPage, type LogSearch } from '../../stores/log-search.ts';
import type { LogStore } from '../../stores/store.ts';
import { notEmpty } from '../../stores/store-errors.ts';

/** The entries of one step. The store answers scans between two steps: one takes it some 10 ms. */
const STEP_ENTRIES = 10_000;
/** Entries read at once: the store and the reader work on each for some µs. */
const READ_ENTRIES = 500;
/** Entries examined per request; callers continue from the returned cursor. */
const REACH_ENTRIES = 100_000;

export type LogConditions = Omit<LogSearch, 'limit' | 'searchMax'>;

/** A page of entries, and where the reader continues. */
export interface ReadLogPage extends Pick<LogPage, 'entries' | 'searchedTo' | 'ended'> {
  /** The entries that are missing before these, in a forward search. */
  readonly gap?: ReaderGap;
}

export interface ReaderGap extends LogGap {
  /** The reader continues after this number. */
  readonly goOnAfter: number;
}

/**
 * A page of the entries that meet the conditions, found in small steps and never further than a fixed reach. Of a search
 * by time, only the part of the log that was written around that time is looked at. Forwards it misses nothing: what cannot be
 * read any more is reported as a gap.
 */
export async function readLogPage(
  store: Pick<LogStore, 'searchLog'>,
  conditions: LogConditions,
  limit: number,
): Promise<ReadLogPage> {
  const isForward = conditions.afterSequence !== undefined;
  const { start, from, isBeyond } = await reachOf(store, conditions);
  const entries: LogEntry[] = [];
  let cursor = start;
  let gap: ReaderGap | undefined;
  for (let reached = STEP_ENTRIES; ; reached += STEP_ENTRIES) {
    const page: LogPage = await store.searchLog({
      ...conditions,
      ...from(cursor),
      limit: limit - entries.length,
      searchMax: STEP_ENTRIES,
    });
    const missing = isForward ? gapBefore(page, cursor) : undefined;
    // Pruned since the step before: the next page begins with it.
    if (missing && cursor > start) return { entries, searchedTo: cursor, ended: false };
    gap ??= missing;
    entries.push(...page.entries);
    cursor = page.searchedTo;
    const ended = page.ended || isBeyond(cursor);
    if (ended || entries.length >= limit || reached >= REACH_ENTRIES) {
      return { entries, searchedTo: cursor, ended, ...(gap && { gap }) };
    }
  }
}

/** The gap after a place. @param page what was read from there */
export function gapBefore(
  page: Pick<LogPage, 'oldest' | 'newest'>,
  afterSequence: number,
): ReaderGap | undefined {
  const gap = gapAfter(afterSequence, page);
  return gap && { ...gap, goOnAfter: gap.toSequence ?? page.newest };
}

/** Clocks step: entries of a time may have been written that much before or after their neighbours. */
const CLOCK_STEP_MS = HOUR_MS;

interface Reach {
  readonly start: number;
  readonly from: (cursor: number) => Pick<LogSearch, 'beforeSequence' | 'afterSequence'>;
  /** Whether a cursor is past what was written around the time of the search. */
  readonly isBeyond: (cursor: number) => boolean;
}

/** Finds where a search begins and ends. */
async function reachOf(
  store: Pick<LogStore, 'searchLog'>,
  { beforeSequence, afterSequence, fromAt, untilAt }: LogConditions,
): Promise<Reach> {
  const after = fromAt === undefined ? 0 : await lastBefore(store, fromAt - CLOCK_STEP_MS);
  const upTo =
    untilAt === undefined
      ? Number.MAX_SAFE_INTEGER - 1
      : await lastBefore(store, untilAt + CLOCK_STEP_MS);
  if (afterSequence !== undefined) {
    return {
      start: Math.max(afterSequence, after),
      from: (cursor) => ({ afterSequence: cursor }),
      isBeyond: (cursor) => cursor >= upTo,
    };
  }
  return {
    start: Math.min(beforeSequence ?? Number.MAX_SAFE_INTEGER, upTo + 1),
    from: (cursor) => ({ beforeSequence: cursor }),
    isBeyond: (cursor) => cursor <= after + 1,
  };
}

/**
 * The number of the last entry that was written before a time, found by halving, because numbers and times go up
 * together; 0 when there is none.
 */
export async function lastBefore(store: Pick<LogStore, 'searchLog'>, at: number): Promise<number> {
  let before = 0;
  let after = await newestSequence(store);
  while (before < after) {
    const middle = Math.floor((before + after) / 2);
    const entry = await firstAfter(store, middle, after);
    if (!entry || entry.at >= at) after = middle;
    else before = entry.sequence;
  }
  return before;
}

/** How far the first search for an entry goes; each next one goes further. Most logs have no gap, and some have a large one. */
const FIRST_LOOK_ENTRIES = 1000;
const LOOKS_FURTHER = 8;

/** The first entry after a number; undefined when there is none up to `upTo`. */
export async function firstAfter(
  store: Pick<LogStore, 'searchLog'>,
  afterSequence: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<LogEntry | undefined> {
  let cursor = afterSequence;
  for (let searchMax = FIRST_LOOK_ENTRIES; cursor < upTo; searchMax *= LOOKS_FURTHER) {
    const page = await store.searchLog({ afterSequence: cursor, limit: 1, searchMax });
    if (page.entries[0] || page.ended) return page.entries[0];
    cursor = page.searchedTo;
  }
  return undefined;
}

/** The last number of the log; 0 in an empty log. */
export async function newestSequence(store: Pick<LogStore, 'searchLog'>): Promise<number> {
  return (await store.searchLog({ limit: 1, searchMax: 1 })).newest;
}

/** How many of the newest numbers may still be missing one: never more entries are in progress at once. */
const UNDER_WAY_MAX = 10_000;

/**
 * The newest number up to which every entry is there: batches commit in another order than they are numbered, so that one of a
 * lower number may still come. Who goes on from here misses nothing.
 */
export async function settledNumber(
  read: (
    place: Pick<LogConditions, 'beforeSequence' | 'afterSequence'>,
    limit: number,
  ) => Promise<ReadLogPage>,
): Promise<number> {
  let last = await read({}, 1);
  // A gap may be larger than what one search looks at.
  while (last.entries.length === 0 && !last.ended) {
    last = await read({ beforeSequence: last.searchedTo }, 1);
  }
  const newest = last.entries[0]?.sequence ?? 0;
  // A forward search waits for entries in progress.
  if (newest > 0) await read({ afterSequence: Math.max(0, newest - UNDER_WAY_MAX) }, 1);
  return newest;
}

/** What a reader finds after a number: entries, or what is made of them. */
type FollowedPage = Pick<ReadLogPage, 'searchedTo' | 'ended' | 'gap'>;

interface FollowOptions {
  /** The reader has everything up to this number. */
  readonly after: number;
  /** Ends it, also in a pause. */
  readonly signal?: AbortSignal;
  /** How long to wait for more at the end of the log; without it, that is the end. */
  readonly pauseMs?: number;
}

/**
 * Reads the log forwards, a page at a time, and lets others work in between. A page comes also when it is empty: `gap` is what is
 * missing before it, `upTo` is where the reader is once it has it, and `ended` that there is nothing more for now. A log that was
 * replaced by a shorter one is such a gap; the reader goes on at its end.
 * @param read what comes after a number, such as `searchIn` finds it
 */
export async function* follow<Page extends FollowedPage>(
  read: (afterSequence: number) => Promise<Page>,
  { after, signal, pauseMs }: FollowOptions,
): AsyncGenerator<Page & { readonly upTo: number }> {
  for (let place = after; !signal?.aborted; await setImmediate()) {
    const page = await read(place);
    const { gap, searchedTo, ended } = page;
    const isReplaced = gap?.reason === 'log_replaced';
    place = isReplaced ? gap.goOnAfter : searchedTo;
    yield { ...page, upTo: place };
    if (!ended || isReplaced) continue;
    if (pauseMs === undefined) return;
    await wait(pauseMs, undefined, signal && { signal }).catch(() => {});
  }
}

/** Finds entries for `follow`: so many of a page meet the conditions, at most. */
export function searchIn(
  store: Pick<LogStore, 'searchLog'>,
  conditions: Omit<LogConditions, 'afterSequence' | 'beforeSequence'>,
  limit: number,
): (afterSequence: number) => Promise<LogPage & Pick<ReadLogPage, 'gap'>> {
  return async (afterSequence) => {
    const bounds = { afterSequence, limit, searchMax: STEP_ENTRIES };
    const page = await store.searchLog({ ...conditions, ...bounds });
    const gap = gapBefore(page, afterSequence);
    return gap ? { ...page, gap } : page;
  };
}

/** Every entry after a number that meets the conditions, oldest first, up to what is the newest at the start. */
export async function* allEntries(
  store: Pick<LogStore, 'searchLog'>,
  { afterSequence: after = 0, ...conditions }: Omit<LogConditions, 'beforeSequence'>,
): AsyncGenerator<LogEntry> {
  const newest = await newestSequence(store);
  if (after >= newest) return;
  for await (const page of follow(searchIn(store, conditions, READ_ENTRIES), { after })) {
    yield* page.entries;
    if (page.upTo >= newest) return;
  }
}

/**
 * Looks through the whole log, a part at a time, for an entry that meets a condition.
 * @returns the number of the last entry that it read: up to it, no entry meets the condition
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
