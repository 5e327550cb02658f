import { DatabaseSync } from 'node:sqlite';
import { answerInBatch } from '../../core/rows-of-sites.ts';
import type { BatchRequest } from '../../core/scan-requests.ts';
import { Mutex } from '../../kit/mutex.ts';
import { OpenedFiles } from '../file-guards.ts';
import type { SqlWork } from '../sql/connection.ts';
import { continueDeletion } from '../sql/deletion.ts';
import { pruneOldest } from '../sql/prune.ts';
import { SqlStore } from '../sql/sql-store.ts';
import { insertTickets } from '../sql/tickets.ts';
import { readPage } from '../sql/transfer.ts';
import { verify } from '../sql/verify.ts';
import type { ScanBatchResult, Store, StoreInfo, VerifyReport } from '../store.ts';
import type { FormatOptions } from '../store-format.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { BUSY_TIMEOUT_MS, explain } from './failures.ts';
import { inTransaction, openDatabase } from './open-database.ts';
import { createIndexedViews } from './pending-uses.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteScanState } from './sqlite-scan-state.ts';
import { pageProblems, purgeErased, storeInfo } from './upkeep.ts';
import { WriterBackoff } from './writer-backoff.ts';

/**
 * The pending log entries before a flush. They cost memory, and time to open the store after a crash. But if few of millions of tickets were
 * used, each counter is on a page of its own, and writing the page costs more than the scan.
 */
const FLUSH_AT = 131_072;
/** How many counters are written at once: a scan that arrives meanwhile waits some milliseconds. */
const FLUSH_STEP = 1024;

/** How many entries one transaction prunes: this takes some 5 ms of the only writer, or 2 ms while guests wait at the gates. */
const PRUNED_AT_ONCE = 500;
const PRUNED_BESIDE_SCANS = 100;

/** A store that works in the thread that calls it, on one call after another. */
export class SqliteEngine extends SqlStore {
  readonly #path: string;
  protected readonly database: DatabaseSync;
  readonly #versionFound: number;
  readonly #connection: SqliteConnection;
  readonly #state: SqliteScanState;
  readonly #files: OpenedFiles;
  readonly #backoff: WriterBackoff;
  /** A database that is closed cannot be closed again. */
  #closed: Promise<void> | undefined;
  readonly #mutex = new Mutex();
  #snapshot: SqliteSnapshot | undefined;

  /**
   * Opens the database at `path`, or one in memory for `:memory:`.
   * @param wait the pause between long writes, for other processes on the file
   * @throws TicketscanError for the reasons of `openDatabase`
   */
  constructor(
    path: string,
    options: FormatOptions = {},
    wait?: ConstructorParameters<typeof WriterBackoff>[1],
  ) {
    super();
    const { database, versionFound } = openDatabase(path, options);
    this.#path = path;
    this.database = database;
    this.#versionFound = versionFound;
    this.#state = new SqliteScanState(database);
    createIndexedViews(database, this.#state);
    this.#connection = new SqliteConnection(database, this.#state);
    this.#files = new OpenedFiles(path, `${path}-wal`);
    this.#backoff = new WriterBackoff(database, wait);
  }

  commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult> {
    this.#backoff.scanned();
    return this.runAlone(() =>
      this.#remembering(() => {
        const revision = this.#state.begin();
        const outcomes = requests.map((request) => answerInBatch(request, this.#state));
        this.#state.finish(requests[0]?.now ?? 0);
        return { outcomes, revision };
      }),
    );
  }

  /** Flushes some uses if it is time. Call it after each batch, when the batch is answered. @returns true if there was something to do */
  async flushIfDue(): Promise<boolean> {
    if (this.#state.pending < FLUSH_AT && !this.#state.isFlushing) return false;
    await this.#flushSome();
    return true;
  }

  verify(): Promise<VerifyReport> {
    return this.runAlone(async () => {
      const { problems, ...counts } = await verify(this.#connection);
      return { ...counts, problems: [...pageProblems(this.database), ...problems] };
    });
  }

  override readonly pruneLog: Store['pruneLog'] = async (before, entriesMax) => {
    await this.#flushInSteps();
    const most = this.#backoff.contended ? PRUNED_BESIDE_SCANS : PRUNED_AT_ONCE;
    const entries = Math.min(entriesMax, most);
    return this.#backoff.after(() =>
      this.withoutDeadline((sql) => pruneOldest(sql, before, entries)),
    );
  };

  override readonly continueDeletion: Store['continueDeletion'] = async (...input) => {
    // Then the step itself has little to flush.
    await this.#flushInSteps();
    return this.#backoff.after(() =>
      this.withoutDeadline((sql) => continueDeletion(sql, ...input)),
    );
  };

  override readonly insertTickets: Store['insertTickets'] = (...input) =>
    this.#backoff.after(() => this.withoutDeadline((sql) => insertTickets(sql, ...input)));

  async beginSnapshot(): Promise<void> {
    // Each page of a snapshot reads all pending entries. A full disk must not prevent a copy.
    await this.#flushInSteps().catch(() => undefined);
    return this.runAlone(() => {
      this.#snapshot?.close();
      this.#snapshot = new SqliteSnapshot(this.#path, BUSY_TIMEOUT_MS);
    });
  }

  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    return this.runAlone(() => {
      if (!this.#snapshot) throw new Error('no snapshot was begun');
      return this.#snapshot.page(section, after, limit);
    });
  }

  endSnapshot(): Promise<void> {
    return this.runAlone(() => {
      this.#snapshot?.close();
      this.#snapshot = undefined;
    });
  }

  purgeErased(isPatient: boolean): Promise<boolean> {
    return this.runAlone(() => purgeErased(this.database, isPatient));
  }

  info(): Promise<StoreInfo> {
    return this.runAlone(() => storeInfo(this.database, this.#path, this.#versionFound));
  }

  checkWritable(): Promise<void> {
    return this.runAlone(() =>
      inTransaction(this.database, () =>
        this.database.exec('UPDATE write_check SET number = number + 1'),
      ),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#mutex.run(() => {
      try {
        // The first round ends the one that has begun, the second takes the later uses. Another process may add more.
        for (let rounds = 0; rounds < 2 && this.#state.pending > 0; rounds += 1) {
          do this.#remembering(() => this.#state.flushSome(FLUSH_STEP));
          while (this.#state.isFlushing);
        }
      } catch (error) {
        throw explain(error, this.#path);
      } finally {
        this.#snapshot?.close();
        this.database.close();
      }
    });
    return this.#closed;
  }

  /** Runs `work` alone, in one transaction, and forgets the cached data, because the work may change any of them. */
  protected changeAnything<Result>(work: () => Result): Promise<Result> {
    return this.runAlone(() => {
      const result = inTransaction(this.database, work);
      this.#state.forget();
      return result;
    });
  }

  protected withDeadline<Result>(work: SqlWork<Result>): Promise<Result> {
    return this.runAlone(() => work(this.#connection));
  }

  protected withoutDeadline<Result>(work: SqlWork<Result>): Promise<Result> {
    return this.withDeadline(work);
  }

  #flushSome(): Promise<void> {
    return this.runAlone(() => this.#remembering(() => this.#state.flushSome(FLUSH_STEP)));
  }

  /** Flushes everything; scans run between the steps. */
  async #flushInSteps(): Promise<void> {
    do await this.#flushSome();
    while (this.#state.isFlushing);
  }

  /** Runs `work` while no other work of this engine runs. Rejects if the files are gone: then the result must not be acknowledged. */
  protected runAlone<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return this.#mutex.run(async () => {
      try {
        const result = await work();
        this.#files.mustBeThere();
        return result;
      } catch (error) {
        throw explain(error, this.#path);
      }
    });
  }

  /** A failed transaction must leave nothing in the state's memory. */
  #remembering<Result>(work: () => Result): Result {
    try {
      return inTransaction(this.database, work);
    } catch (error) {
      this.#state.forget();
      throw error;
    }
  }
}

/** The state of a database at one moment, read over a connection of its own while others write. */
class SqliteSnapshot {
  readonly #database: DatabaseSync;

  constructor(path: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    // A read transaction begins with its first read.
    this.#database.exec('BEGIN');
    this.#database.prepare('SELECT revision FROM state').get();
  }

  page(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    return readPage(new SqliteConnection(this.#database), section, after, limit);
  }

  close(): void {
    this.#database.close();
  }
}
