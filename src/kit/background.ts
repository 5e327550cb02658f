import { constants, setPriority } from 'node:os';

/**
 * Lets other work go first: lowers the priority of the calling thread, and of the threads that it starts later. It cannot be raised
 * again, and must not hold a lock that others wait for. On Linux only: other systems know priorities of whole processes.
 */
export function workInBackground(): void {
  if (process.platform !== 'linux') return;
  try {
    // 0 means the thread that calls.
    setPriority(0, constants.priority.PRIORITY_LOW);
  } catch {
    // Some containers forbid it; the work is done all the same.
  }
}
