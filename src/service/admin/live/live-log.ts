import { setTimeout as wait } from 'node:timers/promises';
import { logEntryToJson } from '../../../core/codecs/records.ts';
import {
  type LogConditions,
  newestSequence,
  readLogPage,
  settledNumber,
} from '../../manage/log-reader.ts';
import { gapAfter, type LogPage } from '../../stores/log-search.ts';
import type { LogStore } from '../../stores/log-store.ts';
import type { EventStream } from './event-stream.ts';

const POLL_MS = 250;
/** Also how many entries a view begins with. */
const PAGE_ENTRIES = 200;
const STEP_ENTRIES = 10_000;
/** A viewer further behind gets `skipped` and continues near the newest entry: a live view shows the present. */
const BEHIND_ENTRIES_MAX = 5000;
const ALIVE_MS = 15_000;
/** How long a view may outlive its session, by this and one poll; nothing is sent in it. */
const ASK_MS = 1000;

export interface LiveViewer {
  readonly stream: EventStream;
  readonly conditions: Omit<LogConditions, 'afterSequence' | 'beforeSequence'>;
  /** Where to continue; undefined to begin with the latest entries. */
  readonly afterSequence: number | undefined;
  /** Asked before entries are sent, and every second: a session may end while its view is open. */
  readonly mayGoOn: () => Promise<boolean>;
}

interface Step {
  /** The last number that the viewer has seen, or that was reported as skipped. */
  readonly cursor: number;
  /** True when there is nothing more for now. */
  readonly ended: boolean;
}

/**
 * Sends entries as they come, `scan` by `scan`, until the client leaves, its session ends or `stop` is aborted.
 *
 * Each viewer has a place in the log and at most one page in memory; for one who does not read, nothing is fetched. What
 * it misses is reported as `skipped`, with the numbers after and up to which entries were left out. `latest` has the newest
 * entries, in place of everything sent before: it begins a view, and comes again when the log is another one.
 */
export async function showLive(
  store: Pick<LogStore, 'searchLog'>,
  viewer: LiveViewer,
  stop: AbortSignal,
): Promise<void> {
  const { stream } = viewer;
  const mayGoOn = askingNowAndThen(viewer);
  let cursor = viewer.afterSequence ?? (await sendLatest(store, viewer));
  stream.comment();
  while (!stream.closed && !stop.aborted) {
    const next = stream.behind ? undefined : await readNext(store, viewer, cursor);
    // After reading: what was scanned after the end of the session is not sent.
    if (!(await mayGoOn(next?.hasNews === true))) break;
    const step = next ? await next.send() : { cursor, ended: true };
    cursor = step.cursor;
    if (step.ended) await wait(POLL_MS, undefined, { signal: stop }).catch(() => {});
  }
  stream.end();
}

/** Checks whether the viewer may continue: at once when there is something to send, else from time to time. Also sends keep-alives. */
function askingNowAndThen({
  stream,
  mayGoOn,
}: LiveViewer): (hasEntries: boolean) => Promise<boolean> {
  let askedAt = performance.now();
  let aliveAt = askedAt;
  return async (hasEntries) => {
    const now = performance.now();
    if (now - aliveAt >= ALIVE_MS) {
      aliveAt = now;
      if (!stream.behind) stream.comment();
    }
    if (!hasEntries && now - askedAt < ASK_MS) return true;
    askedAt = now;
    return mayGoOn();
  };
}

interface Next {
  readonly hasNews: boolean;
  readonly send: () => Promise<Step>;
}

async function readNext(
  store: Pick<LogStore, 'searchLog'>,
  viewer: LiveViewer,
  afterSequence: number,
): Promise<Next> {
  const bounds = { afterSequence, limit: PAGE_ENTRIES, searchMax: STEP_ENTRIES };
  const page = await store.searchLog({ ...viewer.conditions, ...bounds });
  if (gapAfter(afterSequence, page)?.reason === 'log_replaced') {
    const begin = async () => ({ cursor: await sendLatest(store, viewer), ended: true });
    return { hasNews: true, send: begin };
  }
  return { hasNews: page.entries.length > 0, send: () => send(store, viewer, page) };
}

/** Sends the newest entries that meet the conditions, newest first. @returns the number after which the view continues */
async function sendLatest(
  store: Pick<LogStore, 'searchLog'>,
  { stream, conditions }: LiveViewer,
): Promise<number> {
  const newest = await settledNumber((search, limit) => readLogPage(store, search, limit));
  const latest = { ...conditions, beforeSequence: newest + 1 };
  const { entries } = await readLogPage(store, latest, PAGE_ENTRIES);
  stream.send('latest', entries.map(logEntryToJson), newest);
  return newest;
}

async function send(
  store: Pick<LogStore, 'searchLog'>,
  { stream }: LiveViewer,
  page: LogPage,
): Promise<Step> {
  for (const entry of page.entries) stream.send('scan', logEntryToJson(entry), entry.sequence);
  const cursor = page.searchedTo;
  if (page.ended) return { cursor, ended: true };
  const newest = await newestSequence(store);
  if (newest - cursor <= BEHIND_ENTRIES_MAX) return { cursor, ended: false };
  const goOnAt = newest - PAGE_ENTRIES;
  stream.send('skipped', { after: cursor, upTo: goOnAt }, goOnAt);
  return { cursor: goOnAt, ended: false };
}
