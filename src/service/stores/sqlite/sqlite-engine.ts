import type { DatabaseSync } from 'node:sqlite';
import { answerRequest, type BatchRequest } from '../../../core/scan-batch.ts';
import { InTurn } from '../in-turn.ts';
import type { PrunableLog } from '../log-store.ts';
import { OpenedFiles } from '../opened-files.ts';
import type { SqlWork } from '../sql/connection.ts';
import { continueDeletion } from '../sql/deletion.ts';
import { SqlStore } from '../sql/sql-store.ts';
import { insertTickets } from '../sql/tickets.ts';
import type { ScanBatchResult, Store } from '../store.ts';
import type { FormatOptions } from '../store-format.ts';
import type { StoreInfo, VerifyReport } from '../store-upkeep.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { GiveWay } from './give-way.ts';
import { showLatestUses } from './latest-uses.ts';
import { BUSY_TIMEOUT_MS, explain, inTransaction, openDatabase } from './open-database.ts';
import { prunableLog, pruneOldest } from './prune-log.ts';
import { purgeErased } from './purge-erased.ts';
import { SqliteSnapshot } from './snapshot.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteScanState } from './sqlite-scan-state.ts';
import { storeInfo } from './store-info.ts';
import { verify } from './verify.ts';

/**
 * Log entries that are not folded cost memory, and time to open the store after a crash. Of few tickets among millions, each
 * counter is on a page of its own, and its page costs more than the scan.
 */
const FOLD_AT = 131_072;
/** Counters that are written at once: a scan that arrives meanwhile waits some milliseconds. */
const FOLD_STEP = 1024;

/** Entries that one transaction prunes: some 5 ms of the only writer, and 2 ms while guests wait at the gates. */
const PRUNED_AT_ONCE = 500;
const PRUNED_BESIDE_SCANS = 100;

/** A store that works in the thread that calls it, on one call after another. */
export class SqliteEngine extends SqlStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #versionFound: number;
  readonly #connection: SqliteConnection;
  readonly #state: SqliteScanState;
  readonly #files: OpenedFiles;
  readonly #giveWay: GiveWay;
  readonly #turn = new InTurn();
  #snapshot: SqliteSnapshot | undefined;

  /** Opens the database at `path`, or one in memory for `:memory:`. @throws TicketscanError as `openDatabase` does */
  constructor(path: string, options: FormatOptions = {}) {
    super();
    const { database, versionFound } = openDatabase(path, options);
    this.#path = path;
    this.#database = database;
    this.#versionFound = versionFound;
    this.#state = new SqliteScanState(database);
    showLatestUses(database, this.#state);
    this.#connection = new SqliteConnection(database, this.#state);
    this.#files = new OpenedFiles(path, `${path}-wal`);
    this.#giveWay = new GiveWay(database);
  }

  commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult> {
    this.#giveWay.scanned();
    return this.#inTurn(() =>
      this.#remembering(() => {
        const revision = this.#state.begin();
        const outcomes = requests.map((request) => answerRequest(request, this.#state));
        this.#state.finish(requests[0]?.now ?? 0);
        return { outcomes, revision };
      }),
    );
  }

  /** To be called after each batch, when it is answered. True when it had something to do. */
  async foldIfDue(): Promise<boolean> {
    if (this.#state.unfolded < FOLD_AT && !this.#state.isFolding) return false;
    await this.#foldSome();
    return true;
  }

  verify(): Promise<VerifyReport> {
    return this.#inTurn(() => verify(this.#database));
  }

  prunableLog(before: number): Promise<PrunableLog> {
    return this.#inTurn(() => prunableLog(this.#database, before));
  }

  async pruneLog(before: number, entriesMax: number): Promise<number> {
    await this.#foldInSteps();
    const most = this.#giveWay.othersWrite ? PRUNED_BESIDE_SCANS : PRUNED_AT_ONCE;
    const entries = Math.min(entriesMax, most);
    const prune = () => {
      this.#state.fold();
      return pruneOldest(this.#database, before, entries);
    };
    return this.#giveWay.after(() => this.#inTurn(() => this.#remembering(prune)));
  }

  override readonly continueDeletion: Store['continueDeletion'] = async (...input) => {
    // What is left to fold in the step itself is then little.
    await this.#foldInSteps();
    return this.#giveWay.after(() =>
      this.patiently((connection) => continueDeletion(connection, ...input)),
    );
  };

  override readonly insertTickets: Store['insertTickets'] = (...input) =>
    this.#giveWay.after(() => this.patiently((connection) => insertTickets(connection, ...input)));

  async beginSnapshot(): Promise<void> {
    // Each of its pages would read all that is not folded. A full disk must not prevent a copy.
    await this.#foldInSteps().catch(() => undefined);
    return this.#inTurn(() => {
      this.#snapshot?.close();
      this.#snapshot = new SqliteSnapshot(this.#path, BUSY_TIMEOUT_MS);
    });
  }

  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    return this.#inTurn(() => {
      if (!this.#snapshot) throw new Error('no snapshot was begun');
      return this.#snapshot.page(section, after, limit);
    });
  }

  endSnapshot(): Promise<void> {
    return this.#inTurn(() => {
      this.#snapshot?.close();
      this.#snapshot = undefined;
    });
  }

  purgeErased(isPatient: boolean): Promise<boolean> {
    return this.#inTurn(() => purgeErased(this.#database, isPatient));
  }

  info(): Promise<StoreInfo> {
    return this.#inTurn(() => storeInfo(this.#database, this.#path, this.#versionFound));
  }

  checkWritable(): Promise<void> {
    return this.#inTurn(() =>
      inTransaction(this.#database, () =>
        this.#database.exec('UPDATE write_check SET number = number + 1'),
      ),
    );
  }

  close(): Promise<void> {
    return this.#turn.run(() => {
      try {
        // Of the round that has begun, and of what came after it; another process may be answering scans.
        for (let rounds = 0; rounds < 2 && this.#state.unfolded > 0; rounds += 1) {
          do this.#remembering(() => this.#state.foldSome(FOLD_STEP));
          while (this.#state.isFolding);
        }
      } catch (error) {
        throw explain(error, this.#path);
      } finally {
        this.#snapshot?.close();
        this.#database.close();
      }
    });
  }

  protected quickly<Result>(work: SqlWork<Result>): Promise<Result> {
    return this.#inTurn(() => work(this.#connection));
  }

  protected patiently<Result>(work: SqlWork<Result>): Promise<Result> {
    return this.quickly(work);
  }

  #foldSome(): Promise<void> {
    return this.#inTurn(() => this.#remembering(() => this.#state.foldSome(FOLD_STEP)));
  }

  /** Folds everything; scans have their turn between the steps. */
  async #foldInSteps(): Promise<void> {
    do await this.#foldSome();
    while (this.#state.isFolding);
  }

  /** Nothing of it may be acknowledged when the files are no longer there. */
  #inTurn<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return this.#turn.run(async () => {
      try {
        const result = await work();
        this.#files.mustBeThere();
        return result;
      } catch (error) {
        throw explain(error, this.#path);
      }
    });
  }

  /** What the state remembers of a transaction must not outlive its failure. */
  #remembering<Result>(work: () => Result): Result {
    try {
      return inTransaction(this.#database, work);
    } catch (error) {
      this.#state.forget();
      throw error;
    }
  }
}
