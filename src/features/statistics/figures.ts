import { NO_DEVICE_NAMES } from '../../core/gate-name.ts';
import { DENIALS_AT_AN_EXIT } from '../../core/outcome-names.ts';
import { QUARTER_MS, useCountedAs } from '../../core/scan-count.ts';
import type { TicketKind } from '../../core/ticket.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type {
  CountDimension,
  CountSearch,
  LogStore,
  ScanSum,
  TakenBack,
} from '../../stores/store.ts';
import { deviceNamesOf } from '../devices/rules.ts';
import { withFewSerials } from './gate-names.ts';
import type { LocalTime, StatisticsPeriod } from './rules.ts';

export const STATISTICS_BY = ['day', 'hour', 'event', 'gate', 'type'] as const;
export type StatisticsBy = (typeof STATISTICS_BY)[number];

export const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS;

/** What came out of scans, without repeated answers. */
export interface ScanFigures {
  /** Uses that were consumed on the way in. */
  admitted: number;
  /** Consume operations that were refused, without those on the way out that counted nobody. */
  denied: number;
  /** Validate operations, whatever came out of them. */
  validations: number;
  /** Uses that were taken back, counted when they were; they stay in `admitted`, or in `exits`. */
  undone: number;
  /** Grants at readers that lead outwards, whatever they did. */
  exits: number;
}

export const NONE: ScanFigures = { admitted: 0, denied: 0, validations: 0, undone: 0, exits: 0 };
export const FIGURES = Object.keys(NONE) as (keyof ScanFigures)[];

/** What one sum of the store adds to the figures. */
export function figuresOf({ operation, outcome, direction, scans }: ScanSum): ScanFigures {
  if (outcome === 'undone') return { ...NONE, undone: scans };
  if (operation === 'validate') return { ...NONE, validations: scans };
  const isUse = useCountedAs(outcome) !== undefined;
  if (direction === 'out' && (isUse || outcome === 'validated')) return { ...NONE, exits: scans };
  if (isUse) return { ...NONE, admitted: scans };
  const isDenied = direction !== 'out' || DENIED_OUTWARDS.has(outcome);
  return isDenied ? { ...NONE, denied: scans } : NONE;
}

const DENIED_OUTWARDS: ReadonlySet<string> = new Set(DENIALS_AT_AN_EXIT);

/** People who went in, and who went out, without those whose scans were taken back. */
export interface Passages {
  readonly entered: number;
  readonly exited: number;
}

/** What one sum of the store adds to them. */
export function passagesOf(sum: ScanSum): Passages {
  const { admitted, undone, exits } = figuresOf(sum);
  return sum.direction === 'out'
    ? { entered: 0, exited: exits - undone }
    : { entered: admitted - undone, exited: 0 };
}

/** What an undo took out of them. */
export function passageTakenBack({ direction }: Pick<TakenBack, 'direction'>): Passages {
  return direction === 'out' ? { entered: 0, exited: 1 } : { entered: 1, exited: 0 };
}

export function sumOfPassages(one: Passages, other: Passages): Passages {
  return { entered: one.entered + other.entered, exited: one.exited + other.exited };
}

export const NO_PASSAGES: Passages = { entered: 0, exited: 0 };

export function plus(one: ScanFigures, other: ScanFigures): ScanFigures {
  const sum = { ...one };
  for (const name of FIGURES) sum[name] += other[name];
  return sum;
}

/** How many scans these are. */
export function scansOf({ admitted, denied, validations, exits }: ScanFigures): number {
  return admitted + denied + validations + exits;
}

/** What the store keeps sums apart by, for rows of each kind. */
export const COUNTED_BY = {
  day: 'quarter',
  hour: 'quarter',
  event: 'event',
  gate: 'gate',
  type: 'kind',
} as const satisfies Record<StatisticsBy, CountDimension>;

/** Reads sums some quarters at a time: scans are answered in between. */
export async function* sumsOf(
  store: Pick<LogStore, 'sumScans'>,
  search: Pick<CountSearch, 'organisationId' | 'by' | 'eventId'>,
  { firstQuarter, endQuarter }: Pick<StatisticsPeriod, 'firstQuarter' | 'endQuarter'>,
  quartersPerStep = 4 * QUARTERS_PER_DAY,
): AsyncGenerator<ScanSum> {
  for (let from = firstQuarter; from < endQuarter; from += quartersPerStep) {
    const untilQuarter = Math.min(from + quartersPerStep, endQuarter);
    yield* await store.sumScans({ ...search, fromQuarter: from, untilQuarter });
  }
}

/** What a row is about: the members that its kind has. */
export interface RowLabel {
  readonly day?: string | undefined;
  readonly hour?: string | undefined;
  readonly event?: string | null | undefined;
  readonly eventName?: string | null | undefined;
  readonly gate?: string | undefined;
  readonly keyId?: string | undefined;
  readonly serial?: string | null | undefined;
  readonly type?: TicketKind | null | undefined;
}

/** What of a sum names its row. */
type Labelled = Pick<ScanSum, 'quarter' | 'eventId' | 'keyId' | 'serial' | 'kind'>;
export type Labels = Readonly<Record<StatisticsBy, (sum: Labelled) => RowLabel>>;

/** Names the subject of a sum in each kind of rows; the members of a label are always in the same order. */
export async function labelsFor(
  store: Pick<RecordStore, 'list' | 'read'>,
  organisationId: string,
  localTime: LocalTime,
  wanted: readonly StatisticsBy[],
): Promise<Labels> {
  const own = (kind: 'event' | 'key' | 'scanner') => store.list(kind, { organisationId });
  const lists = [
    wanted.includes('event') ? await own('event') : [],
    // People scan, too: their account is the gate then.
    ...(wanted.includes('gate') ? [await own('key'), await own('scanner')] : []),
  ];
  const names = new Map(lists.flat().map(({ id, name }) => [id, name]));
  const keyName = (id: string) => names.get(id) ?? id;
  const devices = wanted.includes('gate')
    ? await deviceNamesOf(store, organisationId)
    : NO_DEVICE_NAMES;
  return {
    day: ({ quarter = 0 }) => ({ day: localTime.dateOf(quarter) }),
    hour: ({ quarter = 0 }) => ({ hour: localTime.hourOf(quarter) }),
    event: ({ eventId = '' }) => ({
      event: eventId || null,
      eventName: names.get(eventId) ?? null,
    }),
    gate: ({ keyId = '', serial: counted }) => {
      const serial = counted || null;
      return { gate: devices.gate({ keyId, serial }, keyName), keyId, serial };
    },
    type: ({ kind }) => ({ type: kind || null }),
  };
}

/** A label as a text, by which rows are found again. */
export function nameOfLabel(label: RowLabel): string {
  return JSON.stringify(label);
}

/**
 * Leaves each key its busiest serials; rows of others are added to that of the key.
 * @param rows the busiest first
 * @param add adds up two rows that get one label
 */
export function fewGates<Row extends RowLabel>(
  rows: readonly Row[],
  labels: Labels,
  add: (one: Row, other: Row) => Row,
): Row[] {
  const gates = new Map<string, Row>();
  for (const row of withFewSerials(rows)) {
    const { keyId = '', serial = null } = row;
    const renamed = { ...row, ...labels.gate({ keyId, serial: serial ?? '' }) };
    const { day, hour, event, type, gate } = renamed;
    const name = JSON.stringify([day, hour, event, type, gate, keyId, serial]);
    const known = gates.get(name);
    gates.set(name, known ? add(known, renamed) : renamed);
  }
  return [...gates.values()];
}
