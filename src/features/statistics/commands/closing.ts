import type { Command } from '@commander-js/extra-typings';
import { type CalendarDays, daysIn, daysOfMonth, weekOf } from '../../../core/calendar-days.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { checkTimeZone, chosenZone, shownTime } from '../../../core/time-zone.ts';
import { type OptionsOf, withOptions } from '../../../terminal/command.ts';
import { type Names, namesOf, table, terminalColumns } from '../../../terminal/results.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { getSheetSettings } from '../../organisations/operations.ts';
import { sheetWords } from '../../sheet-words.ts';
import { CLOSING_FIGURES, CLOSING_PARTS, type ClosingRow, type ScanClosing } from '../closing.ts';
import { closingCsv } from '../closing-sheet.ts';
import type { StatisticsBy } from '../figures.ts';
import { getScanClosing } from '../operations.ts';
import { dayFor, monthFor } from './periods.ts';
import { aligned, countText, distinctNames } from './row-names.ts';
import { addCountedOptions, checkForm, namingOption, wantedFrom } from './wanted.ts';

const EXAMPLES = `
Examples:
  ticketscan stats closing                                        today
  ticketscan stats closing --date 2026-07-18 --event "Summer pool"
  ticketscan stats closing --date 2026-07-18 --beside 2026-07-11  two days side by side
  ticketscan stats closing --week 2026-07-18 --excel > week.csv   Monday to Sunday
  ticketscan stats closing --month 2026-07 --beside 2025-07       two months
  ticketscan stats closing --event "Pool" --beside-event "Sauna"  two events

FIRST USES and REPEATS are the two parts of ADMITTED: the first use of a ticket, and a further one. BY HAND is the part of
ADMITTED that a person let in without reading a code. OUT counts people who were counted out.
DENIED counts consume operations that were refused: neither what a check refused, nor a way out where nobody could be counted.
WHY DENIED has the reasons of each row.
TAKEN BACK counts uses that were given back; they stay in ADMITTED. MOST INSIDE is the most people at the end of a quarter of an hour,
of events that somebody was counted out of; it begins at 0 at the daily reset of the organisation, and at the last reset by hand.
Side by side, a cell has the first figure, the other one, and the difference: 120 / 100 (+20).`;

function closingOptions(command: Command) {
  const asked = command
    .option('--date <day>', 'the day, such as 2026-07-18 (default: today)', dayFor('--date'))
    .option('--week <day>', 'the week of this day, from Monday to Sunday', dayFor('--week'))
    .option('--month <month>', 'a month, such as 2026-07', monthFor('--month'))
    .option('--event <event>', 'only scans of this event (id or name)')
    .option(
      '--beside <day or month>',
      'the day, the week of this day, or the month that stands beside it',
    )
    .option('--beside-event <event>', 'the event that stands beside it (id or name)');
  return withOptions(asked, addCountedOptions);
}

type ClosingOptions = OptionsOf<typeof closingOptions>;

/** `ticketscan stats closing`: the figures of a day that is over. */
export const closingCommand = dataCommand({
  name: 'closing',
  summary: 'Close a day, a week or a month: who came, by event, gate, ticket type and hour.',
  options: closingOptions,
  json: '{"from", "to", "event", "timeZone", "inside", "other", "totals", "byDay", "byEvent", "byGate", "byType", "byHour"}',
  help: EXAMPLES,
  check: (options) => {
    checkForm(options);
    const periods = (['date', 'week', 'month'] as const).filter((name) => options[name]);
    if (periods.length > 1) {
      const all = periods.map((name) => `--${name}`).join(' and ');
      throw new TicketscanError('usage', `${all} cannot be combined: give one of them.`);
    }
    besideFrom(options);
    if (options.timeZone !== undefined) checkTimeZone(options.timeZone);
  },
  run: showClosing,
});

/** @throws TicketscanError that names the option: two of them take an event */
async function eventBeside(access: DataAccess, nameOrId: string) {
  try {
    return await access.findEvent(nameOrId);
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    throw new TicketscanError(error.code, `--beside-event: ${error.message}`, { cause: error });
  }
}

async function showClosing(access: DataAccess, options: ClosingOptions): Promise<void> {
  const { io } = access;
  const { event, owner } = await wantedFrom(access, options);
  const other = options.besideEvent && (await eventBeside(access, options.besideEvent)).id;
  const timeZone = chosenZone(options.timeZone, owner);
  const keys = namesOf(await access.list('key'));
  const call = await access.callFor(owner.id);
  const { from, to } = periodFrom(options);
  const beside = besideFrom(options);
  const asked = {
    from,
    to,
    timeZone,
    event,
    otherFrom: beside?.from,
    otherTo: beside?.to,
    otherEvent: other,
  };
  const closing = await call(getScanClosing, asked).catch(namingOption);
  if (options.json) {
    io.out(JSON.stringify(closing, null, 2));
    return;
  }
  if (options.csv || options.excel) {
    const { language } = options.excel ? await call(getSheetSettings, {}) : { language: null };
    const words = options.excel ? sheetWords({ language: language ?? 'en', timeZone }) : undefined;
    for (const line of closingCsv(closing, words)) io.out(line.trimEnd());
    return;
  }
  for (const line of closingLines(closing, keys, terminalColumns(io))) io.out(line);
}

function periodFrom({
  date,
  week,
  month,
}: ClosingOptions): CalendarDays | Record<'from' | 'to', string | undefined> {
  if (week !== undefined) return weekOf(week);
  return month ?? { from: date, to: date };
}

/** What `--beside` names: of a week the week, of a month the month. @throws TicketscanError `usage` */
function besideFrom({ week, month, beside }: ClosingOptions): CalendarDays | undefined {
  if (beside === undefined) return undefined;
  if (month) return monthOrDay(beside);
  const day = dayFor('--beside')(beside);
  return week === undefined ? { from: day, to: day } : weekOf(day);
}

/** A month by its name, or by one of its days. */
function monthOrDay(text: string): CalendarDays {
  return /\d{1,4}[-.]\d{1,2}[-.]\d/u.test(text)
    ? daysOfMonth(dayFor('--beside')(text))
    : monthFor('--beside')(text);
}

const SUBJECT_OF: Readonly<Record<(typeof CLOSING_PARTS)[number], StatisticsBy>> = {
  byDay: 'day',
  byEvent: 'event',
  byGate: 'gate',
  byType: 'type',
  byHour: 'hour',
};

const HEADS: Readonly<Record<(typeof CLOSING_FIGURES)[number], string>> = {
  admitted: 'ADMITTED',
  firstUses: 'FIRST USES',
  repeats: 'REPEATS',
  byHand: 'BY HAND',
  exits: 'OUT',
  denied: 'DENIED',
  undone: 'TAKEN BACK',
};

/** A closing as people read it: a table for each part, and why consume operations were refused. */
function closingLines(closing: ScanClosing, keys: Names, columnsMax: number): string[] {
  const { other, timeZone, totals } = closing;
  const lines = [`${boundsText(closing)} (${timeZone})`];
  if (other) lines.push(`beside ${boundsText(other)}`);
  const view = { isBeside: other !== null, timeZone, days: daysIn(closing), columnsMax };
  lines.push('', ...partLines('', [totals], ['total'], view));
  for (const part of CLOSING_PARTS) {
    const rows = closing[part];
    if (rows.length === 0) continue;
    const subject = SUBJECT_OF[part];
    const names = distinctNames(rows, subject, keys);
    const shown =
      part === 'byDay'
        ? rows.map(({ day = '', other: beside }) =>
            beside?.day === undefined ? day : `${day} / ${beside.day}`,
          )
        : names;
    lines.push('', ...partLines(subject.toUpperCase(), rows, shown, view, whyColumn(rows, view)));
  }
  const reasons = reasonsText(totals.reasons);
  if (reasons !== '') lines.push('', `Denied: ${reasons}`);
  const theirs = reasonsText(totals.other?.reasons ?? []);
  if (theirs !== '') lines.push(`Denied beside: ${theirs}`);
  return lines;
}

function boundsText({ from, to, event }: Pick<ScanClosing, 'from' | 'to' | 'event'>): string {
  const period = from === to ? from : `${from} to ${to}`;
  return event ? `${event.name}, ${period}` : period;
}

interface View {
  readonly isBeside: boolean;
  readonly timeZone: string;
  readonly days: number;
  readonly columnsMax: number;
}

interface TextColumn {
  readonly head: string;
  readonly texts: readonly string[];
}

/** Why consume operations of each row were refused; no column where none was. */
function whyColumn(rows: readonly ClosingRow[], { isBeside }: View): TextColumn[] {
  const texts = rows.map(({ reasons, other }) => {
    const own = reasonsText(reasons);
    const theirs = reasonsText(other?.reasons ?? []);
    return isBeside && own + theirs !== '' ? `${own || '-'} / ${theirs || '-'}` : own;
  });
  return texts.every((text) => text === '') ? [] : [{ head: 'WHY DENIED', texts }];
}

function reasonsText(reasons: ClosingRow['reasons']): string {
  return reasons.map(({ reason, count }) => `${reason} ${countText(count)}`).join(', ');
}

function partLines(
  head: string,
  rows: readonly ClosingRow[],
  names: readonly string[],
  view: View,
  further: readonly TextColumn[] = [],
): string[] {
  const columns: TextColumn[] = CLOSING_FIGURES.map((name) =>
    aligned(
      HEADS[name],
      rows.map((row) => (view.isBeside ? beside(row[name], row.other?.[name] ?? 0) : row[name])),
    ),
  );
  const hasMost = rows.some(({ mostInside, other }) => mostInside ?? other?.mostInside);
  if (hasMost) {
    columns.push(
      aligned(
        'MOST INSIDE',
        rows.map((row) => mostText(row, view)),
      ),
    );
  }
  columns.push(...further);
  const cells = rows.map((_, index) => [
    names[index] ?? '',
    ...columns.map(({ texts }) => texts[index] ?? ''),
  ]);
  return table([head, ...columns.map((column) => column.head)], cells, view.columnsMax);
}

function beside(one: number, other: number): string {
  return `${countText(one)} / ${countText(other)} (${differenceText(one - other)})`;
}

function differenceText(difference: number): string {
  return difference > 0 ? `+${countText(difference)}` : countText(difference);
}

function mostText({ mostInside, other }: ClosingRow, { timeZone, days, isBeside }: View): string {
  const text = (most: ClosingRow['mostInside']) => {
    if (most === null) return '-';
    const time = shownTime(most.at, timeZone).slice(days > 1 ? 0 : 'yyyy-mm-dd '.length, -3);
    return `${countText(most.people)} at ${time}`;
  };
  return isBeside ? `${text(mostInside)} / ${text(other?.mostInside ?? null)}` : text(mostInside);
}
