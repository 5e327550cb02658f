import { dateAfter } from '../../core/calendar-days.ts';
import { QUARTER_MS } from '../../core/scan-count.ts';
import type { ScanSum } from '../../stores/store.ts';
import { figuresOf } from './figures.ts';
import type { StatisticsPeriod } from './rules.ts';

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

interface Passages {
  entered: number;
  exited: number;
}

/**
 * The people inside at the end of each quarter of an hour of a period: those who went in, less those who went out, since the time of
 * day at which they are counted anew. A night that began on the day before the period counts on into it.
 */
export class InsideCount {
  /** The quarters that are to be added: from the last count anew before the period on. */
  readonly counted: Pick<StatisticsPeriod, 'firstQuarter' | 'endQuarter'>;
  readonly #period: StatisticsPeriod;
  readonly #anew: ReadonlySet<number>;
  readonly #events = new Map<string, Map<number, Passages>>();
  #people: Map<string, number[]> | undefined;

  /** @param insideFrom when people are counted anew, such as `04:00` */
  constructor(period: StatisticsPeriod, insideFrom: string) {
    const { from, to, localTime, firstQuarter, endQuarter } = period;
    const anew: number[] = [];
    for (let day = dateAfter(from, -1); day <= to; day = dateAfter(day, 1)) {
      anew.push(localTime.quarterAt(day, insideFrom));
    }
    this.#period = period;
    this.#anew = new Set(anew);
    const before = anew.filter((quarter) => quarter <= firstQuarter);
    this.counted = { firstQuarter: Math.max(...before, anew[0] ?? 0), endQuarter };
  }

  /** Adds a sum that is kept apart by quarter and event. */
  add(sum: ScanSum): void {
    const { quarter = 0, eventId = '' } = sum;
    if (eventId === '') return;
    const { admitted, undone, exits } = figuresOf(sum);
    const quarters = this.#events.get(eventId) ?? new Map<number, Passages>();
    this.#events.set(eventId, quarters);
    const passages = quarters.get(quarter) ?? { entered: 0, exited: 0 };
    passages.entered += admitted - undone;
    passages.exited += exits;
    quarters.set(quarter, passages);
  }

  /** The most people at once; null where nobody was counted out, so that the number would only grow. */
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
      if (people > (most?.people ?? 0)) most = { people, at: (quarter + 1) * QUARTER_MS };
    }
    return most;
  }

  /** The people at the end of each quarter of the period, of each event that somebody was counted out of. */
  #peopleByEvent(): Map<string, number[]> {
    const { firstQuarter, endQuarter } = this.#period;
    const events = [...this.#events].filter(([, quarters]) =>
      [...quarters.values()].some(({ exited }) => exited > 0),
    );
    return new Map(
      events.map(([event, quarters]) => {
        const people: number[] = [];
        let inside = { entered: 0, exited: 0 };
        for (let quarter = this.counted.firstQuarter; quarter < endQuarter; quarter += 1) {
          if (this.#anew.has(quarter)) inside = { entered: 0, exited: 0 };
          const { entered = 0, exited = 0 } = quarters.get(quarter) ?? {};
          inside = { entered: inside.entered + entered, exited: inside.exited + exited };
          if (quarter >= firstQuarter) people.push(Math.max(0, inside.entered - inside.exited));
        }
        return [event, people];
      }),
    );
  }
}
