import { readFileSync } from 'node:fs';

/** The unit in which Linux counts. */
const TICKS_PER_SECOND = 100;

/** User and system time of processes with all their threads so far, as Linux counts it. */
export function processorSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}
