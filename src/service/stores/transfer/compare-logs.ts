import type { AuditLogEntry } from '../../../core/administrative-records.ts';
import type { LogEntry } from '../../../core/records.ts';
import type { LogStore } from '../log-store.ts';
import type { RecordStore } from '../record-store.ts';
import { recordText } from './checksum.ts';
import type { RecordPage } from './records.ts';

/** The scan log and the audit log, whose entries have numbers. */
export type LogSection = 'log' | 'trail';
export type ReadableLogs = Pick<LogStore, 'searchLog'> & Pick<RecordStore, 'readAuditLog'>;

export function isLogPage(page: RecordPage): page is RecordPage & { section: LogSection } {
  return page.section === 'log' || page.section === 'trail';
}

/** A log as its pages and exports read it: what lies in a store, and a reader does not find, is lost all the same. Oldest first. */
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
 * Compares a log with the one that it is a copy of, entry by entry. Gaps in the numbers are no fault: PostgreSQL leaves
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
