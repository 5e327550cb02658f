import { DAY_MS, MINUTE_MS } from '../kit/durations.ts';
import type { Operation } from './decision.ts';
import type { Direction } from './direction.ts';
import { kindOf, type Ticket, type TicketKind } from './ticket.ts';
import { localTimeIn } from './time-zone.ts';

/** Days and hours of every time zone in use begin and end with a quarter of an hour in UTC. */
export const QUARTER_MS = 15 * MINUTE_MS;

interface CountedUse {
  /** The first use of its ticket. Uses that an import brought came before. */
  readonly isFirst: boolean;
  /** A person chose the ticket, and no code was read. */
  readonly isByHand: boolean;
}

/** The outcomes by which uses are counted, and what each of them says. `OUTCOME` of `stores/sql/scan-counts.ts` names the same ones. */
const USES: ReadonlyMap<string, CountedUse> = new Map([
  ['consumed', { isFirst: false, isByHand: false }],
  ['first_use', { isFirst: true, isByHand: false }],
  ['by_hand', { isFirst: false, isByHand: true }],
  ['first_use_by_hand', { isFirst: true, isByHand: true }],
]);

/** Says whether an outcome that is counted took a use, and which one; undefined where it took none. */
export function useCountedAs(outcome: string): CountedUse | undefined {
  return USES.get(outcome);
}

/** What scans are counted by. Texts are empty where a scan has none. */
export interface CountedBy {
  /** Whole quarters of an hour since 1970 UTC. */
  readonly quarter: number;
  readonly keyId: string;
  /** Empty when no event is named, or one that the organisation does not have. */
  readonly eventId: string;
  /** Empty when no ticket was looked at, or there is none. */
  readonly kind: TicketKind | '';
  /** The serial of the device; a store names a bounded number of them. */
  readonly serial: string;
  readonly operation: Operation | 'undo';
  /** The status; of a rejection, the reason; of a use, which one it was; see `useCountedAs`. */
  readonly outcome: string;
  /** Empty where the key does not say in which direction its readers lead. */
  readonly direction: '' | Direction;
}

/** How many scans there were of one kind. */
export interface ScanCount extends CountedBy {
  readonly scans: number;
  /** Those of `scans` whose entries were pruned from the log. */
  readonly pruned: number;
}

/** What of a log entry counts. */
interface CountedEntry {
  readonly at: number;
  readonly keyId: string;
  readonly serial: string | null;
  readonly operation: Operation | 'undo';
  readonly status: string;
  readonly reason: string | null;
  readonly ticketId: string | null;
  readonly usesConsumed: number | null;
  readonly direction?: Direction | undefined;
  readonly byHand?: true | undefined;
}

/**
 * Where a log entry is counted. Repeated answers (`replayed`) are not.
 * @param ticket the one that the entry names, if there is one
 * @param ofOwnEvent whether the organisation has the event. All other events are counted together: a person who types identifiers can invent any number of them
 */
export function countedBy(
  entry: CountedEntry,
  ticket: Pick<Ticket, 'ticketType' | 'usesAllowed'> | undefined,
  ofOwnEvent: boolean,
): CountedBy {
  const { at, keyId, serial, operation, ticketId, usesConsumed } = entry;
  return {
    quarter: Math.floor(at / QUARTER_MS),
    keyId,
    eventId: ofOwnEvent && ticketId !== null ? eventNamedIn(ticketId) : '',
    // A ticket may come after a scan that did not find it: an entry has a counter when it was there.
    kind: ticket && usesConsumed !== null ? kindOf(ticket) : '',
    serial: serial ?? '',
    operation,
    outcome: outcomeOf(entry),
    direction: entry.direction ?? '',
  };
}

/** `OUTCOME` of `stores/sql/scan-counts.ts` finds the same in a query. */
function outcomeOf({ status, reason, usesConsumed, byHand }: CountedEntry): string {
  if (status !== 'consumed') return reason ?? status;
  if (byHand) return usesConsumed === 1 ? 'first_use_by_hand' : 'by_hand';
  return usesConsumed === 1 ? 'first_use' : 'consumed';
}

const EVENT_FOLLOWS = 'tkt_';

/** Also of an identifier that is not well-formed but genuine: stores find the same in a query. */
function eventNamedIn(ticketId: string): string {
  const end = ticketId.indexOf('_', EVENT_FOLLOWS.length);
  return ticketId.startsWith(EVENT_FOLLOWS) && end !== -1
    ? ticketId.slice(EVENT_FOLLOWS.length, end)
    : '';
}

/** Counters without what would show one guest's way: days instead of quarters of an hour, and no device. */
export interface DailySums {
  /** Counters of scans that the log still holds. */
  readonly kept: readonly ScanCount[];
  /** The sums of each day, which stand at the quarter of an hour of its noon. */
  readonly sums: readonly ScanCount[];
}

/** @param counts of one event @param timeZone whose days they are */
export function dailySums(counts: readonly ScanCount[], timeZone: string): DailySums {
  const logged = new Map<string, number>();
  for (const count of counts) {
    const name = loggedAs(count);
    logged.set(name, (logged.get(name) ?? 0) + count.scans - count.pruned);
  }
  const sums = new Map<string, ScanCount>();
  const kept = counts.filter((count) => logged.get(loggedAs(count)) !== 0);
  for (const count of counts) {
    if (logged.get(loggedAs(count)) !== 0 || count.scans === 0) continue;
    const sum = { ...count, quarter: noonOf(count.quarter, timeZone), serial: '' };
    const { scans: _, pruned: __, ...by } = sum;
    const name = JSON.stringify(by);
    const scans = (sums.get(name)?.scans ?? 0) + count.scans;
    sums.set(name, { ...sum, scans, pruned: scans });
  }
  return { kept, sums: [...sums.values()] };
}

/** What the log is compared by: a multi-use card may have become a permanent one, and not every device is named. */
function loggedAs({ quarter, keyId, kind, operation, outcome, direction }: ScanCount): string {
  const isMulti = kind === 'permanent' ? 'multi' : kind;
  return JSON.stringify([quarter, keyId, isMulti, operation, outcome, direction]);
}

function noonOf(quarter: number, timeZone: string): number {
  const at = quarter * QUARTER_MS;
  const { date, minute } = localTimeIn(at, timeZone);
  const local = Date.parse(`${date}T${minute}:00Z`);
  return Math.floor((at - (local % DAY_MS) + DAY_MS / 2) / QUARTER_MS);
}
