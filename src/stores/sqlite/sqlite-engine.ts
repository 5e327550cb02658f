import { answerScan, type ScanRequest } from '../../core/scan-batch.ts';
import type { ScanBatchResult, Store } from '../store.ts';
import * as administration from './administration.ts';
import { audit } from './audit.ts';
import { listDevices, readLog } from './log-table.ts';
import { explain, inTransaction, openDatabase } from './open-database.ts';
import { OpenedFiles } from './opened-files.ts';
import { SqliteScanState } from './sqlite-scan-state.ts';
import * as tickets from './ticket-table.ts';

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
  const database = openDatabase(path);
  const state = new SqliteScanState(database);
  const files = new OpenedFiles(path);

  const commitScans = (requests: readonly ScanRequest[]): ScanBatchResult =>
    remembering(() => {
      const revision = state.begin();
      const outcomes = requests.map((request) => answerScan(request, state));
      state.finish();
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

  const engine: SqliteEngine = {
    ...withDatabase(administration),
    ...withDatabase(tickets),
    ...withDatabase({ audit, listDevices, readLog }),
    commitScans,
    checkWritable: () => {
      inTransaction(database, () => database.exec('UPDATE write_check SET number = number + 1'));
    },
    foldIfDue,
    close: () => {
      try {
        if (state.unfolded > 0) remembering(() => state.fold());
      } finally {
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
