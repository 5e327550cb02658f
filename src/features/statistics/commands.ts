import { type Command, Option } from '@commander-js/extra-typings';
import { TicketscanError } from '../../core/errors.ts';
import type { Organisation } from '../../core/records.ts';
import { checkTimeZone, chosenZone } from '../../core/time-zone.ts';
import type { OptionsOf } from '../../terminal/command.ts';
import { type Names, namesOf, table, terminalColumns, withName } from '../../terminal/results.ts';
import type { DataAccess } from '../data-access.ts';
import { dataCommand } from '../data-command.ts';
import { getOrganisation, getSheetSettings } from '../organisations/operations.ts';
import { NO_EVENT, NO_TICKET, sheetWords } from '../sheet-words.ts';
import { getScanStatistics } from './operations.ts';
import {
  type ScanFigures,
  type ScanStatistics,
  STATISTICS_BY,
  type StatisticsRow,
  statisticsCsv,
} from './scan-statistics.ts';

const EXAMPLES = `
Examples:
  ticketscan stats                                     the last seven days
  ticketscan stats --from 2026-05-01 --to 2026-09-30 --csv > season.csv
  ticketscan stats --by hour --from 2026-07-18 --to 2026-07-18
  ticketscan stats --by gate --event "Summer pool" --json

Scans are counted when they are logged, so the numbers stay when the log is pruned. ADMITTED counts uses that were consumed, DENIED
counts consume operations that were refused. A repeated answer is not counted again. A gate is the serial that a device sends, or
the name of the key if it sends none. If several keys scan with one serial, each has a row; of one key at most 200 serials have
one, and the others count with the key. Codes of events that the organisation does not have, or that name none, are one row.`;

function statsOptions(command: Command) {
  return command
    .option('--from <day>', 'first day, such as 2026-05-01 (default: six days before the last)')
    .option('--to <day>', 'last day, included (default: today)')
    .addOption(new Option('--by <what>', 'what each row is').choices(STATISTICS_BY).default('day'))
    .option('--event <event>', 'only scans of this event (id or name)')
    .option(
      '--organisation <name>',
      'organisation whose scans are counted; not needed if only one exists',
    )
    .option(
      '--time-zone <name>',
      'time zone of the days and hours (default: that of the organisation, else of this machine)',
    )
    .option('--csv', 'comma-separated values')
    .option(
      '--excel',
      "CSV for a spreadsheet: semicolons, a byte-order mark, the organisation's language",
    );
}

type StatsOptions = OptionsOf<typeof statsOptions>;

/** `ticketscan stats`: how many were admitted and denied. */
export const command = dataCommand({
  name: 'stats',
  summary: 'Count the scans of a period by day, hour, event, gate or ticket type.',
  options: statsOptions,
  json: '{"from", "to", "timeZone", "by", "rows", "totals", "byReason"}',
  help: EXAMPLES,
  check: (options) => {
    const forms = (['csv', 'excel', 'json'] as const).filter((name) => options[name]);
    if (forms.length > 1) {
      const all = forms.map((name) => `--${name}`).join(' and ');
      throw new TicketscanError('usage', `${all} cannot be combined: give one of them.`);
    }
    if (options.timeZone !== undefined) checkTimeZone(options.timeZone);
  },
  run: showStatistics,
});

async function showStatistics(access: DataAccess, options: StatsOptions): Promise<void> {
  const { io } = access;
  const { from, to, by } = options;
  const { event, owner } = await wantedFrom(access, options);
  const timeZone = chosenZone(options.timeZone, owner);
  const keys = namesOf(by === 'gate' ? await access.list('key') : []);
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

/** Names the option of a wrong day; the admin API calls them `from` and `to`. */
function namingOption(error: unknown): never {
  if (!(error instanceof TicketscanError) || error.reason !== 'day_invalid') throw error;
  throw new TicketscanError('usage', `--${error.message}`, { cause: error });
}

/** Finds the organisation and the event whose scans are counted. An event determines its organisation. */
async function wantedFrom(
  access: DataAccess,
  { event: idOrName, organisation }: StatsOptions,
): Promise<{ readonly owner: Organisation; readonly event: string | undefined }> {
  const event = idOrName === undefined ? undefined : await access.findEvent(idOrName);
  const call = await access.callFor(event?.organisationId ?? organisation);
  const owner = await call(getOrganisation, {});
  return { owner, event: event?.id };
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

const number = new Intl.NumberFormat('en');

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
  const figures: (keyof ScanFigures)[] = ['admitted', 'denied', 'validations'];
  for (const figure of ['exits', 'undone'] as const) if (totals[figure] > 0) figures.push(figure);
  const names = distinctNames(rows, keys);
  const all = [
    ...rows.map((row, index) => [names[index] ?? '', row] as const),
    ['total', totals] as const,
  ];
  const columns = figures.map((figure) =>
    aligned(
      figure.toUpperCase(),
      all.map(([, row]) => row[figure]),
    ),
  );
  const cells = all.map(([name], index) => [
    name,
    ...columns.map(({ texts }) => texts[index] ?? ''),
  ]);
  const heads = [by.toUpperCase(), ...columns.map(({ head }) => head)];
  const reasons = byReason.map(({ reason, count }) => `${reason} ${number.format(count)}`);
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

/** A gate is a serial with a key: where several keys scan for one serial, its rows name them. */
function distinctNames(rows: readonly StatisticsRow[], keys: Names): string[] {
  const names = rows.map(nameOf);
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return rows.map(({ keyId }, index) => {
    const name = names[index] ?? '';
    return keyId !== undefined && (times.get(name) ?? 0) > 1
      ? `${name}, key ${withName(keyId, keys)}`
      : name;
  });
}

function nameOf({ day, hour, event, eventName, gate, type }: StatisticsRow): string {
  if (hour !== undefined) return hour.replace('T', ' ');
  if (event !== undefined) return eventName ?? event ?? NO_EVENT;
  return day ?? gate ?? type ?? NO_TICKET;
}

/** A column of numbers, with their ends below each other. */
function aligned(head: string, values: readonly number[]): { head: string; texts: string[] } {
  const texts = values.map((value) => number.format(value));
  const width = Math.max(head.length, ...texts.map(({ length }) => length));
  return { head: head.padStart(width), texts: texts.map((text) => text.padStart(width)) };
}
