import type { CopyCheckpoint, RecordPage, Section } from './transfer/records.ts';

/** Copies a store into another, of whichever engine. */
export interface TransferStore {
  /**
   * Fixes the state that `readSnapshot` reads, as it is now: later changes are not seen, and scans go on meanwhile.
   * One at a time; a second one takes the place of the first.
   */
  beginSnapshot(): Promise<void>;
  /** Reads up to `limit` records from `after` on, which is null or a page's `next`. A place stays good for later snapshots. */
  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  endSnapshot(): Promise<void>;
  /**
   * Writes records of another store as they are, and how far that has come, in one transaction. Sections come in the order
   * of `SECTIONS`.
   * @throws TicketscanError `conflict` when the store holds anything else than the copy from the same source so far
   */
  importRecords(page: RecordPage, checkpoint: CopyCheckpoint): Promise<void>;
  /** How far the copy that is being made here has come; undefined for a store that is whole. */
  unfinishedCopy(): Promise<CopyCheckpoint | undefined>;
  /** The copy is whole: from now on this is a store like any other. */
  endImport(): Promise<void>;
}
