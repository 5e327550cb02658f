import { hash } from 'node:crypto';
import type { RecordPage, Section, StoredKey, StoreRecords } from './records.ts';

const LANES = 8;

/** What two stores that hold the same records of a section agree on. */
export interface SectionDigest {
  readonly records: number;
  /** The sum of the SHA-256 of every record, in hexadecimal: the order of the records does not matter, each of them does. */
  readonly checksum: string;
}

/** Counts and sums up the records of a section as they pass. */
export class SectionSum {
  readonly #lanes = new Uint32Array(LANES);
  #records = 0;

  add({ section, records }: RecordPage): void {
    for (const record of records) {
      const digest = hash('sha256', recordText(section, record), 'buffer');
      for (let lane = 0; lane < LANES; lane += 1) {
        // A lane wraps at 2^32 by itself.
        this.#lanes[lane] = (this.#lanes[lane] as number) + digest.readUInt32LE(lane * 4);
      }
      this.#records += 1;
    }
  }

  get digest(): SectionDigest {
    const checksum = Buffer.from(this.#lanes.buffer).toString('hex');
    return { records: this.#records, checksum };
  }
}

export function isSameDigest(a: SectionDigest | undefined, b: SectionDigest | undefined): boolean {
  return a !== undefined && a.records === b?.records && a.checksum === b.checksum;
}

/** A record as text that does not depend on the order in which a store lists its members. */
export function recordText(section: Section, record: StoreRecords[Section]): string {
  return JSON.stringify(
    section === 'keys' ? withSortedEvents(record as StoredKey) : record,
    sorted,
  );
}

function withSortedEvents(key: StoredKey): StoredKey {
  const { events } = key.record;
  if (events === 'all') return key;
  return { ...key, record: { ...key.record, events: [...new Set(events)].sort() } };
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
