import type { CliIo } from './io.ts';

const TERMINAL_MS = 200;
const PLAIN_MS = 10_000;

/**
 * Progress on stderr: on a terminal one line that is rewritten, elsewhere a line now and then, and nothing
 * for short tasks.
 */
export class Progress {
  readonly #io: CliIo;
  readonly #now: () => number;
  #what = '';
  #total = 0;
  #startedAt = 0;
  #shownAt = 0;
  #isLineOpen = false;

  /** @param now milliseconds on a clock that never runs backwards */
  constructor(io: CliIo, now: () => number) {
    this.#io = io;
    this.#now = now;
  }

  begin(what: string, total: number): void {
    this.clear();
    this.#what = what;
    this.#total = total;
    this.#startedAt = this.#now();
    this.#shownAt = this.#startedAt;
  }

  update(count: number): void {
    if (this.#io.verbosity === 'quiet') return;
    const now = this.#now();
    if (now - this.#shownAt < (this.#io.stderrIsTty ? TERMINAL_MS : PLAIN_MS)) return;
    this.#shownAt = now;
    const line = progressLine(this.#what, count, this.#total, now - this.#startedAt);
    if (this.#io.stderrIsTty) this.#io.stderr.write(`\r\u001b[K${line}`);
    else this.#io.err(line);
    this.#isLineOpen = this.#io.stderrIsTty;
  }

  /** Clears the line, so that the next output starts on an empty one. */
  clear(): void {
    if (this.#isLineOpen) this.#io.stderr.write('\r\u001b[K');
    this.#isLineOpen = false;
  }
}

/** `drawing images: 1,200 of 10,000, 640/s, 14 s left` */
export function progressLine(
  what: string,
  count: number,
  total: number,
  elapsedMs: number,
): string {
  const perSecond = elapsedMs > 0 ? (count * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? `, ${duration((total - count) / perSecond)} left` : '';
  const done = `${Math.floor(count).toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return `${what}: ${done}, ${Math.round(perSecond).toLocaleString('en')}/s${left}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

const ELAPSED_TERMINAL_MS = 1000;
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
  const timer = setInterval(show, io.stderrIsTty ? ELAPSED_TERMINAL_MS : PLAIN_MS).unref();
  try {
    return await task();
  } finally {
    clearInterval(timer);
    if (isLineOpen) io.stderr.write('\r\u001b[K');
  }
}
