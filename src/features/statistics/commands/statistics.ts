import type { Command } from '@commander-js/extra-typings';
import { TicketscanError } from '../../../core/errors.ts';
import { checkTimeZone, chosenZone } from '../../../core/time-zone.ts';
import { shortened } from '../../../kit/text.ts';
import { type OptionsOf, withOptions, withSubcommand } from '../../../terminal/command.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { type Names, namesOf, table, terminalColumns } from '../../../terminal/results.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { getSheetSettings } from '../../organisations/operations.ts';
import { sheetWords } from '../../sheet-words.ts';
import { type ScanFigures, STATISTICS_BY } from '../figures.ts';
import { getScanStatistics } from '../operations.ts';
import {
  ROWS_BY,
  type RowsBy,
  type ScanStatistics,
  statisticsCsv,
  subjectsOf,
} from '../scan-statistics.ts';
import { closingCommand } from './closing.ts';
import { monthFor } from './periods.ts';
import { aligned, countText, distinctNames } from './row-names.ts';
import { addCountedOptions, checkForm, namingOption, wantedFrom } from './wanted.ts';

const EXAMPLES = `
Examples:
  ticketscan stats                                     the last seven days
  ticketscan stats --from 2026-05-01 --to 2026-09-30 --csv > season.csv
  ticketscan stats --by hour --from 2026-07-18 --to 2026-07-18
  ticketscan stats --by gate --event "Summer pool" --json
  ticketscan stats --by day,gate --month 2026-07       two subjects in one table
  ticketscan stats closing --date 2026-07-18           the closing of a day, to print and to keep

Scans are counted when they are logged, so the numbers stay when the log is pruned. ADMITTED counts uses that were consumed, DENIED
counts consume operations that were refused: neither what a check refused, which is in VALIDATIONS, nor a way out where nobody could
be counted. A repeated answer is not counted again. A gate is the serial that a device sends, or
the name of the key if it sends none. If several keys scan with one serial, each has a row; of one key at most 200 serials have
one, and the others count with the key. Codes of events that the organisation does not have, or that name none, are one row.`;

function statsOptions(command: Command) {
  const asked = command
    .option('--from <day>', 'first day, such as 2026-05-01 (default: six days before the last)')
    .option('--to <day>', 'last day, included (default: today)')
    .option('--month <month>', 'all days of a month, such as 2026-07', monthFor('--month'))
    .option(
      '--by <what>',
      `what each row is: ${STATISTICS_BY.slice(0, -1).join(', ')} or ${STATISTICS_BY.at(-1)}; two with a comma, such as day,gate`,
      rowsBy,
      'day' as RowsBy,
    )
    .option('--event <event>', 'only scans of this event (id or name)');
  return withOptions(asked, addCountedOptions);
}

type StatsOptions = OptionsOf<typeof statsOptions>;

/** @throws TicketscanError `usage` */
function rowsBy(text: string): RowsBy {
  const wanted = text.replaceAll(/\s/gu, '');
  const by = ROWS_BY.find((one) => one === wanted);
  if (by) return by;
  throw new TicketscanError(
    'usage',
    `--by: "${shortened(text)}" is none of ${STATISTICS_BY.join(', ')}, nor two of them with a comma, such as day,gate. An hour names its day already.`,
  );
}

/** `ticketscan stats`: how many were admitted and denied. */
export function command(io: CliIo) {
  return withSubcommand(statisticsCommand(io), closingCommand(io));
}

const statisticsCommand = dataCommand({
  name: 'stats',
  summary: 'Count the scans of a period by day, hour, event, gate or ticket type, and close a day.',
  options: statsOptions,
  json: '{"from", "to", "timeZone", "by", "rows", "totals", "byReason"}',
  help: EXAMPLES,
  check: (options) => {
    checkForm(options);
    if (options.month && (options.from ?? options.to) !== undefined) {
      throw new TicketscanError(
        'usage',
        '--month has its own first and last day: leave out --from and --to.',
      );
    }
    if (options.timeZone !== undefined) checkTimeZone(options.timeZone);
  },
  run: showStatistics,
});

async function showStatistics(access: DataAccess, options: StatsOptions): Promise<void> {
  const { io } = access;
  const { by } = options;
  const { from, to } = options.month ?? options;
  const { event, owner } = await wantedFrom(access, options);
  const timeZone = chosenZone(options.timeZone, owner);
  const keys = namesOf(subjectsOf(by).includes('gate') ? await access.list('key') : []);
  const call = await access.callFor(owner.id);
  const asked = { from, to, by, timeZone, event };
  const counted = await call(getScanStatistics, asked).catch(namingOption);
  if (options.excel) {
    const { language } = await call(getSheetSettings, {});
    const words = sheetWords({ language: language ?? 'en', timeZone });
    for (const line of statisticsCsv(counted, words)) io.out(line.trimEnd());
    return;
  }
  const view = { columnsMax: terminalColumns(io), keys };
  for (const line of linesOf(counted, options, view)) io.out(line);
}

function linesOf(
  counted: ScanStatistics,
  { csv, json }: StatsOptions,
  view: Parameters<typeof statisticsLines>[1],
): string[] {
  if (json) return [JSON.stringify(counted, null, 2)];
  if (csv) return [...statisticsCsv(counted)].map((line) => line.trimEnd());
  return statisticsLines(counted, view);
}

/**
 * The statistics as people read them: a table with a sum, and why consume operations were refused.
 * @param columnsMax the terminal's width
 * @param keys the names of keys: they tell gates apart whose devices have one serial
 */
function statisticsLines(
  statistics: ScanStatistics,
  { columnsMax, keys }: { readonly columnsMax: number; readonly keys: Names },
): string[] {
  const { from, to, timeZone, by, totals, byReason } = statistics;
  const period = `${from === to ? from : `${from} to ${to}`} (${timeZone})`;
  if (!isUsed(totals)) return [`No scans: ${period}.`];
  // A day without scans says something; most hours of a week say nothing.
  const rows = by === 'hour' ? statistics.rows.filter(isUsed) : statistics.rows;
  const subjects = subjectsOf(by);
  const figures: (keyof ScanFigures)[] = ['admitted', 'denied', 'validations'];
  for (const figure of ['exits', 'undone'] as const) if (totals[figure] > 0) figures.push(figure);
  const names = subjects.map((subject) => distinctNames(rows, subject, keys));
  const all = [
    ...rows.map((row, index) => [names.map((of) => of[index] ?? ''), row] as const),
    [subjects.map((_, index) => (index === 0 ? 'total' : '')), totals] as const,
  ];
  const columns = figures.map((figure) =>
    aligned(
      figure.toUpperCase(),
      all.map(([, row]) => row[figure]),
    ),
  );
  const cells = all.map(([row], index) => [
    ...row,
    ...columns.map(({ texts }) => texts[index] ?? ''),
  ]);
  const heads = [
    ...subjects.map((subject) => subject.toUpperCase()),
    ...columns.map(({ head }) => head),
  ];
  const reasons = byReason.map(({ reason, count }) => `${reason} ${countText(count)}`);
  return [
    period,
    '',
    ...table(heads, cells, columnsMax),
    ...(reasons.length > 0 ? ['', `Denied: ${reasons.join(', ')}`] : []),
  ];
}

function isUsed({ admitted, denied, validations, undone, exits }: ScanFigures): boolean {
  return admitted + denied + validations + undone + exits > 0;
}
