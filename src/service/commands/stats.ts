import { Command, Option } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import { checkTimeZone, chosenZone } from '../../core/time-zone.ts';
import { namesOf } from '../../operations/names.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { terminalColumns } from '../../terminal/table.ts';
import { sheetWords } from '../manage/sheet-words.ts';
import {
  type ScanStatistics,
  STATISTICS_BY,
  type StatisticsBy,
  type StatisticsRequest,
} from '../manage/statistics/scan-statistics.ts';
import { statisticsCsv } from '../manage/statistics/statistics-csv.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
import type { DataAccess } from './access/data-types.ts';
import { statisticsLines } from './stats/statistics-view.ts';

const EXAMPLES = `
Examples:
  ticketscan stats                                     the last seven days
  ticketscan stats --from 2026-05-01 --to 2026-09-30 --csv > season.csv
  ticketscan stats --by hour --from 2026-07-18 --to 2026-07-18
  ticketscan stats --by gate --event "Summer pool" --json

Scans are counted when they are logged: the numbers stay when the log is pruned. ADMITTED are uses that were consumed, DENIED
are consume operations that were refused. A repeated answer is not counted again. A gate is the serial that a device sends, or
the name of the key without one; where several keys scan for one serial, each has a row.`;

interface StatsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by: StatisticsBy;
  readonly event?: string;
  readonly organisation?: string;
  readonly timeZone?: string;
  readonly csv?: boolean;
  readonly excel?: boolean;
  readonly json?: boolean;
}

/** `ticketscan stats`: how many were admitted and denied. */
export function command(io: CliIo): Command {
  const stats = new Command('stats')
    .description('Count the scans of a period by day, hour, event, gate or ticket type.')
    .option('--from <day>', 'first day, such as 2026-05-01 (default: six days before the last)')
    .option('--to <day>', 'last day, included (default: today)')
    .addOption(new Option('--by <what>', 'what each row is').choices(STATISTICS_BY).default('day'))
    .option('--event <event>', 'only scans of this event (id or name)')
    .option('--organisation <name>', 'whose scans; not needed if only one organisation exists')
    .option(
      '--time-zone <name>',
      'of the days and hours (default: that of the organisation, else of this machine)',
    )
    .option('--csv', 'comma-separated values')
    .option(
      '--excel',
      "the same for a spreadsheet: semicolons, a byte-order mark, the organisation's language",
    )
    .option('--json', '{"from", "to", "timeZone", "by", "rows", "totals", "byReason"}')
    .addHelpText('after', EXAMPLES)
    .action((options: StatsOptions) => showStatistics(io, options));
  return addSettings(stats, DATA_SETTINGS);
}

async function showStatistics(io: CliIo, options: StatsOptions): Promise<void> {
  const forms = (['csv', 'excel', 'json'] as const).filter((name) => options[name]);
  if (forms.length > 1) {
    const all = forms.map((name) => `--${name}`).join(' and ');
    throw new TicketscanError('usage', `${all} cannot be combined: give one of them.`);
  }
  const { from, to, by } = options;
  if (options.timeZone !== undefined) checkTimeZone(options.timeZone);
  await withData(io, { ...options }, async ({ store, administration, statistics, sheets }) => {
    const scope = await scopeOf(administration, options);
    const owner = await administration.findOrganisation(scope.organisationId);
    const timeZone = chosenZone(options.timeZone, owner);
    const keys = namesOf(by === 'gate' ? await store.list('key') : []);
    const counted = await statistics({ ...scope, from, to, by, timeZone }).catch(namingOption);
    if (options.excel) {
      const { language } = await sheets.settingsOf(owner.id);
      const words = sheetWords({ language: language ?? 'en', timeZone });
      for (const line of statisticsCsv(counted, words)) io.out(line.trimEnd());
      return;
    }
    for (const line of linesOf(counted, options, { columnsMax: terminalColumns(io), keys }))
      io.out(line);
  });
}

/** A wrong day is named as it is in the admin API: `from` and `to`. */
function namingOption(error: unknown): never {
  if (!(error instanceof TicketscanError) || error.reason !== 'day_invalid') throw error;
  throw new TicketscanError('usage', `--${error.message}`, { cause: error });
}

/** An event tells its organisation. */
async function scopeOf(
  administration: DataAccess['administration'],
  { event: idOrName, organisation }: StatsOptions,
): Promise<Pick<StatisticsRequest, 'organisationId' | 'eventId'>> {
  if (idOrName === undefined) {
    return { organisationId: (await administration.findOrganisation(organisation)).id };
  }
  const event = await administration.findEvent(idOrName);
  return { organisationId: event.organisationId, eventId: event.id };
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
