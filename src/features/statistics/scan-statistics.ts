import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { QUARTER_MS } from '../../core/scan-count.ts';
import { TICKET_KINDS } from '../../core/ticket.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { CountSearch, LogStore, ScanSum } from '../../stores/store.ts';
import { csvWriter, NO_EVENT, NO_TICKET, type SheetWords } from '../sheet-words.ts';
import { withFewSerials } from './gate-names.ts';
import { dateAfter, type StatisticsPeriod, statisticsPeriod } from './rules.ts';

export const STATISTICS_BY = ['day', 'hour', 'event', 'gate', 'type'] as const;
export type StatisticsBy = (typeof STATISTICS_BY)[number];

const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS;
const QUARTERS_PER_STEP = 4 * QUARTERS_PER_DAY;
const LABELS_PER_TURN = 1000;

const Day = z.string().meta({ description: 'A day, such as 2026-11-22' });

export const ScanStatisticsQuery = z.object({
  /** The first day; six days before `to` by default. */
  from: Day.optional(),
  /** The last day, included; today by default. */
  to: Day.optional(),
  by: z.enum(STATISTICS_BY).default('day'),
  /** The zone of the days and hours, such as `Europe/Berlin`. */
  timeZone: z
    .string()
    .max(100)
    .default('UTC')
    .meta({ description: 'Of the days and hours, such as Europe/Berlin' }),
  /** Scans of this event only. */
  event: z.string().max(100).optional(),
});

/** The outcomes of scans. Repeated answers are not counted. */
const Figures = {
  /** Uses that were consumed on the way in. */
  admitted: z.number().int(),
  /** Consume operations that were refused. */
  denied: z.number().int(),
  /** Validate operations, whatever came out of them. */
  validations: z.number().int(),
  /** Uses that were taken back; they stay in `admitted`. */
  undone: z.number().int(),
  /** Grants at readers that lead outwards, whatever they did, without those that were taken back. */
  exits: z.number().int(),
};

/** Counted when the scans were logged: pruning the log changes nothing. Repeated answers are not counted. */
export const ScanStatistics = z
  .object({
    from: Day,
    to: Day,
    timeZone: z.string(),
    by: z.enum(STATISTICS_BY),
    /** Days and hours in their order, without a gap; events, gates and types by their number of scans. */
    rows: z.array(
      z.object({
        /** The day, in rows by day. */
        day: Day.optional(),
        /** The beginning of the hour with the offset of the time zone, in rows by hour. */
        hour: z.string().optional(),
        /** The id of the event, in rows by event; null, in one row, for codes that name none or one that the organisation does not have. */
        event: z.string().nullable().optional(),
        eventName: z.string().nullable().optional(),
        /** The serial of the device, in rows by gate, or the name of the key or account where there is none. */
        gate: z.string().optional(),
        keyId: z.string().optional(),
        serial: z.string().nullable().optional(),
        /** The type, in rows by type; null where no ticket was found or looked at. */
        type: z.enum(TICKET_KINDS).nullable().optional(),
        ...Figures,
      }),
    ),
    totals: z.object(Figures),
    byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  })
  .meta({ id: 'ScanStatistics' });

export type ScanStatistics = z.output<typeof ScanStatistics>;
/** One line of the statistics, and what it is about: the members that its `by` has. */
export type StatisticsRow = ScanStatistics['rows'][number];
export type ScanFigures = ScanStatistics['totals'];

type StatisticsRequest = z.output<typeof ScanStatisticsQuery> & { readonly organisationId: string };

/** The figures since midnight UTC. @param now milliseconds since 1970 UTC */
export async function figuresOfToday(
  store: Pick<LogStore, 'sumScans'>,
  organisationId: string,
  now: number,
): Promise<ScanFigures> {
  const fromQuarter = Math.floor(now / DAY_MS) * QUARTERS_PER_DAY;
  const untilQuarter = fromQuarter + QUARTERS_PER_DAY;
  const sums = await store.sumScans({ organisationId, fromQuarter, untilQuarter, by: 'kind' });
  return sums.map(figuresOf).reduce(plus, NONE);
}

type StatisticsStore = Pick<LogStore, 'sumScans'> & Pick<RecordStore, 'list'>;

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
  const period = statisticsPeriod(request, now);
  const search = {
    organisationId,
    by: COUNTED_BY[by],
    ...(event !== undefined && { eventId: event }),
  };
  const labelOf = await labelling(store, request, period);
  const rows = new Map<string, StatisticsRow>();
  const reasons = new Map<string, number>();
  let totals = NONE;
  let labels = 0;
  for (const label of emptyRows(by, period)) {
    rows.set(JSON.stringify(label), { ...label, ...NONE });
    labels += 1;
    // A year of hours takes a tenth of a second: gates are answered meanwhile.
    if (labels % LABELS_PER_TURN === 0) await nextTurn();
  }
  for await (const sum of sums(store, search, period)) {
    const figures = figuresOf(sum);
    const label = labelOf(sum);
    const name = JSON.stringify(label);
    rows.set(name, { ...label, ...plus(rows.get(name) ?? NONE, figures) });
    totals = plus(totals, figures);
    if (figures.denied > 0) reasons.set(sum.outcome, (reasons.get(sum.outcome) ?? 0) + sum.scans);
  }
  const shown = by === 'gate' ? fewGates([...rows.values()], labelOf) : [...rows.values()];
  const byReason = [...reasons].map(([reason, count]) => ({ reason, count }));
  return {
    from: period.from,
    to: period.to,
    timeZone,
    by,
    rows: IS_IN_TIME[by] ? shown : shown.sort(busiestFirst),
    totals,
    byReason: byReason.sort((a, b) => b.count - a.count),
  };
}

const IS_IN_TIME = { day: true, hour: true, event: false, gate: false, type: false };
const COUNTED_BY = {
  day: 'quarter',
  hour: 'quarter',
  event: 'event',
  gate: 'gate',
  type: 'kind',
} as const satisfies Record<StatisticsBy, CountSearch['by']>;

const NONE: ScanFigures = { admitted: 0, denied: 0, validations: 0, undone: 0, exits: 0 };
const FIGURES = Object.keys(NONE) as (keyof ScanFigures)[];

/** Some days at a time: scans are answered in between. */
async function* sums(
  store: StatisticsStore,
  search: Pick<CountSearch, 'organisationId' | 'by' | 'eventId'>,
  { firstQuarter, endQuarter }: StatisticsPeriod,
): AsyncGenerator<ScanSum> {
  for (let from = firstQuarter; from < endQuarter; from += QUARTERS_PER_STEP) {
    const untilQuarter = Math.min(from + QUARTERS_PER_STEP, endQuarter);
    yield* await store.sumScans({ ...search, fromQuarter: from, untilQuarter });
  }
}

function figuresOf({ operation, outcome, direction, scans }: ScanSum): ScanFigures {
  if (outcome === 'undone')
    return direction === 'out' ? { ...NONE, exits: -scans } : { ...NONE, undone: scans };
  if (operation === 'validate') return { ...NONE, validations: scans };
  const isGrant = outcome === 'consumed' || outcome === 'validated';
  if (direction === 'out' && isGrant) return { ...NONE, exits: scans };
  return outcome === 'consumed' ? { ...NONE, admitted: scans } : { ...NONE, denied: scans };
}

function plus(one: ScanFigures, other: ScanFigures): ScanFigures {
  const sum = { ...one };
  for (const name of FIGURES) sum[name] += other[name];
  return sum;
}

function busiestFirst(a: ScanFigures, b: ScanFigures): number {
  return scansOf(b) - scansOf(a);
}

function scansOf({ admitted, denied, validations, exits }: ScanFigures): number {
  return admitted + denied + validations + exits;
}

type Label = Omit<StatisticsRow, keyof ScanFigures>;

/** What of a sum names its row. */
type Labelled = Pick<ScanSum, 'quarter' | 'eventId' | 'keyId' | 'serial' | 'kind'>;

function fewGates(rows: StatisticsRow[], labelOf: (sum: Labelled) => Label): StatisticsRow[] {
  const gates = new Map<string, StatisticsRow>();
  for (const row of withFewSerials(rows.sort(busiestFirst))) {
    const { keyId = '', serial = null } = row;
    const label = labelOf({ keyId, serial: serial ?? '' });
    const name = JSON.stringify(label);
    gates.set(name, { ...plus(gates.get(name) ?? NONE, row), ...label });
  }
  return [...gates.values()];
}

/** Names the subject of a sum; its members are always in the same order. */
async function labelling(
  store: StatisticsStore,
  { by, organisationId }: StatisticsRequest,
  { localTime }: StatisticsPeriod,
): Promise<(sum: Labelled) => Label> {
  const own = (kind: 'event' | 'key' | 'scanner') => store.list(kind, { organisationId });
  const named = {
    event: () => own('event'),
    // People scan, too: their account is the gate then.
    gate: async () => [...(await own('key')), ...(await own('scanner'))],
  };
  const list = by === 'event' || by === 'gate' ? await named[by]() : [];
  const names = new Map(list.map(({ id, name }) => [id, name]));
  const labels: Record<StatisticsBy, (sum: Labelled) => Label> = {
    day: ({ quarter = 0 }) => ({ day: localTime.dateOf(quarter) }),
    hour: ({ quarter = 0 }) => ({ hour: localTime.hourOf(quarter) }),
    event: ({ eventId = '' }) => ({
      event: eventId || null,
      eventName: names.get(eventId) ?? null,
    }),
    gate: ({ keyId = '', serial }) => ({
      gate: serial || (names.get(keyId) ?? keyId),
      keyId,
      serial: serial || null,
    }),
    type: ({ kind }) => ({ type: kind || null }),
  };
  return labels[by];
}

/** Rows that are there without any scan: an empty day is an answer. */
function* emptyRows(by: StatisticsBy, period: StatisticsPeriod): Generator<Label> {
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
  const { head, line } = csvWriter([...LABELS[by], ...FIGURES], words);
  yield head;
  for (const row of rows) yield line(words ? withoutEmptyName(row) : row);
}

/** Scans of codes that nobody knows have no ticket: in a spreadsheet for people their row says so. */
function withoutEmptyName(row: StatisticsRow) {
  if (row.type === null) return { ...row, type: NO_TICKET };
  if (row.event === undefined) return row;
  return { ...row, eventName: row.eventName ?? row.event ?? NO_EVENT };
}
