import { Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { showResult } from '../../terminal/results.ts';
import { VERSION } from '../../terminal/version.ts';
import { installation } from '../installation.ts';

const EXAMPLES = `
Examples:
  ticketscan version
  ticketscan version --json`;

/** `ticketscan version`: the version, and with `--json` what a report of a fault should say. */
export function command(io: CliIo): Command {
  return new Command('version')
    .description('Show the version. --json adds what a report of a fault should contain.')
    .addHelpText('after', EXAMPLES)
    .option('--json', '{"version", "node", "sqlite", "platform", "installed", "program"}')
    .action((options: { json?: boolean }) => showResult(io, options, versions(), VERSION));
}

function versions(): Record<string, unknown> {
  return {
    version: VERSION,
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? null,
    platform: `${process.platform}-${process.arch}`,
    ...installation(),
  };
}
