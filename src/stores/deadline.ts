import { setTimeout as sleep } from 'node:timers/promises';
import { scanGivenUp } from './store-errors.ts';

/**
 * Returns the result of `work` if it comes before the deadline; `onLate` gets a later one.
 * @param deadlineMs on `performance.now()`
 * @throws TicketscanError `store_busy` at the deadline
 */
export async function before<Result>(
  deadlineMs: number,
  work: Promise<Result>,
  onLate: (result: Result) => void = () => {},
): Promise<Result> {
  const timer = new AbortController();
  let isLate = false;
  const late = sleep(Math.max(0, deadlineMs - performance.now()), undefined, {
    signal: timer.signal,
  }).then(() => {
    isLate = true;
    throw scanGivenUp();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
    if (isLate) work.then(onLate, () => {});
  }
}
