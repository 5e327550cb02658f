/** The processor time of the calling thread so far, in milliseconds. What else the machine does is not in it. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How much processor time of this thread `work` takes, in milliseconds. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = threadMs();
  await work();
  return threadMs() - before;
}

/**
 * The longest that one turn of the event loop keeps everybody else waiting while `work` is done, in milliseconds of processor
 * time. Only a service of this thread is measured.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let since = threadMs();
  let isDone = false;
  const turn = () => {
    const now = threadMs();
    longest = Math.max(longest, now - since);
    since = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isDone = true;
  }
  turn();
  return longest;
}
