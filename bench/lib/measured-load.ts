import { type Load, type LoadResult, load } from './load.ts';
import type { Running } from './servers.ts';
import { threadTime, timeBetween } from './thread-time.ts';

/** Processor time in microseconds for each request. */
export interface MeasuredLoad extends LoadResult {
  readonly allUs: number;
  readonly httpUs: number;
  /** The time of the thread that worked most beside the HTTP thread. */
  readonly storeUs: number;
}

/** @returns one turn of load on a server: each call loads it once */
export function measuredLoad(
  { url, process: { pid = 0 } }: Running,
  shape: Omit<Load, 'url'>,
): () => Promise<MeasuredLoad> {
  return async () => {
    const before = threadTime(pid);
    const result = await load({ url, ...shape });
    const { all, http, store } = timeBetween(before, threadTime(pid));
    const each = (seconds: number) => (seconds / result.requests) * 1e6;
    return { ...result, allUs: each(all), httpUs: each(http), storeUs: each(store) };
  };
}
