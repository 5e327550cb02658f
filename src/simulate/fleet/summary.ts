import type { Percentiles } from './latency.ts';
import type { FaultCost } from './ledger.ts';

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
  /** Of the corrected latency, milliseconds. */
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
  /** From the moment at which the post was meant to leave, so that waits for a stalled server are included. */
  readonly latencyMs: Percentiles;
  /** From the moment at which the post did leave. */
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
