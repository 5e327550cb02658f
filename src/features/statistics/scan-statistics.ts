import { setImmediate as nextTurn } from 'node:timers/promises';
import { QUARTER_MS } from '../../core/scan-count.ts';
import type { TicketKind } from '../../core/ticket.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { CountSearch, LogStore, ScanSum } from '../../stores/store.ts';
import { dateAfter, type LocalTime } from './local-time.ts';
import { type StatisticsPeriod, statisticsPeriod } from './statistics-period.ts';

export const STATISTICS_BY = ['day', 'hour', 'event', 'gate', 'type'] as const;
export type StatisticsBy = (typeof STATISTICS_BY)[number];

const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS;
const QUARTERS_PER_STEP = 4 * QUARTERS_PER_DAY;
const LABELS_PER_TURN = 1000;

/** What came out of scans. Repeated answers are not counted. */
export interface ScanFigures {
  /** Uses that were consumed on the way in. */
  readonly admitted: number;
  /** Consume operations that were refused. */
  readonly denied: number;
  /** Validate operations, whatever came out of them. */
  readonly validations: number;
  /** Uses that were taken back; they stay in `admitted`. */
  readonly undone: number;
  /** Grants at readers that lead outwards, whatever they did, without those that were taken back. */
  readonly exits: number;
}

/** One line of the statistics, and what it is about: the members that its `by` has. */
export interface StatisticsRow extends ScanFigures {
  readonly day?: string | undefined;
  /** The beginning of the hour in the time zone, with its offset. */
  readonly hour?: string | undefined;
  /** The id; null for codes that name no event. */
  readonly event?: string | null | undefined;
  /** Of the event; null where it is unknown here. */
  readonly eventName?: string | null | undefined;
  /** The serial of the device, or the name of the key where the device says none. */
  readonly gate?: string | undefined;
  readonly keyId?: string | undefined;
  readonly serial?: string | null | undefined;
  /** Null where no ticket was found or looked at. */
  readonly type?: TicketKind | null | undefined;
}

export interface ScanStatistics {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly by: StatisticsBy;
  readonly rows: StatisticsRow[];
  readonly totals: ScanFigures;
  /** Why consume operations were refused, the most frequent reason first. */
  readonly byReason: { reason: string; count: number }[];
}

export interface StatisticsRequest {
  readonly organisationId: string;
  readonly by: StatisticsBy;
  /** Days of the time zone, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** A name that `Intl` knows. */
  readonly timeZone: string;
  /** Scans of this event only. */
  readonly eventId?: string | undefined;
}

/** Since midnight UTC. @param now milliseconds since 1970 UTC */
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
  const { organisationId, by, timeZone, eventId } = request;
  const period = statisticsPeriod(request, { by, timeZone, now });
  const search = { organisationId, by: COUNTED_BY[by], ...(eventId !== undefined && { eventId }) };
  const labelled = await labelling(store, request, period);
  const rows = new Map<string, StatisticsRow>();
  const reasons = new Map<string, number>();
  let totals = NONE;
  let labels = 0;
  for (const label of labelled.all) {
    rows.set(JSON.stringify(label), { ...label, ...NONE });
    labels += 1;
    // A year of hours takes a tenth of a second: gates are answered meanwhile.
    if (labels % LABELS_PER_TURN === 0) await nextTurn();
  }
  for await (const sum of sums(store, search, period)) {
    const figures = figuresOf(sum);
    const label = labelled.of(sum);
    const name = JSON.stringify(label);
    rows.set(name, { ...label, ...plus(rows.get(name) ?? NONE, figures) });
    totals = plus(totals, figures);
    if (figures.denied > 0) reasons.set(sum.outcome, (reasons.get(sum.outcome) ?? 0) + sum.scans);
  }
  const byReason = [...reasons].map(([reason, count]) => ({ reason, count }));
  return {
    ...{ from: period.from, to: period.to, timeZone, by },
    rows: labelled.isOrdered ? [...rows.values()] : [...rows.values()].sort(busiestFirst),
    totals,
    byReason: byReason.sort((a, b) => b.count - a.count),
  };
}

const COUNTED_BY = {
  day: 'quarter',
  hour: 'quarter',
  event: 'event',
  gate: 'gate',
  type: 'kind',
} as const satisfies Record<StatisticsBy, CountSearch['by']>;

const NONE: ScanFigures = { admitted: 0, denied: 0, validations: 0, undone: 0, exits: 0 };

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
  return {
    admitted: one.admitted + other.admitted,
    denied: one.denied + other.denied,
    validations: one.validations + other.validations,
    undone: one.undone + other.undone,
    exits: one.exits + other.exits,
  };
}

function busiestFirst(a: ScanFigures, b: ScanFigures): number {
  return scansOf(b) - scansOf(a);
}

function scansOf({ admitted, denied, validations, exits }: ScanFigures): number {
  return admitted + denied + validations + exits;
}

type Label = Omit<StatisticsRow, keyof ScanFigures>;

interface Labelling {
  /** What a sum is about; its members are always in the same order. */
  of(sum: ScanSum): Label;
  /** Rows that are there without any scan: an empty day is an answer. */
  readonly all: Iterable<Label>;
  /** Whether the rows have an order of their own. */
  readonly isOrdered: boolean;
}

async function labelling(
  store: StatisticsStore,
  { by, organisationId }: StatisticsRequest,
  period: StatisticsPeriod,
): Promise<Labelling> {
  const { localTime } = period;
  switch (by) {
    case 'day':
      return {
        of: ({ quarter = 0 }) => ({ day: localTime.dateOf(quarter) }),
        ...{ all: daysOf(period), isOrdered: true },
      };
    case 'hour':
      return {
        of: ({ quarter = 0 }) => ({ hour: localTime.hourOf(quarter) }),
        ...{ all: hoursOf(period, localTime), isOrdered: true },
      };
    case 'event':
      return { of: eventLabels(await own(store.list('event'), organisationId)), ...BY_SCANS };
    case 'gate':
      return { of: gateLabels(await own(store.list('key'), organisationId)), ...BY_SCANS };
    case 'type':
      return { of: ({ kind }) => ({ type: kind || null }), ...BY_SCANS };
  }
}

const BY_SCANS = { all: [], isOrdered: false };

async function own<Item extends { readonly organisationId: string }>(
  items: Promise<Item[]>,
  organisationId: string,
): Promise<Item[]> {
  return (await items).filter((item) => item.organisationId === organisationId);
}

function* daysOf({ from, to }: StatisticsPeriod): Generator<Label> {
  for (let day = from; day <= to; day = dateAfter(day, 1)) yield { day };
}

function* hoursOf(
  { firstQuarter, endQuarter }: StatisticsPeriod,
  localTime: LocalTime,
): Generator<Label> {
  for (let quarter = firstQuarter; quarter < endQuarter; quarter += 1) {
    yield { hour: localTime.hourOf(quarter) };
  }
}

function eventLabels(events: readonly { id: string; name: string }[]): Labelling['of'] {
  const names = new Map(events.map(({ id, name }) => [id, name]));
  return ({ eventId }) => ({ event: eventId || null, eventName: names.get(eventId ?? '') ?? null });
}

function gateLabels(keys: readonly { id: string; name: string }[]): Labelling['of'] {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return ({ keyId = '', serial }) => ({
    gate: serial || (names.get(keyId) ?? keyId),
    ...{ keyId, serial: serial || null },
  });
}
