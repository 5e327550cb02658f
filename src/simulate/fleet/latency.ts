import { build, type Histogram } from 'hdr-histogram-js';

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
export class Latency {
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
