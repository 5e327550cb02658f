import type { CountedBy } from '../../core/scan-count.ts';

/** A device chooses its serial: without a bound, one that sends a new one with each scan would fill the counters. */
const SERIALS_MAX = 200;
const SERIAL_CHARACTERS_MAX = 100;

/** How many scans of one sort a batch had. */
export interface BatchCount extends CountedBy {
  readonly scans: number;
}

/** The serials that this process counts by: of each key, the first so many in a quarter of an hour. */
export class CountedSerials {
  readonly #ofKeys = new Map<string, Set<string>>();
  #quarter = 0;

  /** @returns the serial, or an empty text for one that is counted with its key only */
  nameOf({ quarter, keyId, serial }: CountedBy): string {
    if (quarter > this.#quarter) {
      this.#ofKeys.clear();
      this.#quarter = quarter;
    }
    if (serial === '' || serial.length > SERIAL_CHARACTERS_MAX) return '';
    const known = this.#ofKeys.get(keyId) ?? new Set();
    if (!known.has(serial) && known.size >= SERIALS_MAX) return '';
    this.#ofKeys.set(keyId, known.add(serial));
    return serial;
  }
}

/** Counts the scans of one batch, so that each sort is written once. */
export class ScanTally {
  readonly #counts = new Map<string, BatchCount>();

  add(scan: CountedBy, scans = 1): void {
    const name = countName(scan);
    const before = this.#counts.get(name)?.scans ?? 0;
    this.#counts.set(name, { ...scan, scans: before + scans });
  }

  /** What was counted since the last call, in one order everywhere: two batches that lock rows never wait in a circle. */
  take(serials: CountedSerials): BatchCount[] {
    const named = new ScanTally();
    for (const count of this.#counts.values()) {
      named.add({ ...count, serial: serials.nameOf(count) }, count.scans);
    }
    this.#counts.clear();
    return [...named.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }
}

/** A text that is the same for the same sort of scans, and another for each other. */
export function countName(scan: CountedBy): string {
  const { quarter, keyId, eventId, kind, serial, operation, outcome, direction } = scan;
  return JSON.stringify([quarter, keyId, eventId, kind, serial, operation, outcome, direction]);
}
