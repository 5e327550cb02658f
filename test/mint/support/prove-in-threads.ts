import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ProofTask } from './prove-worker.ts';

const SHEETS = [
  ['a4', 'TS1'],
  ['label-63x38', 'TS2'],
  ['label-99x68', 'TS1'],
  ['letter', 'TS2'],
  ['label-63x38', 'TS1'],
] as const;
/** Short enough that the threads end together. */
const TASK_TICKETS = 250;

/**
 * Proves `count` random tickets on all kinds of sheets, in one thread for each processor.
 * @param onTask is told how many tickets are done
 * @returns what was wrong; empty when every picture reads as its code
 */
export async function proveInThreads(
  count: number,
  seed: string,
  onTask: (tickets: number) => void = () => undefined,
): Promise<string[]> {
  const tasks = tasksFor(count, seed);
  const problems: string[] = [];
  let done = 0;
  const threads = Array.from({ length: availableParallelism() }, async () => {
    const worker = new Worker(new URL('./prove-worker.ts', import.meta.url));
    try {
      for (let task = tasks.shift(); task; task = tasks.shift()) {
        worker.postMessage(task);
        const [found] = (await once(worker, 'message')) as [string[]];
        problems.push(...found.map((problem) => `${task?.sheet} ${task?.codeFormat}: ${problem}`));
        done += task.count;
        onTask(done);
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(threads);
  return problems;
}

function tasksFor(count: number, seed: string): ProofTask[] {
  return Array.from({ length: Math.ceil(count / TASK_TICKETS) }, (_, index) => {
    const [sheet, codeFormat] = SHEETS[index % SHEETS.length] ?? SHEETS[0];
    const tickets = Math.min(TASK_TICKETS, count - index * TASK_TICKETS);
    return { seed: `${seed}/${index}`, count: tickets, codeFormat, sheet };
  });
}
