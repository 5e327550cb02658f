import { dateAfter } from '../../core/calendar-days.ts';
import { peopleInside } from '../../core/records.ts';
import { QUARTER_MS } from '../../core/scan-count.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore, ScanSum, TakenBack } from '../../stores/store.ts';
import { type InsideRule, NEVER_ANEW } from '../organisations/inside-from.ts';
import {
  NO_PASSAGES,
  type Passages,
  passagesOf,
  passageTakenBack,
  sumOfPassages,
  sumsOf,
} from './figures.ts';
import { LocalTime, type StatisticsPeriod } from './rules.ts';

type InsideStore = Pick<LogStore, 'sumScans' | 'listUndos'> &
  Pick<RecordStore, 'list' | 'listOccupancy'>;

/** Whose people inside are counted. */
interface InsideRequest {
  readonly organisationId: string;
  readonly event: { readonly id: string } | null;
  readonly inside: InsideRule;
}

interface MostInside {
  readonly people: number;
  readonly at: number;
}

/** Which quarters of an hour, of which event. What is undefined is all of them. */
interface Among {
  readonly day?: string | undefined;
  readonly hour?: string | undefined;
  readonly event?: string | undefined;
}

/** Counts the people inside over a period. @param now milliseconds since 1970 UTC */
export async function countInside(
  store: InsideStore,
  { organisationId, event, inside }: InsideRequest,
  period: StatisticsPeriod,
  now: number,
): Promise<InsideCount> {
  const events = event ? [event] : await store.list('event', { organisationId });
  const ids = events.map(({ id }) => id);
  const resets = await quartersOfResets(store, ids);
  const count = new InsideCount(period, inside, resets, now);
  const ofEvent = event ? { eventId: event.id } : {};
  const passages = { organisationId, by: ['quarter', 'event'] as const, ...ofEvent };
  for await (const sum of sumsOf(store, passages, count.counted)) count.add(sum);
  const undos = await store.listUndos(organisationId, count.counted.firstQuarter * QUARTER_MS);
  for (const undo of undos) count.addUndo(undo);
  if (inside.from === NEVER_ANEW) {
    for await (const sum of sumsBefore(store, organisationId, ids, resets, period)) count.add(sum);
  }
  return count;
}

async function quartersOfResets(
  store: InsideStore,
  events: readonly string[],
): Promise<Map<string, number>> {
  const occupancy = await store.listOccupancy(events);
  return new Map(
    occupancy.flatMap(({ eventId, resetAt }) =>
      resetAt === null ? [] : [[eventId, Math.floor(resetAt / QUARTER_MS)] as const],
    ),
  );
}

/** Everybody who passed before a period, since the last reset by hand; those sums stand at the quarter before it. */
async function* sumsBefore(
  store: InsideStore,
  organisationId: string,
  events: readonly string[],
  resets: ReadonlyMap<string, number>,
  { firstQuarter }: StatisticsPeriod,
): AsyncGenerator<ScanSum> {
  for (const eventId of events) {
    const reset = resets.get(eventId) ?? 0;
    const range = { fromQuarter: reset < firstQuarter ? reset : 0, untilQuarter: firstQuarter };
    const sums = await store.sumScans({ organisationId, eventId, by: ['event'], ...range });
    for (const sum of sums) yield { ...sum, quarter: firstQuarter - 1 };
  }
}

/**
 * The people inside at the end of each quarter of an hour of a period: those who went in, less those who went out, since the time of
 * day at which they are reset, or the last reset by hand. A night that began on the day before the period counts on into it.
 */
export class InsideCount {
  /** The quarters that are to be added: from the last count anew before the period on. */
  readonly counted: Pick<StatisticsPeriod, 'firstQuarter' | 'endQuarter'>;
  readonly #period: StatisticsPeriod;
  readonly #anew: ReadonlySet<number>;
  readonly #resets: ReadonlyMap<string, number>;
  readonly #now: number;
  readonly #events = new Map<string, Map<number, Passages>>();
  #people: Map<string, number[]> | undefined;

  /** @param resets the quarter of the last reset by hand, by the event @param now milliseconds since 1970 UTC */
  constructor(
    period: StatisticsPeriod,
    rule: InsideRule,
    resets: ReadonlyMap<string, number>,
    now: number,
  ) {
    const { firstQuarter, endQuarter } = period;
    const anew = quartersAnew(period, rule);
    this.#period = period;
    this.#anew = new Set(anew);
    this.#resets = resets;
    this.#now = now;
    const before = anew.filter((quarter) => quarter <= firstQuarter);
    this.counted = { firstQuarter: before.at(-1) ?? firstQuarter, endQuarter };
  }

  /** Adds a sum that is kept apart by quarter and event. */
  add(sum: ScanSum): void {
    const { quarter = 0, eventId = '' } = sum;
    if (eventId === '') return;
    this.#add(eventId, quarter, passagesOf(sum));
  }

  /** Whoever came before the count began anew is not in it, and is not taken out of it. */
  addUndo(undo: TakenBack): void {
    const [used, undone] = [undo.usedAt, undo.undoneAt].map((at) => Math.floor(at / QUARTER_MS));
    const eventId = eventOfTicketId(undo.ticketId) ?? '';
    if (!this.#events.has(eventId)) return;
    const isBetween = (quarter: number) => (used ?? 0) < quarter && quarter <= (undone ?? 0);
    const begins = [...this.#anew, this.#resets.get(eventId) ?? Number.NaN];
    if (begins.some(isBetween)) this.#add(eventId, undone ?? 0, passageTakenBack(undo));
  }

  #add(eventId: string, quarter: number, passages: Passages): void {
    const quarters = this.#events.get(eventId) ?? new Map<number, Passages>();
    this.#events.set(eventId, quarters);
    quarters.set(quarter, sumOfPassages(quarters.get(quarter) ?? NO_PASSAGES, passages));
  }

  /** The most people at once, and when; null where nobody was counted out, so that the number would only grow. */
  most({ day, hour, event }: Among = {}): MostInside | null {
    const { firstQuarter, localTime } = this.#period;
    this.#people ??= this.#peopleByEvent();
    const events = event === undefined ? [...this.#people.values()] : [this.#people.get(event)];
    const counts = events.filter((one) => one !== undefined);
    let most: MostInside | null = null;
    for (const [index] of counts[0]?.entries() ?? []) {
      const quarter = firstQuarter + index;
      if (day !== undefined && localTime.dateOf(quarter) !== day) continue;
      if (hour !== undefined && localTime.minuteOf(quarter).slice(0, 2) !== hour.slice(0, 2))
        continue;
      const people = counts.reduce((sum, one) => sum + (one[index] ?? 0), 0);
      if (people > (most?.people ?? 0))
        most = { people, at: Math.min((quarter + 1) * QUARTER_MS, this.#now) };
    }
    return most;
  }

  /** The people at the end of each quarter of the period, of each event that somebody was counted out of. The last quarter is the one that is not over. */
  #peopleByEvent(): Map<string, number[]> {
    const { firstQuarter } = this.#period;
    const endQuarter = Math.min(this.#period.endQuarter, Math.floor(this.#now / QUARTER_MS) + 1);
    const events = [...this.#events].filter(([, quarters]) =>
      [...quarters.values()].some(({ exited }) => exited > 0),
    );
    return new Map(
      events.map(([event, quarters]) => {
        const people: number[] = [];
        let inside = NO_PASSAGES;
        const reset = this.#resets.get(event);
        // Those who came before the first quarter are added to the one before it.
        for (let quarter = this.counted.firstQuarter - 1; quarter < endQuarter; quarter += 1) {
          if (this.#anew.has(quarter) || quarter === reset) inside = NO_PASSAGES;
          inside = sumOfPassages(inside, quarters.get(quarter) ?? NO_PASSAGES);
          if (quarter >= firstQuarter) people.push(peopleInside(inside));
        }
        return [event, people];
      }),
    );
  }
}

/** The daily resets of people inside in a period, and the last one before it. */
function quartersAnew({ from, to, localTime }: StatisticsPeriod, rule: InsideRule): number[] {
  if (rule.from === NEVER_ANEW) return [];
  // The days of two zones can lie a day apart.
  const clocks = rule.timeZone === localTime.timeZone ? localTime : new LocalTime(rule.timeZone);
  const quarters: number[] = [];
  for (let day = dateAfter(from, -2); day <= dateAfter(to, 1); day = dateAfter(day, 1)) {
    quarters.push(clocks.quarterAt(day, rule.from));
  }
  return quarters;
}
