import { Command, Option } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import { EXCEL_CSV, PLAIN_CSV } from '../../../kit/csv/text.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { Progress } from '../../../terminal/progress.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { writeAtomically } from '../../../tickets/files.ts';
import { formatOf } from '../../../tickets/lists/read-rows.ts';
import {
  type ExportedTicket,
  exportAsCsv,
  exportAsJsonLines,
  writePieces,
} from '../../../tickets/lists/write-lists.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';
import { addFilterOptions, allTickets, type FilterOptions, filterFrom } from './ticket-filter.ts';

interface ExportOptions extends FilterOptions {
  readonly out?: string;
  readonly format?: 'csv' | 'jsonl';
  readonly excel?: boolean;
}

/** `ticketscan tickets export`: everything there is of tickets, for another store or a spreadsheet. */
export function exportCommand(io: CliIo): Command {
  const command = new Command('export')
    .description('Write tickets with their uses as CSV or JSON Lines; never their codes.')
    .option('--out <file>', 'write there instead of to stdout; .csv or .jsonl')
    .addOption(
      new Option('--format <format>', 'if the name does not show it').choices(['csv', 'jsonl']),
    )
    .option(
      '--excel',
      "CSV for a spreadsheet: semicolons, a byte-order mark, ' in front of formulas",
    );
  addFilterOptions(command).action(async (options: ExportOptions) => {
    await withData(io, { ...options }, (access) => exportTickets(io, access, options));
  });
  return addSettings(command, DATA_SETTINGS);
}

async function exportTickets(io: CliIo, access: DataAccess, options: ExportOptions): Promise<void> {
  const tickets = named(access, options);
  const lines =
    formatFrom(options) === 'csv'
      ? exportAsCsv(tickets, options.excel ? EXCEL_CSV : PLAIN_CSV)
      : exportAsJsonLines(tickets);
  const { out } = options;
  if (out === undefined) {
    await writePieces(io.stdout, lines);
    return;
  }
  const progress = new Progress(io, access.clock.monotonicMs);
  progress.begin('exporting', await access.store.countTickets());
  await writeAtomically(out, (stream) =>
    writePieces(stream, lines, (count) => progress.update(count)),
  );
  progress.clear();
  note(io, `The tickets are in ${out}.`);
}

function formatFrom({ out, format }: ExportOptions): 'csv' | 'jsonl' {
  if (format) return format;
  if (out === undefined) return 'csv';
  if (/\.json$/iu.test(out)) {
    throw new TicketscanError(
      'usage',
      `The export is JSON Lines: name the file .jsonl, not ${out}.`,
    );
  }
  return formatOf(out) === 'csv' ? 'csv' : 'jsonl';
}

async function* named(access: DataAccess, options: ExportOptions): AsyncGenerator<ExportedTicket> {
  const names = new Map((await access.store.list('event')).map(({ id, name }) => [id, name]));
  const filter = await filterFrom(access, options);
  const now = filter.state?.now ?? access.clock.now();
  for await (const ticket of allTickets(access.store, filter)) {
    yield { ticket, eventName: names.get(ticket.eventId) ?? '', now };
  }
}
