import type { Command } from 'commander';
import type { CliIo } from './io.ts';

export interface CommandEntry {
  readonly name: string;
  /** One line for `ticketscan --help`. */
  readonly summary: string;
  readonly load: () => Promise<{ command(io: CliIo): Command }>;
}

/** Every command, in the order in which `ticketscan --help` shows them. */
export const COMMANDS: readonly CommandEntry[] = [];
