import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { STATISTICS_MINUTES_MAX } from '../../core/limits.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { OutcomeCounts } from '../../stores/log-search.ts';
import type { LogStore } from '../../stores/store.ts';
import { follow, gapBefore, lastBefore, type ReadLogPage } from '../log/log-reader.ts';
import { MinuteCounts } from './minute-counts.ts';

/** Between two steps the store answers scans: a step takes it some 10 ms. */
const STEP_ENTRIES = 10_000;
/** What one request waits for; the rest is counted after its answer. */
const STEPS_PER_REQUEST = 5;
const PAUSE_MS = 20;

/**
 * Counts what came out of scans, by minute and gate. It follows the log by its numbers when somebody asks, so that scans
 * pay nothing for it and the scans of other processes are counted too.
 */
export class OutcomeStatistics {
  readonly #store: Pick<LogStore, 'searchLog' | 'countOutcomes'>;
  readonly #clock: Clock;
  readonly #organisations = new Map<string, MinuteCounts>();
  #counted: number | undefined;
  #complete = false;
  #following: Promise<void> | undefined;
  #goingOn = false;

  constructor(store: Pick<LogStore, 'searchLog' | 'countOutcomes'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The counts of an organisation up to now, and whether all of the minutes are in them already. */
  async of(organisationId: string): Promise<{ counts: MinuteCounts; complete: boolean }> {
    // Who asks at the same time waits for the same steps.
    this.#following ??= this.#follow(STEPS_PER_REQUEST).finally(() => {
      this.#following = undefined;
    });
    await this.#following;
    if (!this.#complete) void this.#goOn();
    return { counts: this.#countsOf(organisationId), complete: this.#complete };
  }

  async #follow(steps: number): Promise<void> {
    this.#counted ??= await this.#startOfMinutes();
    this.#complete = false;
    let left = steps;
    for await (const page of follow(this.#countAfter, { after: this.#counted })) {
      if (page.gap) return this.#beginAnew(steps);
      for (const one of page.counts) this.#countsOf(one.organisationId).add(one);
      this.#counted = page.upTo;
      this.#complete = page.ended;
      left -= 1;
      if (left === 0) break;
    }
    const oldest = Math.floor(this.#clock.now() / MINUTE_MS) - STATISTICS_MINUTES_MAX;
    for (const counts of this.#organisations.values()) counts.prune(oldest);
  }

  /** Of what was pruned, all that counts is counted. */
  readonly #countAfter = async (
    afterSequence: number,
  ): Promise<OutcomeCounts & Pick<ReadLogPage, 'gap'>> => {
    const page = await this.#store.countOutcomes(afterSequence, STEP_ENTRIES);
    const gap = gapBefore({ oldest: 1, newest: page.newest }, afterSequence);
    return gap ? { ...page, gap } : page;
  };

  /** The log is another one: what was counted is not in it. */
  #beginAnew(steps: number): Promise<void> {
    this.#organisations.clear();
    this.#counted = undefined;
    return this.#follow(steps);
  }

  /** Counts what is left while nobody waits. The next request meets a failure again and reports it. */
  async #goOn(): Promise<void> {
    if (this.#goingOn) return;
    this.#goingOn = true;
    try {
      while (!this.#complete) {
        await wait(PAUSE_MS, undefined, { ref: false });
        this.#following ??= this.#follow(1).finally(() => {
          this.#following = undefined;
        });
        await this.#following;
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

  /** Where a clock was set back, a few entries more or less count. */
  async #startOfMinutes(): Promise<number> {
    return lastBefore(this.#store, this.#clock.now() - STATISTICS_MINUTES_MAX * MINUTE_MS);
  }
}
