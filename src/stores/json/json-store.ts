import { statSync } from 'node:fs';
import { TicketscanError } from '../../core/errors.ts';
import { knownFileFailure } from '../../kit/failures.ts';
import { linkTarget, OpenedFiles } from '../file-guards.ts';
import { takeWriterLock, type WriterLock } from '../file-lock.ts';
import { forwardingStore, type StoreMethod } from '../forwarding-store.ts';
import { refuseSecondName, removeNamesOfRestore } from '../second-names.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import type { ScanBatchResult, Store, StoreInfo } from '../store.ts';
import type { OpenOptions } from '../store-format.ts';
import { DOCUMENT_FORMAT } from './document.ts';
import { DocumentDatabase } from './document-database.ts';
import { databaseOf, removeUnfinished } from './document-file.ts';
import { DocumentWriter, editedWhileOpen } from './document-writer.ts';
import { refuseUnwritable } from './unwritable.ts';

/**
 * A store that people can read and edit: a document, and a database beside it. While a program runs, the database is the truth, as in a
 * `sqlite:` store. The document is written soon after a change and at a clean stop. Opening the store takes over what was edited in it.
 * Only one program at a time may use the store.
 * @throws TicketscanError `store_busy`, `store_damaged`, `store_newer` or `store_unavailable`, each with what to do
 */
export async function openJsonStore(
  namedPath: string,
  { inThisThread = false }: OpenOptions = {},
): Promise<Store> {
  // A link stays a link: its target is replaced.
  const path = linkTarget(namedPath);
  for (const file of [path, databaseOf(path)]) refuseSecondName(file);
  const lock = takeWriterLock(path);
  try {
    removeNamesOfRestore(path);
    removeUnfinished(path);
    const isNew = !statSync(path, { throwIfNoEntry: false });
    const notice = await withDatabase(path, (database) => database.takeOver());
    const database = await openSqliteStore(databaseOf(path), { inThisThread });
    const { store } = new JsonStore(path, lock, database, isNew);
    return notice === undefined ? store : Object.assign(store, { notice });
  } catch (error) {
    lock.release();
    throw explained(error, path);
  }
}

async function withDatabase<Result>(
  path: string,
  work: (database: DocumentDatabase) => Promise<Result>,
): Promise<Result> {
  const database = new DocumentDatabase(path);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * The methods that do not change the content of the document. After every other method the document is written again. So a method that is
 * missing here costs work and loses nothing. For `commitScans` the outcomes say whether it changed the document.
 */
const LEAVE_DOCUMENT: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  'importRecords',
  'read',
  'list',
  'findKeyByHash',
  'findKeysByHash',
  'requestsInMonth',
  'keyLastUsedAt',
  'keyUses',
  'listOccupancy',
  'resetOccupancy',
  'knownReferences',
  'ticketsWithReferences',
  'findTicket',
  'findTickets',
  'listTickets',
  'searchTickets',
  'countTickets',
  'countTicketsOf',
  'readAuditLog',
  'readLog',
  'searchLog',
  'countOutcomes',
  'sumScans',
  'listUndos',
  'listDevices',
  'listSiteChanges',
  'newestSiteChange',
  'siteChangesOf',
  'noteInForce',
  'dropSiteChanges',
  'storedKeys',
  'ownerOfKey',
  'prunableLog',
  'pruneLog',
  'beginSnapshot',
  'readSnapshot',
  'endSnapshot',
  'unfinishedCopy',
  'verify',
  'purgeErased',
  'info',
  'checkWritable',
  'close',
]);

class JsonStore {
  readonly #path: string;
  readonly #lock: WriterLock;
  readonly #database: Store;
  readonly #isNew: boolean;
  readonly #files: OpenedFiles;
  readonly #writer: DocumentWriter;
  #closing: Promise<void> | undefined;

  constructor(path: string, lock: WriterLock, database: Store, isNew: boolean) {
    this.#path = path;
    this.#lock = lock;
    this.#database = database;
    this.#isNew = isNew;
    this.#files = new OpenedFiles(databaseOf(path));
    this.#writer = new DocumentWriter(path);
    // If a program was killed, the document may be older than the database.
    this.#writer.changed();
  }

  get store(): Store {
    const own: Partial<Store> = {
      commitScans: (requests) => this.#commitScans(requests),
      purgeErased: (isPatient) => this.#purgeErased(isPatient),
      info: () => this.#info(),
      tellOperator: (tell) => {
        this.#writer.tell = tell;
      },
      close: () => {
        this.#closing ??= this.#close();
        return this.#closing;
      },
    };
    return forwardingStore(own, (method, args) => this.#forward(method, args));
  }

  async #forward(method: StoreMethod, args: readonly unknown[]): Promise<unknown> {
    this.#refuseClosed();
    refuseUnwritable(method, args);
    const call = this.#database[method] as (...args: readonly unknown[]) => Promise<unknown>;
    const result = await call.apply(this.#database, [...args]);
    if (!LEAVE_DOCUMENT.has(method)) this.#writer.changed();
    return result;
  }

  async #commitScans(requests: Parameters<Store['commitScans']>[0]): Promise<ScanBatchResult> {
    this.#refuseClosed();
    const result = await this.#database.commitScans(requests);
    if (result.outcomes.some(isUse)) this.#writer.changed();
    return result;
  }

  /** The document, and its text in the database, hold the erased data until both are written anew. */
  async #purgeErased(isPatient: boolean): Promise<boolean> {
    this.#refuseClosed();
    const result = await this.#writer.write();
    const isPurged = await this.#database.purgeErased(isPatient);
    return isPurged && result === 'written';
  }

  async #info(): Promise<StoreInfo> {
    this.#refuseClosed();
    const { bytes, details, ...info } = await this.#database.info();
    const documentBytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    const { file: database, ...more } = details;
    return {
      ...info,
      engine: 'json',
      format: { version: DOCUMENT_FORMAT, versionFound: this.#isNew ? 0 : DOCUMENT_FORMAT },
      bytes: bytes === null ? null : bytes + documentBytes,
      details: { file: this.#path, documentBytes, database: database ?? '', ...more },
    };
  }

  async #close(): Promise<void> {
    try {
      await this.#writer.end();
      await this.#database.close();
      // If the file is gone, a new one must not be made: its content would be missing.
      this.#files.mustBeThere();
      const result = await withDatabase(this.#path, (database) => database.writeDocument());
      if (result === 'edited') throw new TicketscanError('conflict', editedWhileOpen(this.#path));
    } catch (error) {
      throw explained(error, this.#path);
    } finally {
      this.#lock.release();
    }
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new Error('the store is closed');
  }
}

function isUse(outcome: ScanBatchResult['outcomes'][number]): boolean {
  return outcome.kind === 'decided' && outcome.decision.status === 'consumed';
}

/** Turns errors of the system that a person can fix into errors that say how. */
function explained(error: unknown, path: string): unknown {
  const reason = knownFileFailure(error);
  if (error instanceof TicketscanError || reason === undefined) return error;
  return new TicketscanError(
    'store_unavailable',
    `${path} cannot be used: ${reason} (${(error as NodeJS.ErrnoException).code}). Fix that; what was acknowledged is in ${databaseOf(path)}.`,
    { cause: error },
  );
}
