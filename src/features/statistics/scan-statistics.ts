import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { dateAfter } from '../../core/calendar-days.ts';
import { TICKET_KINDS } from '../../core/ticket.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore, ScanSum } from '../../stores/store.ts';
import { csvWriter, NO_EVENT, NO_TICKET, type SheetWords } from '../sheet-words.ts';
import {
  COUNTED_BY,
  FIGURES,
  fewGates,
  figuresOf,
  labelsFor,
  NONE,
  nameOfLabel,
  plus,
  QUARTERS_PER_DAY,
  type RowLabel,
  type ScanFigures,
  STATISTICS_BY,
  type StatisticsBy,
  scansOf,
  sumsOf,
} from './figures.ts';
import { type StatisticsPeriod, statisticsPeriod } from './rules.ts';

/** What each row is: one or two subjects, such as `day,gate`. */
export type RowsBy = StatisticsBy | `${StatisticsBy},${StatisticsBy}`;

/** An hour has its day already. */
const IN_TIME: readonly StatisticsBy[] = ['day', 'hour'];

function isPair(one: StatisticsBy, other: StatisticsBy): boolean {
  return one !== other && !(IN_TIME.includes(one) && IN_TIME.includes(other));
}

export const ROWS_BY: readonly RowsBy[] = [
  ...STATISTICS_BY,
  ...STATISTICS_BY.flatMap((one) =>
    STATISTICS_BY.filter((other) => isPair(one, other)).map((other) => `${one},${other}` as const),
  ),
];

/** The subjects of a row. */
export function subjectsOf(by: RowsBy): readonly StatisticsBy[] {
  return by.split(',') as StatisticsBy[];
}

const LABELS_PER_TURN = 1000;

export const Day = z.string().meta({ description: 'A day, such as 2026-11-22' });

export const ScanStatisticsQuery = z.object({
  /** The first day; six days before `to` by default. */
  from: Day.optional(),
  /** The last day, included; today by default. */
  to: Day.optional(),
  by: z.enum(ROWS_BY).default('day'),
  /** The zone of the days and hours, such as `Europe/Berlin`. */
  timeZone: z
    .string()
    .max(100)
    .default('UTC')
    .meta({ description: 'Of the days and hours, such as Europe/Berlin' }),
  /** Scans of this event only. */
  event: z.string().max(100).optional(),
});

/** See `ScanFigures`. */
const Figures = {
  admitted: z.number().int(),
  denied: z.number().int(),
  validations: z.number().int(),
  undone: z.number().int(),
  exits: z.number().int(),
};

/** The members that say what a row is about; each is in the rows of its kind only. */
export const RowLabelJson = {
  /** The day, in rows by day. */
  day: Day.optional(),
  /** The beginning of the hour with the offset of the time zone, in rows by hour. */
  hour: z.string().optional(),
  /** The id of the event, in rows by event; null, in one row, for codes that name none or one that the organisation does not have. */
  event: z.string().nullable().optional(),
  eventName: z.string().nullable().optional(),
  /** The name of the device, in rows by gate; without one that of the key or account, with the serial. */
  gate: z.string().optional(),
  keyId: z.string().optional(),
  serial: z.string().nullable().optional(),
  /** The type, in rows by type; null where no ticket was found or looked at. */
  type: z.enum(TICKET_KINDS).nullable().optional(),
};

/** Counted when the scans were logged: pruning the log changes nothing. Repeated answers are not counted. */
export const ScanStatistics = z
  .object({
    from: Day,
    to: Day,
    timeZone: z.string(),
    by: z.enum(ROWS_BY),
    /** Days and hours in their order, by themselves without a gap; events, gates and types by their number of scans. */
    rows: z.array(z.object({ ...RowLabelJson, ...Figures })),
    totals: z.object(Figures),
    byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  })
  .meta({ id: 'ScanStatistics' });

export type ScanStatistics = z.output<typeof ScanStatistics>;
/** One line of the statistics, and what it is about: the members that its `by` has. */
export type StatisticsRow = ScanStatistics['rows'][number];

type StatisticsRequest = z.output<typeof ScanStatisticsQuery> & { readonly organisationId: string };

/** The figures since midnight UTC. @param now milliseconds since 1970 UTC */
export async function figuresOfToday(
  store: Pick<LogStore, 'sumScans'>,
  organisationId: string,
  now: number,
): Promise<ScanFigures> {
  const fromQuarter = Math.floor(now / DAY_MS) * QUARTERS_PER_DAY;
  const untilQuarter = fromQuarter + QUARTERS_PER_DAY;
  const sums = await store.sumScans({ organisationId, fromQuarter, untilQuarter, by: [] });
  return sums.map(figuresOf).reduce(plus, NONE);
}

type StatisticsStore = Pick<LogStore, 'sumScans'> & Pick<RecordStore, 'list' | 'read'>;

/**
 * The scans of an organisation in a period. Its time depends on the length of the period, not on the log.
 * @param now milliseconds since 1970 UTC
 * @throws TicketscanError `usage` as `statisticsPeriod` does
 */
export async function scanStatistics(
  store: StatisticsStore,
  request: StatisticsRequest,
  now: number,
): Promise<ScanStatistics> {
  const { organisationId, by, timeZone, event } = request;
  const subjects = subjectsOf(by);
  const period = statisticsPeriod(request, now, { byHour: subjects.includes('hour') });
  const search = {
    organisationId,
    by: subjects.map((one) => COUNTED_BY[one]),
    ...(event !== undefined && { eventId: event }),
  };
  const labels = await labelsFor(store, organisationId, period.localTime, subjects);
  const rows = new Map<string, StatisticsRow>();
  const reasons = new Map<string, number>();
  let totals = NONE;
  let made = 0;
  for (const label of emptyRows(by, period)) {
    rows.set(nameOfLabel(label), { ...label, ...NONE });
    made += 1;
    // A year of hours takes a tenth of a second: gates are answered meanwhile.
    if (made % LABELS_PER_TURN === 0) await nextTurn();
  }
  for await (const { sum, figures } of countedSums(sumsOf(store, search, period))) {
    const label: RowLabel = Object.assign({}, ...subjects.map((one) => labels[one](sum)));
    const name = nameOfLabel(label);
    rows.set(name, { ...label, ...plus(rows.get(name) ?? NONE, figures) });
    totals = plus(totals, figures);
    if (figures.denied > 0) reasons.set(sum.outcome, (reasons.get(sum.outcome) ?? 0) + sum.scans);
    made += 1;
    if (made % LABELS_PER_TURN === 0) await nextTurn();
  }
  const busiest = [...rows.values()].sort(busiestFirst);
  const addRows = (one: StatisticsRow, other: StatisticsRow) => ({ ...one, ...plus(one, other) });
  const shown = subjects.includes('gate') ? fewGates(busiest, labels, addRows) : busiest;
  const byReason = [...reasons].map(([reason, count]) => ({ reason, count }));
  return {
    from: period.from,
    to: period.to,
    timeZone,
    by,
    rows: shown.sort(inOrderOf(subjects)),
    totals,
    byReason: byReason.sort((a, b) => b.count - a.count),
  };
}

/** Leaves out what is in no figure, such as a way out that counted nobody: it is no row. */
async function* countedSums(sums: AsyncIterable<ScanSum>) {
  for await (const sum of sums) {
    const figures = figuresOf(sum);
    if (FIGURES.some((name) => figures[name] !== 0)) yield { sum, figures };
  }
}

/** Days and hours in their order; events, gates and types with the busiest first. */
function inOrderOf(subjects: readonly StatisticsBy[]) {
  const [time] = subjects.filter((one) => IN_TIME.includes(one)) as ('day' | 'hour')[];
  return (a: StatisticsRow, b: StatisticsRow) => {
    const [before = '', after = ''] = time ? [a[time], b[time]] : [];
    // The two hours of one name in autumn differ by their offset only.
    if (before.slice(0, HOUR_CHARACTERS) !== after.slice(0, HOUR_CHARACTERS))
      return before < after ? -1 : 1;
    return before === after ? busiestFirst(a, b) : Date.parse(before) - Date.parse(after);
  };
}

/** `2026-11-22T14:00`, without the offset. */
const HOUR_CHARACTERS = 16;

function busiestFirst(a: ScanFigures, b: ScanFigures): number {
  return scansOf(b) - scansOf(a);
}

/** Rows that are there without any scan: an empty day is an answer. Of two subjects only those that met have a row. */
function* emptyRows(by: RowsBy, period: StatisticsPeriod): Generator<RowLabel> {
  const { from, to, firstQuarter, endQuarter, localTime } = period;
  if (by === 'day') for (let day = from; day <= to; day = dateAfter(day, 1)) yield { day };
  if (by !== 'hour') return;
  for (let quarter = firstQuarter; quarter < endQuarter; quarter += 1) {
    yield { hour: localTime.hourOf(quarter) };
  }
}

const LABELS: Readonly<Record<StatisticsBy, readonly (keyof StatisticsRow)[]>> = {
  day: ['day'],
  hour: ['hour'],
  event: ['event', 'eventName'],
  gate: ['gate', 'keyId', 'serial'],
  type: ['type'],
};

/**
 * The rows as lines of CSV, with headings; without a sum, which a spreadsheet makes itself.
 * @param words writes them for Excel
 */
export function* statisticsCsv(
  { by, rows }: ScanStatistics,
  words?: SheetWords,
): Generator<string> {
  const labels = subjectsOf(by).flatMap((one) => LABELS[one]);
  const { head, line } = csvWriter([...labels, ...FIGURES], words);
  yield head;
  for (const row of rows) yield line(words ? withoutEmptyName(row) : row);
}

/** Scans of codes that nobody knows have no ticket: in a spreadsheet for people their row says so. */
function withoutEmptyName(row: StatisticsRow) {
  const named = row.type === null ? { ...row, type: NO_TICKET } : row;
  if (row.event === undefined) return named;
  return { ...named, eventName: row.eventName ?? row.event ?? NO_EVENT };
}
