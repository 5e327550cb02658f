import type { CountedBy, ScanCount } from '../core/scan-count.ts';

/** A device chooses its serial: without a bound, a device that sends a new serial with each scan would fill the counters. */
const SERIALS_MAX = 200;
const SERIAL_CHARACTERS_MAX = 100;

/** The serials by which this process counts: for each key the first ones of a quarter of an hour, up to a limit. */
export class CountedSerials {
  readonly #ofKeys = new Map<string, Set<string>>();
  #quarter = 0;

  /** @returns the serial, or an empty text if the scan is counted by its key only */
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

/** Counts the scans of one batch, so that each counter is written once. */
export class ScanTally {
  readonly #counts = new Map<string, { readonly key: CountedBy; scans: number }>();

  add(key: CountedBy, scans = 1): void {
    const name = countName(key);
    const known = this.#counts.get(name);
    if (known) known.scans += scans;
    else this.#counts.set(name, { key, scans });
  }

  /** Returns the counts since the last call, always in the same order, so that two batches that lock rows never deadlock. */
  take(serials: CountedSerials): ScanCount[] {
    for (const [name, { key, scans }] of [...this.#counts]) {
      const serial = serials.nameOf(key);
      if (serial === key.serial) continue;
      this.#counts.delete(name);
      this.add({ ...key, serial }, scans);
    }
    const counts = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#counts.clear();
    return counts.map(([, { key, scans }]) => ({ ...key, scans, pruned: 0 }));
  }
}

/** The key of a counter as a text. The serial is last: it may hold any character. */
function countName(key: CountedBy): string {
  const { quarter, keyId, eventId, kind, serial, operation, outcome, direction } = key;
  return `${quarter} ${keyId} ${eventId} ${kind} ${operation} ${outcome} ${direction} ${serial}`;
}
