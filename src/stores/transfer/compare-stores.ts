import { hash } from 'node:crypto';
import type { AuditLogEntry } from '../../core/administrative-records.ts';
import type { LogEntry } from '../../core/records.ts';
import type { RecordStore } from '../record-store.ts';
import type { LogStore } from '../store.ts';
import type { RecordPage, Section, StoredKey, StoreRecords } from './records.ts';

const LANES = 8;

/** Equal for two stores with the same records of a section. */
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
function recordText(section: Section, record: StoreRecords[Section]): string {
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

/** The scan log and the audit log, whose entries have numbers. */
export type LogSection = 'log' | 'trail';
export type ReadableLogs = Pick<LogStore, 'searchLog'> & Pick<RecordStore, 'readAuditLog'>;

export function isLogPage(page: RecordPage): page is RecordPage & { section: LogSection } {
  return page.section === 'log' || page.section === 'trail';
}

/** A log as its readers see it, oldest first: an entry that is stored but not found by readers is lost all the same. */
export async function* pagesOfLog(
  store: ReadableLogs,
  section: LogSection,
  limit: number,
): AsyncGenerator<RecordPage> {
  const entries = section === 'log' ? scans(store, limit) : auditEntries(store, limit);
  for await (const records of entries) yield { section, records, next: null } as RecordPage;
}

async function* scans(store: ReadableLogs, limit: number): AsyncGenerator<LogEntry[]> {
  let [afterSequence, ended] = [0, false];
  while (!ended) {
    const page = await store.searchLog({ afterSequence, limit, searchMax: limit });
    // What follows from later entries is not copied.
    yield page.entries.map(({ undoneBy: _, ...entry }) => entry);
    ({ searchedTo: afterSequence, ended } = page);
  }
}

/** These are read from the newest on. */
async function* auditEntries(store: ReadableLogs, limit: number): AsyncGenerator<AuditLogEntry[]> {
  const pages: AuditLogEntry[][] = [];
  let beforeSequence = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await store.readAuditLog({ beforeSequence, limit });
    const last = page.at(-1);
    if (!last) break;
    pages.push(page.toReversed());
    beforeSequence = last.sequence;
  }
  yield* pages.reverse();
}

/**
 * Compares a log with the one that it is a copy of, entry by entry. Gaps in the numbers are no problem: PostgreSQL leaves
 * them, and so do tickets that are deleted with their event.
 */
export class LogComparison {
  readonly #source: AsyncIterator<LogEntry | AuditLogEntry>;
  #last = 0;
  #problem: string | undefined;

  /** @param source entries in the order of their numbers */
  constructor(source: AsyncIterator<LogEntry | AuditLogEntry>) {
    this.#source = source;
  }

  /** What is wrong with the first entry that is not as it should be. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async add({ section, records }: RecordPage & { section: LogSection }): Promise<void> {
    for (const entry of records) {
      if (this.#problem !== undefined) return;
      const { value: wanted } = await this.#source.next();
      this.#problem = this.#problemOf(entry, wanted, section);
      this.#last = entry.sequence;
    }
  }

  #problemOf(
    entry: LogEntry | AuditLogEntry,
    wanted: LogEntry | AuditLogEntry | undefined,
    section: LogSection,
  ): string | undefined {
    const { sequence } = entry;
    if (sequence <= this.#last) return `entry ${sequence} is read twice, or out of order`;
    if (!wanted || sequence < wanted.sequence) return `entry ${sequence} is not in the source`;
    if (sequence > wanted.sequence) return `entry ${wanted.sequence} is missing`;
    if (recordText(section, entry) === recordText(section, wanted)) return undefined;
    return `entry ${sequence} is another one`;
  }

  /** To be called after the last entry. */
  async end(): Promise<void> {
    if (this.#problem !== undefined) return;
    const { value: wanted } = await this.#source.next();
    if (wanted) this.#problem = `entry ${wanted.sequence} is missing`;
  }
}
