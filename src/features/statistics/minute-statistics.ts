import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { STATISTICS_MINUTES_MAX } from '../../core/limits.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { OutcomeCount, OutcomeCounts } from '../../stores/log-search.ts';
import type { LogStore } from '../../stores/store.ts';
import { follow, gapBefore, lastBefore, type ReadLogPage } from '../log/log-reader.ts';
import { withFewSerials } from './gate-names.ts';

/** The entries of one step. The store answers scans between two steps: one takes it some 10 ms. */
const STEP_ENTRIES = 10_000;
/** How many steps one request waits for; the rest is counted after its answer. */
const STEPS_PER_REQUEST = 5;
const PAUSE_MS = 20;

type CountedStore = Pick<LogStore, 'searchLog' | 'countOutcomes'>;

/**
 * Counts what came out of scans, by minute and gate. It follows the log by its numbers when somebody asks, so that scans
 * pay nothing for it and the scans of other processes are counted too.
 */
export class MinuteStatistics {
  readonly #store: CountedStore;
  readonly #clock: Clock;
  readonly #organisations = new Map<string, MinuteCounts>();
  /** The last entry that is counted. */
  #counted: number | undefined;
  #complete = false;
  #following: Promise<void> | undefined;
  #goingOn = false;

  constructor(store: CountedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The counts of an organisation up to now, and whether all of the minutes are in them already. */
  async of(organisationId: string): Promise<{ counts: MinuteCounts; complete: boolean }> {
    await this.#count(STEPS_PER_REQUEST);
    if (!this.#complete) void this.#goOn();
    return { counts: this.#countsOf(organisationId), complete: this.#complete };
  }

  /** Counts some steps. Requests at the same time wait for the same steps. */
  #count(steps: number): Promise<void> {
    this.#following ??= this.#follow(steps).finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #follow(steps: number): Promise<void> {
    // Where a clock was set back, a few entries more or less count.
    this.#counted ??= await lastBefore(
      this.#store,
      this.#clock.now() - STATISTICS_MINUTES_MAX * MINUTE_MS,
    );
    this.#complete = false;
    let left = steps;
    for await (const page of follow(this.#countAfter, { after: this.#counted })) {
      if (page.gap) {
        // The log is another one: what was counted is not in it.
        this.#organisations.clear();
        this.#counted = undefined;
        return this.#follow(steps);
      }
      for (const one of page.counts) this.#countsOf(one.organisationId).add(one);
      this.#counted = page.upTo;
      this.#complete = page.ended;
      left -= 1;
      if (left === 0) break;
    }
    const oldest = Math.floor(this.#clock.now() / MINUTE_MS) - STATISTICS_MINUTES_MAX;
    for (const counts of this.#organisations.values()) counts.prune(oldest);
  }

  /** Counts the outcomes of later entries. Pruned entries were counted before, so only a replaced log leaves a gap. */
  readonly #countAfter = async (
    afterSequence: number,
  ): Promise<OutcomeCounts & Pick<ReadLogPage, 'gap'>> => {
    const page = await this.#store.countOutcomes(afterSequence, STEP_ENTRIES);
    const gap = gapBefore({ oldest: 1, newest: page.newest }, afterSequence);
    return gap ? { ...page, gap } : page;
  };

  /** Counts the rest while nobody waits. The next request meets a failure again and reports it. */
  async #goOn(): Promise<void> {
    if (this.#goingOn) return;
    this.#goingOn = true;
    try {
      while (!this.#complete) {
        await wait(PAUSE_MS, undefined, { ref: false });
        await this.#count(1);
      }
    } catch {
      // The store is closed or cannot answer now.
    } finally {
      this.#goingOn = false;
    }
  }

  #countsOf(organisationId: string): MinuteCounts {
    const known = this.#organisations.get(organisationId);
    if (known) return known;
    const made = new MinuteCounts();
    this.#organisations.set(organisationId, made);
    return made;
  }
}

/** Bounds the memory. Further ones are counted with their key: the sum of the gates stays that of the scans. */
const GATES_PER_MINUTE_MAX = 500;

function nameOf(keyId: string, serial: string | null): string {
  return JSON.stringify([keyId, serial]);
}

interface Counts {
  admitted: number;
  denied: number;
}

export interface GateCounts extends Counts {
  readonly keyId: string;
  readonly serial: string | null;
}

function busiestFirst(a: Counts, b: Counts): number {
  return b.admitted + b.denied - a.admitted - a.denied;
}

interface Minute extends Counts {
  readonly gates: Map<string, GateCounts>;
  readonly reasons: Map<string, number>;
}

/** The outcomes of the scans of one organisation, by minute. */
export class MinuteCounts {
  readonly #minutes = new Map<number, Minute>();

  add({ minute, keyId, serial, status, reason, count }: OutcomeCount): void {
    const isAdmitted = status === 'consumed';
    const counts = isAdmitted ? { admitted: count, denied: 0 } : { admitted: 0, denied: count };
    const sums = this.#minutes.get(minute) ?? { ...NONE, gates: new Map(), reasons: new Map() };
    this.#minutes.set(minute, sums);
    addTo(sums, counts);
    if (!isAdmitted) increase(sums.reasons, reason ?? status, count);
    const isNamed = sums.gates.has(nameOf(keyId, serial)) || sums.gates.size < GATES_PER_MINUTE_MAX;
    const shown = isNamed ? serial : null;
    addToGate(sums.gates, nameOf(keyId, shown), { keyId, serial: shown, ...counts });
  }

  /** Forgets minutes before `oldest`. */
  prune(oldest: number): void {
    for (const minute of this.#minutes.keys()) {
      if (minute < oldest) this.#minutes.delete(minute);
    }
  }

  at(minute: number): Readonly<Counts> {
    const { admitted, denied } = this.#minutes.get(minute) ?? NONE;
    return { admitted, denied };
  }

  /** Summed over the minutes from `first` to `last`, the busiest first. */
  byGate(first: number, last: number): GateCounts[] {
    const sums = new Map<string, GateCounts>();
    for (const { gates } of this.#between(first, last)) {
      for (const [name, gate] of gates) addToGate(sums, name, gate);
    }
    const named = new Map<string, GateCounts>();
    for (const gate of withFewSerials([...sums.values()].sort(busiestFirst))) {
      addToGate(named, nameOf(gate.keyId, gate.serial), gate);
    }
    return [...named.values()].sort(busiestFirst);
  }

  /** Summed over the minutes from `first` to `last`, the most frequent first. */
  byReason(first: number, last: number): { reason: string; count: number }[] {
    const sums = new Map<string, number>();
    for (const { reasons } of this.#between(first, last)) {
      for (const [reason, count] of reasons) increase(sums, reason, count);
    }
    const all = [...sums].map(([reason, count]) => ({ reason, count }));
    return all.sort((a, b) => b.count - a.count);
  }

  /** A log may have minutes of the future: a clock was set back since. */
  *#between(first: number, last: number): Generator<Minute> {
    for (const [number, minute] of this.#minutes) {
      if (number >= first && number <= last) yield minute;
    }
  }
}

const NONE = { admitted: 0, denied: 0 };

function addTo(sum: Counts, { admitted, denied }: Counts): void {
  sum.admitted += admitted;
  sum.denied += denied;
}

function addToGate(sums: Map<string, GateCounts>, name: string, gate: GateCounts): void {
  const sum = sums.get(name);
  if (sum) addTo(sum, gate);
  else sums.set(name, { ...gate });
}

function increase(sums: Map<string, number>, name: string, count: number): void {
  sums.set(name, (sums.get(name) ?? 0) + count);
}
