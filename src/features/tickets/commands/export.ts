import { type Command, Option } from '@commander-js/extra-typings';
import { TicketscanError } from '../../../core/errors.ts';
import { ticketFromView } from '../../../core/records.ts';
import { EXCEL_CSV, PLAIN_CSV } from '../../../kit/csv.ts';
import { defined } from '../../../kit/defined.ts';
import { type OptionsOf, withOptions } from '../../../terminal/command.ts';
import { note } from '../../../terminal/io.ts';
import { FORCE } from '../../../terminal/options.ts';
import { Progress } from '../../../terminal/progress.ts';
import { namesOf } from '../../../terminal/results.ts';
import { writeAtomically } from '../../../tickets/files.ts';
import { makeRevokeList } from '../../../tickets/lists/revoke-list.ts';
import type { ExportedTicket } from '../../../tickets/lists/write-lists.ts';
import { exportAsCsv, exportAsJsonLines, writePieces } from '../../../tickets/lists/write-lists.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand, storeCommand } from '../../data-command.ts';
import { getSheetSettings } from '../../organisations/operations.ts';
import { type SheetWords, sheetWords } from '../../sheet-words.ts';
import { zoneOf } from '../../time-zone.ts';
import { addFilterOptions, filteredTickets } from './find-tickets.ts';

function exportOptions(command: Command) {
  return withOptions(
    command
      .option('--out <file>', 'write there instead of to stdout; .csv or .jsonl')
      .option(...FORCE)
      .addOption(
        new Option('--format <format>', 'format, if the name of the file does not show it').choices(
          ['csv', 'jsonl'],
        ),
      )
      .option(
        '--excel',
        "CSV for a spreadsheet: semicolons, a byte-order mark, ' in front of formulas, the organisation's language and time zone",
      ),
    addFilterOptions,
  );
}

type ExportOptions = OptionsOf<typeof exportOptions>;

/** `ticketscan tickets export`: everything there is of tickets, for another store or a spreadsheet. */
export const exportCommand = dataCommand({
  name: 'export',
  summary: 'Write tickets with their uses as CSV or JSON Lines; never their codes.',
  options: exportOptions,
  run: exportTickets,
});

async function exportTickets(access: DataAccess, options: ExportOptions): Promise<void> {
  const { io } = access;
  const tickets = named(access, options);
  const words = options.excel ? await excelWords(access, options) : undefined;
  const lines =
    formatFrom(options) === 'jsonl'
      ? exportAsJsonLines(tickets)
      : exportAsCsv(tickets, words ? EXCEL_CSV : PLAIN_CSV, words);
  const { out } = options;
  if (out === undefined) {
    await writePieces(io.stdout, lines);
    return;
  }
  const events = await access.list('event');
  const progress = new Progress(io, access.clock.monotonicMs);
  progress.begin(
    'exporting',
    events.reduce((sum, event) => sum + event.tickets.total, 0),
  );
  await writeAtomically(
    out,
    (stream) => writePieces(stream, lines, (count) => progress.update(count)),
    { force: options.force },
  );
  progress.clear();
  note(io, `The tickets are in ${out}.`);
}

/** Chooses words as the page does: in the language and the zone of the organisation, where it is clear which one. */
async function excelWords(access: DataAccess, { event }: ExportOptions): Promise<SheetWords> {
  const organisations = await access.list('organisation');
  const [only, ...others] = organisations;
  const named = event === undefined ? undefined : (await access.findEvent(event)).organisationId;
  const owner = named ?? (others.length === 0 ? only?.id : undefined);
  const timeZone = await zoneOf(access, defined({ organisation: owner }));
  if (owner === undefined) return sheetWords({ language: 'en', timeZone });
  const call = await access.callFor(owner);
  const { language } = await call(getSheetSettings, {});
  return sheetWords({ language: language ?? 'en', timeZone });
}

/** @throws TicketscanError `usage` */
function formatFrom({ out, format, excel }: ExportOptions): 'csv' | 'jsonl' {
  const chosen = format ?? formatOfName(out);
  if (chosen === 'csv' || !excel) return chosen;
  throw new TicketscanError('usage', '--excel is for files in the format csv.');
}

function formatOfName(out: string | undefined): 'csv' | 'jsonl' {
  if (out === undefined || /\.(csv|tsv|txt)$/iu.test(out)) return 'csv';
  if (/\.(jsonl|ndjson)$/iu.test(out)) return 'jsonl';
  throw new TicketscanError(
    'usage',
    `--out must end in .csv or .jsonl, not "${out}": the export is CSV or JSON Lines.`,
  );
}

async function* named(access: DataAccess, options: ExportOptions): AsyncGenerator<ExportedTicket> {
  const names = namesOf(await access.list('event'));
  const now = access.clock.now();
  for await (const view of filteredTickets(access, options)) {
    yield { ticket: ticketFromView(view), eventName: names.get(view.event) ?? '', now };
  }
}

/** `ticketscan tickets revoke-list`: the cancelled tickets, signed, for gates without a connection. */
export const revokeListCommand = storeCommand({
  name: 'revoke-list',
  summary: 'Write a signed list of cancelled tickets, for gates that verify offline.',
  options: (command) =>
    command
      .option('--event <event>', 'only of this event (id or name)')
      .option('--out <file>', 'write there instead of to stdout')
      .option(...FORCE),
  run: async (access, { event, out, force }) => {
    const { io, clock } = access;
    const keyring = await access.local.keyring();
    const ids: string[] = [];
    const cancelled = filteredTickets(access, { state: 'cancelled', ...defined({ event }) });
    for await (const { ticketId } of cancelled) ids.push(ticketId);
    const list = makeRevokeList(ids, clock.now(), keyring);
    if (out === undefined) {
      io.stdout.write(list);
      return;
    }
    await writeAtomically(out, async (stream) => stream.write(list), { force });
    note(io, `${ids.length} cancelled tickets are listed in ${out}.`);
  },
});
