import { dateAfter } from '../../core/calendar-days.ts';
import { type EventRecord, peopleInside } from '../../core/records.ts';
import { QUARTER_MS } from '../../core/scan-count.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import { type InsideRule, insideRuleOf, NEVER_ANEW } from '../organisations/inside-from.ts';
import {
  NO_PASSAGES,
  type Passages,
  passagesOf,
  passageTakenBack,
  sumOfPassages,
} from '../statistics/figures.ts';
import { LocalTime } from '../statistics/rules.ts';

/** The people inside an event. */
export interface InsideNow {
  readonly people: number;
  readonly entered: number;
  readonly exited: number;
  /** The time of the last reset, daily or by hand; null where there was none. */
  readonly resetAt: number | null;
  /** Whether somebody was counted out since the last reset by hand: where nobody ever is, the number only grows. */
  readonly isCountedOut: boolean;
}

type InsideStore = Pick<RecordStore, 'read' | 'listOccupancy'> &
  Pick<LogStore, 'sumScans' | 'listUndos'>;
type Counted = Pick<InsideNow, 'entered' | 'exited' | 'resetAt'>;

/**
 * The people inside these events, by the event. The daily reset needs no server that runs at that
 * time: the scans since then are counted when somebody asks.
 * @param now milliseconds since 1970 UTC
 */
export async function insideNow(
  store: InsideStore,
  events: readonly Pick<EventRecord, 'id' | 'organisationId'>[],
  now: number,
): Promise<(eventId: string) => InsideNow> {
  const byOwner = Map.groupBy(events, ({ organisationId }) => organisationId);
  const counts = await store.listOccupancy(events.map(({ id }) => id));
  const byHand = new Map(counts.map(({ eventId, ...counted }) => [eventId, counted]));
  const counted = new Map<string, InsideNow>();
  for (const [id, own] of byOwner) {
    const organisation = await store.read('organisation', id);
    const anew = organisation && lastAnew(await insideRuleOf(store, organisation), now);
    const since = anew === undefined ? undefined : await passagesSince(store, id, anew, now);
    for (const event of own) {
      const reset = byHand.get(event.id) ?? NOBODY;
      const { entered, exited, resetAt } = later(reset, since?.(event.id));
      const people = peopleInside({ entered, exited });
      const isCountedOut = exited > 0 || reset.exited > 0;
      counted.set(event.id, { people, entered, exited, resetAt, isCountedOut });
    }
  }
  return (eventId) => counted.get(eventId) ?? { ...NOBODY, people: 0, isCountedOut: false };
}

const NOBODY: Counted = { entered: 0, exited: 0, resetAt: null };

function later(byHand: Counted, byDay: Counted | undefined): Counted {
  return byDay && (byHand.resetAt ?? 0) < (byDay.resetAt ?? 0) ? byDay : byHand;
}

/** Those who passed since a quarter of an hour, by the event. */
async function passagesSince(
  store: InsideStore,
  organisationId: string,
  fromQuarter: number,
  now: number,
): Promise<(eventId: string) => Counted> {
  // Clocks of other servers may be a little ahead.
  const untilQuarter = Math.floor(now / QUARTER_MS) + 2;
  const sums = await store.sumScans({ organisationId, fromQuarter, untilQuarter, by: ['event'] });
  const resetAt = fromQuarter * QUARTER_MS;
  const passages = new Map<string, Passages>();
  const add = (eventId: string, passage: Passages) =>
    passages.set(eventId, sumOfPassages(passages.get(eventId) ?? NO_PASSAGES, passage));
  for (const sum of sums) add(sum.eventId ?? '', passagesOf(sum));
  if (sums.some(({ outcome }) => outcome === 'undone')) {
    // Whoever came before the count began is not in it, and is not taken out of it.
    const undos = await store.listUndos(organisationId, resetAt);
    for (const undo of undos.filter(({ usedAt }) => usedAt < resetAt)) {
      add(eventOfTicketId(undo.ticketId) ?? '', passageTakenBack(undo));
    }
  }
  return (eventId) => ({ ...(passages.get(eventId) ?? NO_PASSAGES), resetAt });
}

/** The quarter of an hour of the last daily reset; undefined where there is none. */
export function lastAnew({ from, timeZone }: InsideRule, now: number): number | undefined {
  if (from === NEVER_ANEW) return undefined;
  const localTime = new LocalTime(timeZone);
  const current = Math.floor(now / QUARTER_MS);
  const today = localTime.dateOf(current);
  const quarters = [0, -1, -2].map((days) => localTime.quarterAt(dateAfter(today, days), from));
  return quarters.find((quarter) => quarter <= current);
}
