/** Times of answers, in milliseconds. */
interface Latency {
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface LatencyReport extends Latency {
  /** The same for equal parts of the run, the first part first: what rises from part to part is drift. */
  readonly parts: readonly Latency[];
}

const PARTS = 5;
/** Fewer answers say nothing about a part. */
const PART_MIN = 20;

/** Collects how long answers took, in the order of the run. */
export class LatencyLog {
  readonly #times: number[] = [];

  add(ms: number): void {
    this.#times.push(ms);
  }

  report(): LatencyReport {
    const size = Math.ceil(this.#times.length / PARTS);
    const parts = size < PART_MIN ? 0 : PARTS;
    return {
      ...latencyOf(this.#times),
      parts: Array.from({ length: parts }, (_, i) =>
        latencyOf(this.#times.slice(i * size, (i + 1) * size)),
      ),
    };
  }
}

function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return Math.round(value * 10) / 10;
  };
  return { answers: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
