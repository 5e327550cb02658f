import { resolve } from 'node:path';

/** The built program. */
export const PROGRAM = resolve('bin/ticketscan.js');

/** A command line for the program, and where it runs. */
export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command that has ended wrote, and its exit code: null after a signal. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
