import { minuteOf } from '../core/clock.ts';
import type { DeviceRecord } from '../core/records.ts';

/** A device, and the minute of its latest scan. */
export interface DeviceScan extends Pick<DeviceRecord, 'keyId' | 'serial'> {
  readonly at: number;
}

/** The members of a log entry that say which device scanned. */
export interface ScannedEntry {
  readonly keyId: string;
  readonly serial: string | null;
  readonly at: number;
}

/** A device chooses its serial: without a bound, a device that sends a new serial with each scan would fill the memory. */
const REMEMBERED_MAX = 10_000;

/**
 * The devices whose last scan this process has written. The minute is kept, not the second, so that a busy device costs one write
 * a minute: scans wait for such writes.
 */
export class ScannedDevices {
  readonly #written = new Map<string, number>();

  /** Finds the devices of these entries whose minute is not written yet, always in the same order, so that batches that lock rows never deadlock. */
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

  /** Notes that these scans are in the store, or that the store has no room for them. */
  wrote(scans: readonly DeviceScan[]): void {
    if (this.#written.size + scans.length > REMEMBERED_MAX) this.#written.clear();
    for (const { keyId, serial, at } of scans) this.#written.set(`${keyId} ${serial}`, at);
  }

  /** Forgets all: a failed transaction may have lost what was written. */
  forget(): void {
    this.#written.clear();
  }
}

/** The record of a device that sent no heartbeat: only its scans are known. */
export function deviceThatScans(keyId: string, serial: string): DeviceRecord {
  const texts = { model: '', address: '', firmware: '', clock: null };
  return { keyId, serial, ...texts, lastContactAt: null, lastScanAt: null, firstAt: null };
}
