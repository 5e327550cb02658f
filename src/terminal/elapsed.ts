import type { CliIo } from './io.ts';

const TERMINAL_MS = 1000;
const PLAIN_MS = 10_000;
const SHOWN_FROM_MS = 2000;

/**
 * Waits for a task that cannot say how far it is, and shows on stderr how long it has been running: on a terminal from the
 * second second on, elsewhere every ten seconds.
 * @param what is done, such as `auditing`
 */
export async function withElapsed<Result>(
  io: CliIo,
  what: string,
  task: () => Promise<Result>,
): Promise<Result> {
  if (io.verbosity === 'quiet') return task();
  const startedAt = performance.now();
  let isLineOpen = false;
  const show = () => {
    const elapsedMs = performance.now() - startedAt;
    const line = `${what}: ${Math.round(elapsedMs / 1000)} s`;
    if (!io.stderrIsTty) io.err(line);
    else if (elapsedMs >= SHOWN_FROM_MS) {
      io.stderr.write(`\r\u001b[K${line}`);
      isLineOpen = true;
    }
  };
  const timer = setInterval(show, io.stderrIsTty ? TERMINAL_MS : PLAIN_MS).unref();
  try {
    return await task();
  } finally {
    clearInterval(timer);
    if (isLineOpen) io.stderr.write('\r\u001b[K');
  }
}
