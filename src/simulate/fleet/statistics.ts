import type { DeviceEvent } from '../device-events.ts';
import type { ScanOutcome } from '../scan-attempt.ts';
import type { Time } from '../time.ts';
import { Latency } from './latency.ts';
import { Ledger } from './ledger.ts';
import type { Interval, RunReport, Summary } from './summary.ts';

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
