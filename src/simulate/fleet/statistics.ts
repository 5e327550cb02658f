import { build, type Histogram } from 'hdr-histogram-js';
import type { DeviceEvent, ScanOutcome } from '../device-events.ts';
import type { Time } from '../time.ts';
import type { FaultKind } from '../wire.ts';

type Result = ScanOutcome['result'];
type Counts = Record<Result, number>;

/** The number of problem texts that are counted apart; the rest is counted together. */
const TALLY_NAMES_MAX = 50;

/** Counts and measures a run while it happens. */
export class Statistics {
  readonly ledger = new Ledger();
  readonly #time: Time;
  readonly #corrected = new Latency();
  readonly #raw = new Latency();
  readonly #total: Counts = noCounts();
  readonly #denials = new Map<string, number>();
  readonly #problems = new Map<string, number>();
  readonly #statuses = new Map<string, number>();
  readonly #ignored = new Map<string, number>();
  readonly #deviations = new Map<string, number>();
  readonly #intervals: Interval[] = [];
  readonly #intervalLatency = new Latency();
  #interval: Counts = noCounts();
  #second = 0;
  #answered = 0;
  #missed = 0;
  #openedWithoutAnswer = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  get totals(): Readonly<Counts> {
    return this.#total;
  }

  get scans(): number {
    return sum(this.#total);
  }

  /** True once any answer to a card or a heartbeat came. */
  get heard(): boolean {
    return this.#answered > 0 || this.#total.granted + this.#total.denied > 0;
  }

  /** Takes in an event; scans themselves are counted by `scanned`. */
  observe(event: DeviceEvent): void {
    if (event.event === 'heartbeat') {
      if (event.ok) this.#answered += 1;
      else this.#missed += 1;
    } else if (event.event === 'ignored') add(this.#ignored, event.why);
    else if (event.event === 'deviation') add(this.#deviations, event.what);
  }

  /** @param correctedMs latency from the moment at which the post was meant to leave */
  scanned(outcome: ScanOutcome, correctedMs: number): void {
    const { result, latencyMs, status, opened } = outcome;
    this.#turnTo(Math.floor(this.#time.nowMs() / 1000));
    this.#total[result] += 1;
    this.#interval[result] += 1;
    this.#raw.record(latencyMs);
    this.#corrected.record(Math.max(latencyMs, correctedMs));
    this.#intervalLatency.record(Math.max(latencyMs, correctedMs));
    if (status !== undefined) add(this.#statuses, String(status));
    if (result === 'denied') add(this.#denials, outcome.note || '(no note)');
    if (result === 'error') add(this.#problems, outcome.message ?? 'unknown');
    if (opened && result !== 'granted') this.#openedWithoutAnswer += 1;
  }

  /** @param run what only the runner knows */
  report(run: { readonly seed: string; readonly devices: number }): RunReport {
    const durationMs = this.#time.nowMs();
    this.#turnTo(Math.floor(durationMs / 1000) + 1);
    return {
      summary: this.#summary(run, durationMs),
      intervals: [...this.#intervals],
    };
  }

  #summary(run: { readonly seed: string; readonly devices: number }, durationMs: number): Summary {
    const { granted, denied, error: errors, timeout: timeouts } = this.#total;
    const { scans } = this;
    return {
      event: 'summary',
      scans,
      granted,
      denied,
      errors,
      timeouts,
      latencyMs: this.#corrected.percentiles(),
      rawLatencyMs: this.#raw.percentiles(),
      seed: run.seed,
      devices: run.devices,
      durationMs: Math.round(durationMs),
      scansPerSecond: durationMs > 0 ? Math.round((scans / durationMs) * 100_000) / 100 : 0,
      denials: tally(this.#denials),
      problems: tally(this.#problems),
      statuses: tally(this.#statuses),
      ignored: tally(this.#ignored),
      heartbeats: { answered: this.#answered, missed: this.#missed },
      usesSpentWithoutOpening: this.ledger.usesLost,
      openedWithoutAnswer: this.#openedWithoutAnswer,
      faults: this.ledger.rows(),
      deviations: tally(this.#deviations),
    };
  }

  /** Closes the seconds before `second`, empty ones too: pauses show. */
  #turnTo(second: number): void {
    while (this.#second < second) {
      const { granted, denied, error: errors, timeout: timeouts } = this.#interval;
      const latency = this.#intervalLatency;
      this.#intervals.push({
        second: this.#second,
        scans: sum(this.#interval),
        granted,
        denied,
        errors,
        timeouts,
        p50: latency.at(50),
        p99: latency.at(99),
        max: latency.at(100),
      });
      latency.reset();
      this.#interval = noCounts();
      this.#second += 1;
    }
  }
}

function noCounts(): Counts {
  return { granted: 0, denied: 0, error: 0, timeout: 0 };
}

function sum(counts: Counts): number {
  return counts.granted + counts.denied + counts.error + counts.timeout;
}

function add(counts: Map<string, number>, name: string): void {
  const known = counts.has(name) || counts.size < TALLY_NAMES_MAX;
  const place = known ? name : '(others)';
  counts.set(place, (counts.get(place) ?? 0) + 1);
}

/** The most frequent first. */
function tally(counts: Map<string, number>): Record<string, number> {
  return Object.fromEntries(
    [...counts].sort(([a, left], [b, right]) => right - left || a.localeCompare(b)),
  );
}

/** Counts by a name, for example denials by the note on the display. */
export type Tally = Readonly<Record<string, number>>;

/** One second of a run. */
export interface Interval {
  /** Seconds since the start. */
  readonly second: number;
  readonly scans: number;
  readonly granted: number;
  readonly denied: number;
  readonly errors: number;
  readonly timeouts: number;
  /** The percentiles of the corrected latency, milliseconds. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** The results of a run: the last line of the events, and the basis of every report. */
export interface Summary {
  readonly event: 'summary';
  readonly scans: number;
  readonly granted: number;
  readonly denied: number;
  /** No answer that a device understands, including server errors. */
  readonly errors: number;
  /** No answer within the Wait Time. */
  readonly timeouts: number;
  /** The time from the moment at which the post was meant to leave, so that waits for a stalled server are included. */
  readonly latencyMs: Percentiles;
  /** The time from the moment at which the post did leave. */
  readonly rawLatencyMs: Percentiles;
  readonly seed: string;
  readonly devices: number;
  readonly durationMs: number;
  readonly scansPerSecond: number;
  readonly denials: Tally;
  readonly problems: Tally;
  readonly statuses: Tally;
  /** Cards that devices ignored, by reason. */
  readonly ignored: Tally;
  readonly heartbeats: { readonly answered: number; readonly missed: number };
  /** Uses that the server registered and for which no door opened. */
  readonly usesSpentWithoutOpening: number;
  /** Doors that a fail-safe device opened without an answer. */
  readonly openedWithoutAnswer: number;
  readonly faults: readonly FaultCost[];
  /** Where answers differ from the models' documentation. */
  readonly deviations: Tally;
}

/** A summary, and what each second brought. */
export interface RunReport {
  readonly summary: Summary;
  readonly intervals: readonly Interval[];
}

const MICROSECONDS_PER_MS = 1000;
const LONGEST_MS = 3_600_000;

/** Percentiles in milliseconds; null while nothing was measured. */
export interface Percentiles {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number | null;
}

/** Measured times in a high dynamic range histogram: three significant digits from a microsecond to an hour. */
class Latency {
  readonly #histogram: Histogram = build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: LONGEST_MS * MICROSECONDS_PER_MS,
    numberOfSignificantValueDigits: 3,
    autoResize: true,
  });

  record(ms: number): void {
    const microseconds = Math.round(Math.min(ms, LONGEST_MS) * MICROSECONDS_PER_MS);
    this.#histogram.recordValue(Math.max(1, microseconds));
  }

  reset(): void {
    this.#histogram.reset();
  }

  get count(): number {
    return this.#histogram.totalCount;
  }

  /** The time that `percentile` percent of the measured ones do not exceed. */
  at(percentile: number): number | null {
    if (this.count === 0) return null;
    const microseconds = this.#histogram.getValueAtPercentile(percentile);
    return Math.min(microseconds, this.#histogram.maxValue) / MICROSECONDS_PER_MS;
  }

  percentiles(): Percentiles {
    return {
      p50: this.at(50),
      p90: this.at(90),
      p99: this.at(99),
      p999: this.at(99.9),
      max: this.at(100),
    };
  }
}

/** What one kind of fault did to people and their tickets. */
export interface FaultCost {
  /** `none` means presentations without an injected fault. */
  readonly fault: FaultKind | 'none';
  /** People who met it. */
  readonly people: number;
  /** How many of those the door opened for; who then turned back is among them. */
  readonly entered: number;
  /** Uses registered for which no door opened: because answers were lost, or cards were posted twice. */
  readonly usesLost: number;
  /** Posts for which it stayed unknown whether they took a use. */
  readonly unknown: number;
  /** People who were charged a use and still did not get in. */
  readonly shutOut: number;
}

type FaultRow = { -readonly [Name in keyof FaultCost]: FaultCost[Name] };

/** FaultRow uses and openings, one row for each kind of fault. */
export class Ledger {
  readonly #rows = new Map<FaultKind | 'none', FaultRow>();

  row(fault: FaultKind | undefined): FaultRow {
    const name = fault ?? 'none';
    let row = this.#rows.get(name);
    if (!row) {
      row = { fault: name, people: 0, entered: 0, usesLost: 0, unknown: 0, shutOut: 0 };
      this.#rows.set(name, row);
    }
    return row;
  }

  rows(): FaultCost[] {
    return [...this.#rows.values()]
      .map((row) => ({ ...row }))
      .sort((a, b) => a.fault.localeCompare(b.fault));
  }

  get usesLost(): number {
    return this.rows().reduce((sum, { usesLost }) => sum + usesLost, 0);
  }
}
