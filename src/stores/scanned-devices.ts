import { minuteOf } from '../core/clock.ts';
import type { DeviceRecord } from '../core/records.ts';

/** A device, and the minute of its latest scan. */
export interface DeviceScan extends Pick<DeviceRecord, 'keyId' | 'serial'> {
  readonly at: number;
}

/** What of a log entry says which device scanned. */
export interface ScannedEntry {
  readonly keyId: string;
  readonly serial: string | null;
  readonly at: number;
}

/** A device chooses its serial: without a bound, one that sends a new one with each scan would fill the memory. */
const REMEMBERED_MAX = 10_000;

/**
 * The devices whose last scan this process has written. The minute is kept, not the second, so that a device in a rush costs one write
 * a minute: scans wait for what is written with them.
 */
export class ScannedDevices {
  readonly #written = new Map<string, number>();

  /** The devices among these entries whose minute is not written yet, in one order everywhere: batches that lock rows never deadlock. */
  dueIn(entries: readonly ScannedEntry[]): DeviceScan[] {
    const due = new Map<string, DeviceScan>();
    for (const { keyId, serial, at } of entries) {
      if (serial === null) continue;
      const name = `${keyId} ${serial}`;
      const minute = minuteOf(at);
      if (this.#written.get(name) !== minute) due.set(name, { keyId, serial, at: minute });
    }
    return [...due].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, scan]) => scan);
  }

  /** These are in the store, or the store has no room for them. */
  wrote(scans: readonly DeviceScan[]): void {
    if (this.#written.size + scans.length > REMEMBERED_MAX) this.#written.clear();
    for (const { keyId, serial, at } of scans) this.#written.set(`${keyId} ${serial}`, at);
  }

  /** Nothing that was written is known to be in the store. */
  forget(): void {
    this.#written.clear();
  }
}

/** A device that sent no heartbeat: only its scans are known. */
export function deviceThatScans(keyId: string, serial: string): DeviceRecord {
  const texts = { model: '', address: '', firmware: '', clock: null };
  return { keyId, serial, ...texts, lastContactAt: null, lastScanAt: null };
}
