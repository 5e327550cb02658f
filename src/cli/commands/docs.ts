import { TicketscanError } from '../../core/errors.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { manualPages, readManualPage } from '../../kit/program-files.ts';
import { plainCommand } from '../../terminal/command.ts';
import type { CliIo } from '../../terminal/io.ts';
import { terminalLines } from '../../terminal/markdown.ts';
import { showTable, terminalColumns } from '../../terminal/results.ts';

const EXAMPLES = `
Examples:
  ticketscan docs                    lists the pages
  ticketscan docs troubleshooting    what to do, by what you see
  ticketscan docs tickets | less

The pages are inside the program, in the version that runs: no network is needed.`;

/** `ticketscan docs`: the pages of the manual, also where only the program is installed. */
export const command = plainCommand({
  name: 'docs',
  summary: 'Show a page of the manual, or list the pages.',
  argument: ['[page]', 'the name of a page; without one they are listed'],
  help: EXAMPLES,
  run: (io, _, name) => (name === undefined ? listPages(io) : showPage(io, name)),
});

function listPages(io: CliIo): void {
  const rows = [...manualPages()].map(([name, path]) => [name, titleOf(textOf(path))]);
  showTable(io, ['PAGE', 'TITLE'], rows);
}

function showPage(io: CliIo, given: string): void {
  const pages = manualPages();
  // Links and messages of other versions name a page by its path.
  const name = given.replace(/^.*\//, '').replace(/\.md$/, '');
  const path = pages.get(name);
  if (path !== undefined) {
    for (const line of terminalLines(textOf(path), terminalColumns(io))) io.out(line);
    return;
  }
  throw new TicketscanError(
    'usage',
    `Unknown page "${given}".${didYouMean(name, pages.keys())} Choose from ${[...pages.keys()].join(', ')}.`,
  );
}

function textOf(path: string): string {
  const text = readManualPage(path);
  if (text === undefined) throw new Error(`docs/${path} is missing. Install ticketscan again.`);
  return text;
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
