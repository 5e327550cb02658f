import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process so far, in seconds. */
export interface ThreadTime {
  /** The time of all threads that still run. */
  readonly all: number;
  /** The time of the main thread, which answers requests. */
  readonly http: number;
  /** The time of each other thread, by its number. */
  readonly others: ReadonlyMap<string, number>;
}

/** Reads what the scheduler of Linux counts in nanoseconds: ticks of 10 ms are too coarse for a short turn. */
export function threadTime(pid: number): ThreadTime {
  const others = new Map<string, number>();
  let http = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ran = ''] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    const seconds = Number(ran) / 1e9;
    if (thread === String(pid)) http = seconds;
    else others.set(thread, seconds);
  }
  const all = [...others.values()].reduce((sum, seconds) => sum + seconds, http);
  return { all, http, others };
}

/** What passed between two readings; `store` is the other thread that worked most. */
export function timeBetween(before: ThreadTime, after: ThreadTime) {
  const others = [...after.others].map(([id, seconds]) => seconds - (before.others.get(id) ?? 0));
  return {
    all: after.all - before.all,
    http: after.http - before.http,
    store: Math.max(0, ...others),
  };
}
