import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds that the worker and its ended children computed for a test file. */
    processorMs?: number;
  }
}

/** Linux tells times in /proc in ticks of this length. */
const MS_PER_TICK = 10;

const before = processorMs();
// biome-ignore lint/correctness/noEmptyPattern: the test runner reads the names of fixtures from this pattern
afterAll(({}, file) => {
  file.meta.processorMs = Math.round(processorMs() - before);
});

/** Milliseconds of processor time of this process and of its children that have ended. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + endedChildrenMs();
}

/** Node does not tell what ended children took, but Linux does. */
function endedChildrenMs(): number {
  try {
    // The name of the program is in brackets, and may hold blanks.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
