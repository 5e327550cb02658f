import type { AuditLogEntry } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { StoreUpkeep, TransferStore } from '../store.ts';
import {
  isLogPage,
  isSameDigest,
  LogComparison,
  type LogSection,
  pagesOfLog,
  type ReadableLogs,
  type SectionDigest,
  SectionSum,
} from './compare-stores.ts';
import { type CopyCheckpoint, type RecordPage, SECTIONS, type Section } from './records.ts';

/** A page takes some 50 ms of the target's only writer, and a megabyte or two on the way. */
const PAGE_RECORDS = 5000;

export interface CopyOptions {
  /** Identifies the source, so that a copy is only resumed from the same one. */
  readonly source: string;
  readonly pageRecords?: number;
  /** Called after every page. May throw to stop; what is copied stays, and the next run continues from there. */
  onPage?(what: 'copying' | 'comparing', section: Section, recordsInAll: number): void;
}

export interface CopyReport {
  /** True when an earlier run had begun this copy. */
  readonly resumed: boolean;
  /** Of each section, read back from the target and equal to the source. */
  readonly sections: Readonly<Record<Section, SectionDigest>>;
}

/**
 * Copies everything from one store into an empty one, or continues such a copy that was cut short. The source may be in
 * use: it is copied as it is at the beginning. At the end both are compared by count and checksum, and their logs entry by entry.
 * @throws TicketscanError `conflict` when the target holds anything else, and when the two differ at the end; what
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
      // Everything up to the cursor where the earlier run stopped is there.
      if (isCheckpoint(page, checkpoint)) checkpoint = undefined;
      return;
    }
    // The next page is read while the target writes the one before it.
    await writing;
    const { section, next } = page;
    writing = target.importRecords(page, { source: options.source, section, next });
    writing.catch(() => undefined);
  });
  // Also after a failed read: a resumed copy needs the checkpoint of the last page that was written.
  const digests = await afterwards(read, () => writing);
  if (checkpoint) throw changedSource();
  return digests;
}

/** The result of `work`, when `last` is done too, whichever way the work ended. */
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

/** What is wrong with the logs of a copy. */
type LogProblems = Partial<Record<Section, string | undefined>>;

/** Reads the target: its logs with the same readers as the service, side by side with the source. */
async function readBack(
  source: TransferStore,
  target: TransferStore & ReadableLogs,
  options: CopyOptions,
): Promise<{ sections: Record<Section, SectionDigest>; problems: LogProblems }> {
  const comparisons = {
    log: new LogComparison(entriesOf(source, 'log', options)),
    trail: new LogComparison(entriesOf(source, 'trail', options)),
  };
  const pagesOf = (section: Section) =>
    section === 'log' || section === 'trail'
      ? pagesOfLog(target, section, options.pageRecords ?? PAGE_RECORDS)
      : snapshotPages(target, section, options);
  const sections = await readSections(pagesOf, options, 'comparing', async (page) => {
    if (isLogPage(page)) await comparisons[page.section].add(page);
  });
  for (const comparison of Object.values(comparisons)) await comparison.end();
  return {
    sections,
    problems: { log: comparisons.log.problem, trail: comparisons.trail.problem },
  };
}

async function* entriesOf(
  store: TransferStore,
  section: LogSection,
  options: CopyOptions,
): AsyncGenerator<LogEntry | AuditLogEntry> {
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
