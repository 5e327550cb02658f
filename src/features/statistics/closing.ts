import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { dateAfter } from '../../core/calendar-days.ts';
import { Time } from '../../core/records.ts';
import { useCountedAs } from '../../core/scan-count.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore, ScanSum } from '../../stores/store.ts';
import type { InsideRule } from '../organisations/inside-from.ts';
import {
  fewGates,
  figuresOf,
  type Labels,
  labelsFor,
  nameOfLabel,
  QUARTERS_PER_DAY,
  type RowLabel,
  type StatisticsBy,
  sumsOf,
} from './figures.ts';
import { countInside, type InsideCount } from './inside-count.ts';
import { type StatisticsPeriod, statisticsPeriod } from './rules.ts';
import { Day, RowLabelJson } from './scan-statistics.ts';

/**
 * What a closing counts. A further figure of uses is told apart by their outcomes in the counters (`core/scan-count.ts`, and `OUTCOME` in
 * `stores/sql/scan-counts.ts`); it comes here, into `figuresIn` and `withoutLabel`, and its names into the command, the page and `sheet-words.ts`.
 */
const Figures = {
  /** Uses that were consumed on the way in. */
  admitted: z.number().int(),
  /** Those of `admitted` that were the first use of their ticket. */
  firstUses: z.number().int(),
  /** Those of `admitted` that were a further use. */
  repeats: z.number().int(),
  /** Those of `admitted` that a person let in by hand, without a code that was read. */
  byHand: z.number().int(),
  /** People who were counted out, without those that were taken back. */
  exits: z.number().int(),
  /** Consume operations that were refused, without those on the way out that counted nobody. */
  denied: z.number().int(),
  /** Uses that were taken back; they stay in `admitted`. */
  undone: z.number().int(),
};

const Counted = {
  ...Figures,
  /** Why they were denied, the most frequent reason first. */
  reasons: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  /**
   * The most people inside at the end of a quarter of an hour, and when that was: of the quarter that is not over, until now. Null for gates and types, and where nobody was counted out.
   */
  mostInside: z.object({ people: z.number().int(), at: Time }).nullable(),
};

const Row = z.object({
  ...RowLabelJson,
  ...Counted,
  /** The same of the other period or event, where one stands beside it. */
  other: z.object({ day: Day.exactOptional(), ...Counted }).exactOptional(),
});

const Bounds = {
  from: Day,
  to: Day,
  /** The event whose scans are counted; null for all. */
  event: z.object({ id: z.string(), name: z.string() }).nullable(),
};

/** A closed day, or days, of a time zone. Repeated answers are not counted, and pruning the log changes nothing. */
export const ScanClosing = z
  .object({
    ...Bounds,
    timeZone: z.string(),
    /** The time of the daily reset of people inside, by the clocks of this time zone; `never` where people only reset them by hand. */
    inside: z.object({ from: z.string(), timeZone: z.string() }),
    /** What stands beside it; null for nothing. */
    other: z.object(Bounds).nullable(),
    totals: Row,
    /** Rows by day, where there are several. The first day stands beside the first of the other period, and so on. */
    byDay: z.array(Row),
    byEvent: z.array(Row),
    byGate: z.array(Row),
    byType: z.array(Row),
    /** Rows by the hour that clocks show, such as `14:00`, of all days together; hours without a scan are left out. */
    byHour: z.array(Row),
  })
  .meta({ id: 'ScanClosing' });

export type ScanClosing = z.output<typeof ScanClosing>;
export type ClosingRow = ScanClosing['totals'];
export type ClosingFigures = z.output<z.ZodObject<typeof Figures>>;
type CountedRow = Omit<ClosingRow, 'other'>;

export const CLOSING_FIGURES = Object.keys(Figures) as (keyof ClosingFigures)[];

/** The parts of a closing, each a table. */
export const CLOSING_PARTS = ['byDay', 'byEvent', 'byGate', 'byType', 'byHour'] as const;
type Part = (typeof CLOSING_PARTS)[number];

/** A period of one organisation whose days are closed. */
export interface ClosingRequest {
  readonly organisationId: string;
  readonly timeZone: string;
  readonly from: string;
  readonly to: string;
  readonly event: { readonly id: string; readonly name: string } | null;
  /** The daily reset of people inside. */
  readonly inside: InsideRule;
}

interface ClosedPeriod extends Record<Part, readonly CountedRow[]> {
  readonly period: StatisticsPeriod;
  readonly totals: CountedRow;
}

const SUMS_PER_TURN = 500;
const BY_OF: Readonly<Record<Part, StatisticsBy>> = {
  byDay: 'day',
  byEvent: 'event',
  byGate: 'gate',
  byType: 'type',
  byHour: 'hour',
};

type ClosingStore = Pick<LogStore, 'sumScans' | 'listUndos'> &
  Pick<RecordStore, 'list' | 'read' | 'listOccupancy'>;

/**
 * Closes a day or several: what came out of their scans, by event, gate, type and hour.
 * @param beside another period or event, whose figures stand beside those of the first
 * @param now milliseconds since 1970 UTC
 * @throws TicketscanError `usage` as `statisticsPeriod` does
 */
export async function closingOf(
  store: ClosingStore,
  request: ClosingRequest,
  beside: ClosingRequest | undefined,
  now: number,
): Promise<ScanClosing> {
  const own = await closedPeriod(store, request, now);
  const other = beside && (await closedPeriod(store, beside, now));
  const bounds = ({ period }: ClosedPeriod, { event }: ClosingRequest) => ({
    from: period.from,
    to: period.to,
    event,
  });
  const part = (name: Part) => (other ? paired(own[name], other[name], name) : [...own[name]]);
  return {
    ...bounds(own, request),
    timeZone: request.timeZone,
    inside: request.inside,
    other: other && beside ? bounds(other, beside) : null,
    totals: other ? { ...own.totals, other: withoutLabel(other.totals) } : own.totals,
    byDay: part('byDay'),
    byEvent: part('byEvent'),
    byGate: part('byGate'),
    byType: part('byType'),
    byHour: part('byHour'),
  };
}

/** Counts a period once for all its parts. */
async function closedPeriod(
  store: ClosingStore,
  request: ClosingRequest,
  now: number,
): Promise<ClosedPeriod> {
  const { organisationId, event } = request;
  const period = statisticsPeriod(request, now, { byHour: true });
  const labels = await labelsFor(store, organisationId, period.localTime, ['event', 'gate']);
  const ofEvent = event ? { eventId: event.id } : {};
  const inside = await countInside(store, request, period, now);
  const tables = new Tables(period, labels);
  const search = { organisationId, by: ['quarter', 'event', 'gate', 'kind'] as const, ...ofEvent };
  let read = 0;
  for await (const sum of sumsOf(store, search, period, QUARTERS_PER_DAY)) {
    tables.add(sum);
    read += 1;
    if (read % SUMS_PER_TURN === 0) await nextTurn();
  }
  return tables.closed(inside);
}

/** What one sum adds. */
function figuresIn(sum: ScanSum): ClosingFigures {
  const { admitted, exits, denied, undone } = figuresOf(sum);
  const use = useCountedAs(sum.outcome);
  const firstUses = use?.isFirst ? admitted : 0;
  const byHand = use?.isByHand ? admitted : 0;
  return { admitted, firstUses, repeats: admitted - firstUses, byHand, exits, denied, undone };
}

/** The rows of each part while they are counted. */
class Tables {
  readonly #period: StatisticsPeriod;
  readonly #labels: Labels;
  readonly #rows = new Map<StatisticsBy | 'all', Map<string, CountingRow>>();
  readonly #hours = new Map<number, readonly [RowLabel, RowLabel]>();

  constructor(period: StatisticsPeriod, labels: Labels) {
    this.#period = period;
    this.#labels = labels;
    this.#rowOf('all', {});
    for (let day = period.from; day <= period.to; day = dateAfter(day, 1)) {
      this.#rowOf('day', { day });
    }
  }

  add(sum: ScanSum): void {
    const figures = figuresIn(sum);
    const [day, hour] = this.#timesOf(sum.quarter ?? 0);
    const { event, gate, type } = this.#labels;
    const rows = [
      this.#rowOf('all', {}),
      this.#rowOf('day', day),
      this.#rowOf('hour', hour),
      this.#rowOf('event', event(sum)),
      this.#rowOf('gate', gate(sum)),
      this.#rowOf('type', type(sum)),
    ];
    for (const row of rows) addTo(row, figures, sum);
  }

  closed(inside: InsideCount): ClosedPeriod {
    const [totals] = this.#list('all', () => inside.most());
    const none = () => null;
    const gates = this.#list('gate', none).sort(busiestFirst);
    const days = this.#list('day', ({ day }) => inside.most({ day }));
    return {
      period: this.#period,
      totals: totals ?? closedRow(newRow({}), null),
      byDay: days.length > 1 ? days : [],
      byEvent: this.#list('event', ({ event }) => inside.most({ event: event ?? '' })).sort(
        busiestFirst,
      ),
      byGate: fewGates(gates, this.#labels, sumOfRows),
      byType: this.#list('type', none).sort(busiestFirst),
      byHour: this.#list('hour', ({ hour }) => inside.most({ hour })).sort((a, b) =>
        (a.hour ?? '') < (b.hour ?? '') ? -1 : 1,
      ),
    };
  }

  /** Rows that only have validate operations say nothing here. */
  #list(by: StatisticsBy | 'all', most: (label: RowLabel) => CountedRow['mostInside']) {
    const rows = [...(this.#rows.get(by)?.values() ?? [])];
    const shown = rows.filter((row) => by === 'all' || by === 'day' || isUsed(row));
    return shown.map((row) => closedRow(row, most(row.label)));
  }

  #timesOf(quarter: number): readonly [RowLabel, RowLabel] {
    const known = this.#hours.get(quarter);
    if (known) return known;
    const { localTime } = this.#period;
    const hour = `${localTime.minuteOf(quarter).slice(0, 2)}:00`;
    const times = [{ day: localTime.dateOf(quarter) }, { hour }] as const;
    this.#hours.set(quarter, times);
    return times;
  }

  #rowOf(by: StatisticsBy | 'all', label: RowLabel): CountingRow {
    const rows = this.#rows.get(by) ?? new Map<string, CountingRow>();
    this.#rows.set(by, rows);
    const name = nameOfLabel(label);
    const row = rows.get(name) ?? newRow(label);
    rows.set(name, row);
    return row;
  }
}

interface CountingRow {
  readonly label: RowLabel;
  readonly figures: ClosingFigures;
  readonly reasons: Map<string, number>;
}

function newRow(label: RowLabel): CountingRow {
  return { label, figures: { ...NO_FIGURES }, reasons: new Map() };
}

const NO_FIGURES = Object.fromEntries(
  CLOSING_FIGURES.map((name) => [name, 0]),
) as unknown as Readonly<ClosingFigures>;

function addTo(row: CountingRow, figures: ClosingFigures, { outcome }: ScanSum): void {
  for (const name of CLOSING_FIGURES) row.figures[name] += figures[name];
  if (figures.denied > 0) {
    row.reasons.set(outcome, (row.reasons.get(outcome) ?? 0) + figures.denied);
  }
}

function isUsed({ figures }: CountingRow): boolean {
  return CLOSING_FIGURES.some((name) => figures[name] !== 0);
}

function closedRow(row: CountingRow, mostInside: CountedRow['mostInside']): CountedRow {
  const { label, figures } = row;
  return { ...label, ...figures, reasons: sortedReasons(row.reasons), mostInside };
}

function sortedReasons(reasons: ReadonlyMap<string, number>): CountedRow['reasons'] {
  return [...reasons]
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

function busiestFirst(a: CountedRow, b: CountedRow): number {
  return b.admitted + b.denied + b.exits - a.admitted - a.denied - a.exits;
}

function sumOfRows(one: CountedRow, other: CountedRow): CountedRow {
  const sum = { ...one };
  for (const name of CLOSING_FIGURES) sum[name] += other[name];
  const reasons = new Map<string, number>();
  for (const { reason, count } of [...one.reasons, ...other.reasons]) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return { ...sum, reasons: sortedReasons(reasons) };
}

/** Rows about the same subject side by side; what only one of them has stands beside zeros. */
function paired(
  own: readonly CountedRow[],
  others: readonly CountedRow[],
  part: Part,
): ClosingRow[] {
  const nameOf = (row: CountedRow, index: number) =>
    part === 'byDay' ? String(index) : subjectOf(row, BY_OF[part]);
  const left = new Map(others.map((row, index) => [nameOf(row, index), row]));
  const rows = own.map((row, index): ClosingRow => {
    const name = nameOf(row, index);
    const other = left.get(name);
    left.delete(name);
    return { ...row, other: withoutLabel(other ?? closedRow(newRow({}), null)) };
  });
  const alone = [...left.values()].map((row): ClosingRow => {
    const { gate, keyId, serial, event, eventName, type, hour } = row;
    const label = Object.fromEntries(
      Object.entries({ event, eventName, gate, keyId, serial, type, hour }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    return { ...closedRow(newRow(label), null), other: withoutLabel(row) };
  });
  const all = [...rows, ...alone];
  return part === 'byHour' ? all.sort((a, b) => ((a.hour ?? '') < (b.hour ?? '') ? -1 : 1)) : all;
}

function subjectOf({ event, keyId, serial, type, hour }: CountedRow, by: StatisticsBy): string {
  return JSON.stringify(by === 'gate' ? [keyId, serial] : [event, type, hour]);
}

/** The figures beside a row; a day names itself, because it is another one. */
function withoutLabel(row: CountedRow): NonNullable<ClosingRow['other']> {
  const { admitted, firstUses, repeats, byHand, exits, denied, undone, reasons, mostInside } = row;
  const figures = { admitted, firstUses, repeats, byHand, exits, denied, undone };
  return { ...(row.day !== undefined && { day: row.day }), ...figures, reasons, mostInside };
}
