import { setTimeout as wait } from 'node:timers/promises';
import { type LogConditions, newestSequence } from '../../scan/log-reader.ts';
import type { Store } from '../../stores/store.ts';
import { logView } from '../views/log-view.ts';
import type { EventStream } from './event-stream.ts';

const POLL_MS = 250;
const PAGE_ENTRIES = 200;
const STEP_ENTRIES = 10_000;
/** Whoever is further behind is told so and goes on near the newest entry: a live view is for what happens now. */
const BEHIND_ENTRIES_MAX = 5000;
const ALIVE_MS = 15_000;

export interface LiveViewer {
  readonly stream: EventStream;
  readonly conditions: Omit<LogConditions, 'afterSequence' | 'beforeSequence'>;
  /** Where to begin; undefined for only what is new. */
  readonly afterSequence: number | undefined;
  /** Asked now and then: a session may end while its view is open. */
  readonly mayGoOn: () => Promise<boolean>;
}

interface Step {
  /** The last number that the viewer has seen or was told to have missed. */
  readonly cursor: number;
  /** True when there is nothing more for now. */
  readonly ended: boolean;
}

/**
 * Sends entries as they come, `scan` by `scan`, until the client leaves, its session ends or `stop` is aborted.
 *
 * Each viewer has a place in the log and at most one page in memory; for one who does not read, nothing is fetched. What
 * it misses is told as `skipped`, with the numbers after and up to which entries were left out.
 */
export async function showLive(
  store: Pick<Store, 'searchLog'>,
  viewer: LiveViewer,
  stop: AbortSignal,
): Promise<void> {
  const { stream } = viewer;
  const mayGoOn = watchOver(viewer);
  let cursor = viewer.afterSequence ?? (await newestSequence(store));
  stream.comment();
  while (!stream.closed && !stop.aborted && (await mayGoOn())) {
    const step = stream.behind ? { cursor, ended: true } : await sendNext(store, viewer, cursor);
    cursor = step.cursor;
    if (step.ended) await wait(POLL_MS, undefined, { signal: stop }).catch(() => {});
  }
  stream.end();
}

/** Asks whether the viewer may go on, but only now and then; also gives the connection a sign of life. */
function watchOver({ stream, mayGoOn }: LiveViewer): () => Promise<boolean> {
  let askedAt = performance.now();
  return async () => {
    if (performance.now() - askedAt < ALIVE_MS) return true;
    askedAt = performance.now();
    if (!stream.behind) stream.comment();
    return mayGoOn();
  };
}

async function sendNext(
  store: Pick<Store, 'searchLog'>,
  { stream, conditions }: LiveViewer,
  afterSequence: number,
): Promise<Step> {
  const bounds = { afterSequence, limit: PAGE_ENTRIES, searchMax: STEP_ENTRIES };
  const page = await store.searchLog({ ...conditions, ...bounds });
  for (const entry of page.entries) stream.send('scan', logView(entry), entry.sequence);
  const cursor = page.searchedTo;
  if (page.ended) return { cursor, ended: true };
  const newest = await newestSequence(store);
  if (newest - cursor <= BEHIND_ENTRIES_MAX) return { cursor, ended: false };
  const goOnAt = newest - PAGE_ENTRIES;
  stream.send('skipped', { after: cursor, upTo: goOnAt }, goOnAt);
  return { cursor: goOnAt, ended: false };
}
