import { answerScan, type ScanRequest } from '../../core/scan-batch.ts';
import { OpenedFiles } from '../opened-files.ts';
import type { ScanBatchResult, Store } from '../store.ts';
import * as administration from './administration.ts';
import { audit } from './audit.ts';
import { endImport, importRecords, unfinishedCopy } from './import-records.ts';
import { countOutcomes, searchLog } from './log-search.ts';
import { listDevices, readLog } from './log-table.ts';
import { BUSY_TIMEOUT_MS, explain, inTransaction, openDatabase } from './open-database.ts';
import { prunableLog, pruneOldest } from './prune-log.ts';
import { SqliteSnapshot } from './snapshot.ts';
import { SqliteScanState } from './sqlite-scan-state.ts';
import { storeInfo } from './store-info.ts';
import * as tickets from './ticket-table.ts';
import * as trail from './trail-table.ts';

/**
 * Log entries that are not folded cost memory, time in `ticket_now` and time to open the store after a crash; folding few
 * at a time costs disk.
 */
const FOLD_AT = 16_384;

/** The methods of a store as plain functions that return when done: SQLite works in the thread that calls it. */
export type SqliteEngine = StoreFunctions & {
  /** To be called between batches, when nobody waits. True when it had something to do. */
  foldIfDue(): boolean;
};

type StoreFunctions = {
  readonly [Method in keyof Store]: (
    ...args: Parameters<Store[Method]>
  ) => Awaited<ReturnType<Store[Method]>>;
};

type Bound<Functions, Database> = {
  [Name in keyof Functions]: Functions[Name] extends (
    database: Database,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** Opens the database at `path`, or one in memory for `:memory:`. @throws TicketscanError as `openDatabase` does */
export function openEngine(path: string): SqliteEngine {
  const { database, versionFound } = openDatabase(path);
  const state = new SqliteScanState(database);
  const files = new OpenedFiles(path, `${path}-wal`);

  const commitScans = (requests: readonly ScanRequest[]): ScanBatchResult =>
    remembering(() => {
      const revision = state.begin();
      const outcomes = requests.map((request) => answerScan(request, state));
      state.finish(requests[0]?.now ?? 0);
      return { outcomes, revision };
    });

  /** What the state remembers of a transaction must not outlive its failure. */
  function remembering<Result>(work: () => Result): Result {
    try {
      return inTransaction(database, work);
    } catch (error) {
      state.forget();
      throw error;
    }
  }

  function foldIfDue(): boolean {
    if (state.unfolded < FOLD_AT) return false;
    remembering(() => state.fold());
    return true;
  }

  const reading = snapshots(path);
  const engine: SqliteEngine = {
    ...withDatabase(administration),
    ...withDatabase(tickets),
    ...withDatabase({ audit, countOutcomes, listDevices, readLog, searchLog }),
    ...withDatabase(trail),
    ...withDatabase({ prunableLog, importRecords, unfinishedCopy, endImport }),
    ...reading,
    info: () => storeInfo(database, path, versionFound),
    pruneLog: (before, entriesMax) =>
      remembering(() => {
        state.fold();
        return pruneOldest(database, before, entriesMax);
      }),
    commitScans,
    checkWritable: () => {
      inTransaction(database, () => database.exec('UPDATE write_check SET number = number + 1'));
    },
    foldIfDue,
    close: () => {
      try {
        if (state.unfolded > 0) remembering(() => state.fold());
      } finally {
        reading.endSnapshot();
        database.close();
      }
    },
  };
  return explainingErrors(engine, path, files);

  function withDatabase<Functions extends object>(
    functions: Functions,
  ): Bound<Functions, typeof database> {
    const entries = Object.entries(functions).map(([name, run]) => [
      name,
      run.bind(null, database),
    ]);
    return Object.fromEntries(entries) as Bound<Functions, typeof database>;
  }
}

/** At most one snapshot of the database at a time. */
function snapshots(
  path: string,
): Pick<SqliteEngine, 'beginSnapshot' | 'readSnapshot' | 'endSnapshot'> {
  let snapshot: SqliteSnapshot | undefined;
  return {
    beginSnapshot() {
      snapshot?.close();
      snapshot = new SqliteSnapshot(path, BUSY_TIMEOUT_MS);
    },
    readSnapshot(section, after, limit) {
      if (!snapshot) throw new Error('no snapshot was begun');
      return snapshot.page(section, after, limit);
    },
    endSnapshot() {
      snapshot?.close();
      snapshot = undefined;
    },
  };
}

function explainingErrors(engine: SqliteEngine, path: string, files: OpenedFiles): SqliteEngine {
  const entries = Object.entries(engine).map(([name, run]) => [
    name,
    (...args: unknown[]) => {
      try {
        const result = (run as (...args: unknown[]) => unknown)(...args);
        if (name !== 'close') files.mustBeThere();
        return result;
      } catch (error) {
        throw explain(error, path);
      }
    },
  ]);
  return Object.fromEntries(entries) as SqliteEngine;
}
