import { hash } from 'node:crypto';
import type { AuditLogEntry } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { RecordStore } from '../record-store.ts';
import type { LogStore, StoreUpkeep, TransferStore } from '../store.ts';
import {
  type CopyCheckpoint,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoredKey,
  type StoreRecords,
} from './records.ts';

/** The records of a page: writing one takes some 50 ms of the target's only writer, and it holds a megabyte or two. */
const PAGE_RECORDS = 5000;

export interface CopyOptions {
  /** Identifies the source, so that a copy is only resumed from the same one. */
  readonly source: string;
  readonly pageRecords?: number;
  /** Called after every page. It may throw to stop: the copied records stay, and the next run continues from there. */
  onPage?(what: 'copying' | 'comparing', section: Section, recordsInAll: number): void;
}

export interface CopyReport {
  /** True if an earlier run had begun this copy. */
  readonly resumed: boolean;
  /** The count and checksum of each section, read back from the target and equal to the source. */
  readonly sections: Readonly<Record<Section, SectionDigest>>;
}

/**
 * Copies everything from one store into an empty one, or continues an unfinished copy. The source may be in
 * use: its state at the beginning is copied. At the end both are compared by count and checksum, and their logs entry by entry.
 * @throws TicketscanError `conflict` if the target holds anything else, or if the two differ at the end; what
 *   `onPage` throws
 */
export async function copyStore(
  source: TransferStore & StoreUpkeep,
  target: TransferStore & StoreUpkeep & ReadableLogs,
  options: CopyOptions,
): Promise<CopyReport> {
  const begun = await target.unfinishedCopy();
  await source.beginSnapshot();
  try {
    const wanted = await copySections(source, target, begun, options);
    await target.beginSnapshot();
    const { sections, problems } = await readBack(source, target, options);
    refuseDifference(wanted, sections, problems, begun !== undefined);
    await target.endImport();
    return { resumed: begun !== undefined, sections };
  } finally {
    await source.endSnapshot();
    await target.endSnapshot();
  }
}

async function copySections(
  source: TransferStore,
  target: TransferStore,
  begun: CopyCheckpoint | undefined,
  options: CopyOptions,
): Promise<Record<Section, SectionDigest>> {
  // An empty page claims the target, and refuses one that holds anything else, before the source is read.
  const first = SECTIONS[0];
  const claim = { source: options.source, section: first, next: '' };
  await target.importRecords({ section: first, records: [], next: '' }, begun ?? claim);
  let checkpoint: CopyCheckpoint | undefined = begun?.next === '' ? undefined : begun;
  let writing: Promise<void> = Promise.resolve();
  const pagesOf = (section: Section) => snapshotPages(source, section, options);
  const read = readSections(pagesOf, options, 'copying', async (page) => {
    if (checkpoint) {
      // The target has everything up to the cursor where the earlier run stopped.
      if (isCheckpoint(page, checkpoint)) checkpoint = undefined;
      return;
    }
    // The next page is read while the target writes the one before it.
    await writing;
    const { section, next } = page;
    writing = target.importRecords(page, { source: options.source, section, next });
    writing.catch(() => undefined);
  });
  // This waits even after a failed read: a resumed copy needs the checkpoint of the last page that was written.
  const digests = await afterwards(read, () => writing);
  if (checkpoint) throw changedSource();
  return digests;
}

/** Waits for `work` and then for `last`, even if the work failed. @returns the result of `work` */
async function afterwards<Result>(
  work: Promise<Result>,
  last: () => Promise<void>,
): Promise<Result> {
  try {
    return await work;
  } finally {
    await last();
  }
}

function isCheckpoint(page: RecordPage, checkpoint: CopyCheckpoint): boolean {
  return page.section === checkpoint.section && page.next === checkpoint.next;
}

/** The first difference in each log of a copy. */
type LogProblems = Partial<Record<Section, string>>;

/** Reads the target. It reads the logs with the readers of the service, side by side with the source. */
async function readBack(
  source: TransferStore,
  target: TransferStore & ReadableLogs,
  options: CopyOptions,
): Promise<{ sections: Record<Section, SectionDigest>; problems: LogProblems }> {
  const problems: LogProblems = {};
  const pagesOf = (section: Section) => {
    if (section !== 'log' && section !== 'auditLog') return snapshotPages(target, section, options);
    const pages = pagesOfLog(target, section, options.pageRecords ?? PAGE_RECORDS);
    return comparedPages(pages, entriesOf(source, section, options), (problem) => {
      problems[section] = problem;
    });
  };
  const sections = await readSections(pagesOf, options, 'comparing', async () => {});
  return { sections, problems };
}

async function* entriesOf(
  store: TransferStore,
  section: LogSection,
  options: CopyOptions,
): AsyncGenerator<NumberedEntry> {
  for await (const page of snapshotPages(store, section, options)) {
    if (isLogPage(page)) yield* page.records;
  }
}

async function* snapshotPages(
  store: TransferStore,
  section: Section,
  { pageRecords = PAGE_RECORDS }: CopyOptions,
): AsyncGenerator<RecordPage> {
  let after: string | null = null;
  do {
    const page: RecordPage = await store.readSnapshot(section, after, pageRecords);
    yield page;
    after = page.next;
  } while (after !== null);
}

/** Reads a store from beginning to end. */
async function readSections(
  pagesOf: (section: Section) => AsyncGenerator<RecordPage>,
  { onPage }: CopyOptions,
  what: 'copying' | 'comparing',
  take: (page: RecordPage) => Promise<void>,
): Promise<Record<Section, SectionDigest>> {
  const digests: Partial<Record<Section, SectionDigest>> = {};
  let recordsInAll = 0;
  for (const section of SECTIONS) {
    const sum = new SectionSum();
    for await (const page of pagesOf(section)) {
      sum.add(page);
      await take(page);
      recordsInAll += page.records.length;
      onPage?.(what, section, recordsInAll);
    }
    digests[section] = sum.digest;
  }
  return digests as Record<Section, SectionDigest>;
}

function refuseDifference(
  wanted: Record<Section, SectionDigest>,
  found: Record<Section, SectionDigest>,
  problems: LogProblems,
  resumed: boolean,
): void {
  const different = SECTIONS.filter(
    (section) => problems[section] || !isSameDigest(wanted[section], found[section]),
  );
  if (different.length === 0) return;
  if (resumed) throw changedSource(different);
  const where = different.map((section) =>
    problems[section] ? `${section} (${problems[section]})` : section,
  );
  throw new TicketscanError(
    'conflict',
    `The copy is NOT complete: source and target differ in ${where.join(', ')}. Check whether another process writes to the target, then copy again into a new one.`,
  );
}

function changedSource(different: readonly Section[] = []): TicketscanError {
  const where = different.length > 0 ? ` in ${different.join(', ')}` : '';
  return new TicketscanError(
    'conflict',
    `The source has changed${where} since this copy began, so its first part is out of date. Remove the target and copy again; a copy can be resumed only while the source is unchanged.`,
  );
}

const LANES = 8;

/** A digest that is equal for two stores with the same records of a section. */
interface SectionDigest {
  readonly records: number;
  /** The sum of the SHA-256 of every record, in hexadecimal. The order of the records does not matter. */
  readonly checksum: string;
}

/** Counts and sums up the records of a section as they pass. */
class SectionSum {
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

function isSameDigest(a: SectionDigest | undefined, b: SectionDigest | undefined): boolean {
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
type LogSection = 'log' | 'auditLog';
type NumberedEntry = LogEntry | AuditLogEntry;
type ReadableLogs = Pick<LogStore, 'searchLog'> & Pick<RecordStore, 'readAuditLog'>;

function isLogPage(page: RecordPage): page is RecordPage & { section: LogSection } {
  return page.section === 'log' || page.section === 'auditLog';
}

/** A log as its readers see it, oldest first: an entry that is stored but that readers do not find is lost too. */
async function* pagesOfLog(
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

/** The audit log is read from the newest entry backwards. */
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
 * Passes the pages of a log on, and compares them with the entries of the original log. Gaps in the numbers are allowed:
 * PostgreSQL leaves them, and so do tickets that are deleted with their event.
 * @param wanted the entries of the original, in the order of their numbers
 * @param report is called with the first difference
 */
async function* comparedPages(
  pages: AsyncIterable<RecordPage>,
  wanted: AsyncIterator<NumberedEntry>,
  report: (problem: string) => void,
): AsyncGenerator<RecordPage> {
  let last = 0;
  let problem: string | undefined;
  for await (const page of pages) {
    for (const entry of isLogPage(page) ? page.records : []) {
      if (problem !== undefined) break;
      problem = problemOf(entry, (await wanted.next()).value, last, page.section);
      last = entry.sequence;
    }
    yield page;
  }
  const missing = problem === undefined ? (await wanted.next()).value : undefined;
  if (missing) problem = `entry ${missing.sequence} is missing`;
  if (problem !== undefined) report(problem);
}

function problemOf(
  entry: NumberedEntry,
  wanted: NumberedEntry | undefined,
  last: number,
  section: Section,
): string | undefined {
  const { sequence } = entry;
  if (sequence <= last) return `entry ${sequence} is read twice, or out of order`;
  if (!wanted || sequence < wanted.sequence) return `entry ${sequence} is not in the source`;
  if (sequence > wanted.sequence) return `entry ${wanted.sequence} is missing`;
  if (recordText(section, entry) === recordText(section, wanted)) return undefined;
  return `entry ${sequence} is another one`;
}
