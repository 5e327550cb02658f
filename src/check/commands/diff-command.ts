import { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { showResult } from '../../terminal/results.ts';
import { CheckUsageError, differenceOf } from '../index.ts';
import { readJsonFile } from './files.ts';

/** `ticketscan check diff`: what changed between two JSON reports. Exit 1 when something broke. */
export function diffCommand(io: CliIo): Command {
  return new Command('diff')
    .description('Compare two JSON reports of check.')
    .argument('<before>', 'JSON report')
    .argument('<after>', 'JSON report')
    .option('--json', 'print JSON')
    .action((before: string, after: string, _: object, self: Command) => {
      // --json is an option of check too, and is taken by whichever comes first
      diff(before, after, self.optsWithGlobals()['json'] === true, io);
    });
}

function diff(before: string, after: string, json: boolean, io: CliIo): void {
  try {
    const difference = differenceOf(readJsonFile(before), readJsonFile(after));
    showResult(io, { json }, difference, linesOf(difference));
    io.exit(difference.broken.length > 0 ? 1 : 0);
  } catch (error) {
    if (error instanceof CheckUsageError) throw new TicketscanError('usage', error.message);
    throw error;
  }
}

function linesOf(difference: ReturnType<typeof differenceOf>): string[] {
  const { broken, mended, changed, added, removed } = difference;
  const lines = [
    ...broken.map((id) => `broken   ${id}`),
    ...mended.map((id) => `fixed    ${id}`),
    ...changed.map((text) => `changed  ${text}`),
    ...added.map((id) => `added    ${id}`),
    ...removed.map((id) => `removed  ${id}`),
  ];
  return lines.length === 0 ? ['No difference.'] : lines;
}
