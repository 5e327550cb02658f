import { type ErrorCode, messageOf, TicketscanError } from '../core/errors.ts';
import { asSentence, knownFileFailure } from '../kit/failures.ts';
import { isProxySetting } from '../kit/proxies.ts';
import { sanitizedMessage } from '../kit/text.ts';

/**
 * 0 good · 1 the answer is no · 2 usage or configuration · 3 the other side is unreachable · 4 an internal error ·
 * 130 interrupted by Ctrl-C.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

const EXIT_CODES: Partial<Record<ErrorCode, ExitCode>> = {
  unreachable: 3,
  store_unavailable: 3,
  store_busy: 3,
  busy: 3,
};

/** How much a command says on stderr besides errors: nothing, its messages, or its steps as well. */
type Verbosity = 'quiet' | 'normal' | 'verbose';

/** The parts of the process that a command uses: streams, environment, exit code, stop signals. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  /** A result: one line on stdout. */
  out(line: string): void;
  /** A message: on stderr, sanitized for terminals, without keys. */
  err(line: string): void;
  /** Sets the exit code; the process ends when nothing is left to do. */
  exit(code: ExitCode): void;
  /** Aborted at the first SIGINT or SIGTERM; after the first call these signals no longer kill the process. */
  stopSignal(): AbortSignal;
  /**
   * Set by a command that has more to do than to print. It goes on when the `reader` of its results leaves (`| head`), or whatever
   * happens to its `output`, messages too.
   */
  outlives?: 'reader' | 'output';
  /** Set by `--quiet` and `--verbose`; normal by default. */
  verbosity?: Verbosity;
  /** Set by `--json`: a program reads the results. */
  isForMachines?: boolean;
  /** Calls `listener` at each SIGHUP. On a terminal nothing changes: there it means that the window was closed, and ends the process. */
  onHangup(listener: () => void): void;
}

/** Somebody pressed Ctrl-C: at a question, when nothing was changed, or in a run, whose message says how far it came. */
export class Interrupted extends Error {}

/** The real process. */
export function processIo(): CliIo {
  let stop: AbortController | undefined;
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    stdoutIsTty: process.stdout.isTTY === true,
    stderrIsTty: process.stderr.isTTY === true,
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${sanitizedMessage(line)}\n`),
    exit: (code) => {
      process.exitCode = code;
    },
    stopSignal: () => {
      stop ??= abortedBySignals();
      return stop.signal;
    },
    onHangup: (listener) => {
      const { stdin, stdout, stderr } = process;
      if (!stdin.isTTY && !stdout.isTTY && !stderr.isTTY) process.on('SIGHUP', listener);
    },
  };
}

/** One Ctrl-C can come twice: from the terminal, and from npm or another program that passes it on. */
const SAME_SIGNAL_MS = 1000;

function abortedBySignals(): AbortController {
  const controller = new AbortController();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) return;
    controller.abort(signal);
    const kill = (): void => {
      for (const one of signals) process.off(one, stop);
    };
    setTimeout(kill, SAME_SIGNAL_MS).unref();
  };
  for (const signal of signals) process.on(signal, stop);
  return controller;
}

/** Values that came from variables and files, by the environment of the command: they may be secrets, whatever they look like. */
const HIDDEN = new WeakMap<CliIo['env'], string[]>();
/** A shorter one is no secret, and would be found inside of words. */
const HIDDEN_CHARACTERS_MIN = 4;

/** Keeps `value` out of what failures of commands say from now on. */
export function hideInFailures({ env }: Pick<CliIo, 'env'>, value: string): void {
  if (value.length >= HIDDEN_CHARACTERS_MIN) HIDDEN.set(env, [...(HIDDEN.get(env) ?? []), value]);
}

/** Says what went wrong in one or a few lines, never a stack trace, and sets the exit code. */
export function reportFailure(io: CliIo, error: unknown): void {
  if (error instanceof Interrupted) {
    io.err(error.message || 'Nothing was changed.');
    io.exit(130);
    return;
  }
  if (error instanceof TicketscanError) {
    const hidden = HIDDEN.get(io.env) ?? [];
    const message = hidden.reduce((text, value) => text.replaceAll(value, '…'), error.message);
    io.err(`ticketscan: ${message}`);
    io.exit(EXIT_CODES[error.code] ?? 2);
    return;
  }
  const why = systemFailure(error);
  if (why !== undefined) {
    io.err(`ticketscan: ${why}`);
    io.exit(2);
    return;
  }
  const code = (error as { code?: unknown } | null)?.code;
  io.err(
    `ticketscan: internal error: ${messageOf(error)}${typeof code === 'string' ? ` (${code})` : ''}`,
  );
  if (io.env['TICKETSCAN_DEBUG'] && error instanceof Error) io.err(error.stack ?? '');
  io.exit(4);
}

/** What a person can change about a failure of the system: a full disk, a folder that is gone, a variable that names no proxy. Undefined for any other error. */
function systemFailure(error: unknown): string | undefined {
  if (isProxySetting(error)) return asSentence(error.message);
  const why = knownFileFailure(error);
  if (why === undefined) return undefined;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined) return `${path} cannot be used: ${why}.`;
  return syscall === 'uv_cwd'
    ? 'The current folder does not exist any more.'
    : `A file cannot be used: ${why}.`;
}

/** Resolves when the process is asked to stop. */
export async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A message that `--quiet` leaves out: advice, a confirmation, progress. Errors and secrets that are shown once go to `io.err`. */
export function note(io: CliIo, line: string): void {
  if (io.verbosity !== 'quiet') io.err(line);
}

/** A step that only `--verbose` shows: what is read, asked or waited for. Never a secret or the name of a guest. */
export function detail(io: CliIo, line: string): void {
  if (io.verbosity === 'verbose') io.err(line);
}
