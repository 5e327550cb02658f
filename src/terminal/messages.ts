import type { CliIo } from './io.ts';

/** A message that `--quiet` leaves out: advice, a confirmation, progress. Errors and secrets that are shown once go to `io.err`. */
export function note(io: CliIo, line: string): void {
  if (io.verbosity !== 'quiet') io.err(line);
}

/** A step that only `--verbose` shows: what is read, asked or waited for. Never a secret or the name of a guest. */
export function detail(io: CliIo, line: string): void {
  if (io.verbosity === 'verbose') io.err(line);
}
