import { existsSync, realpathSync } from 'node:fs';
import { TicketscanError } from '../../../core/errors.ts';
import { InTurn } from '../in-turn.ts';
import { MemoryStore } from '../memory/memory-store.ts';
import type { Store, StoreInfo } from '../store.ts';
import type { Change, RecordedState } from './recorded-state.ts';
import { StoreFiles } from './store-files.ts';
import { unwritableIn } from './unwritable.ts';
import { takeWriterLock, type WriterLock } from './writer-lock.ts';

/**
 * A store in a document that people can read, and a log beside it. The rules are those of the store in memory; what it
 * changes is written and synced before anyone is told. One program at a time may have it.
 * @throws TicketscanError `store_busy`, `store_damaged`, `store_newer` or `store_unavailable`, each with what to do
 */
export async function openJsonStore(namedPath: string): Promise<Store> {
  // A link stays a link: its target is what is replaced.
  const path = existsSync(namedPath) ? realpathSync(namedPath) : namedPath;
  const lock = takeWriterLock(path);
  try {
    const { files, state } = await StoreFiles.open(path);
    return new JsonStore(path, lock, files, state);
  } catch (error) {
    lock.release();
    throw explained(error, path);
  }
}

class JsonStore implements Store {
  readonly #path: string;
  readonly #lock: WriterLock;
  readonly #files: StoreFiles;
  #state: RecordedState;
  #memory: MemoryStore;
  /** After a failed write nobody knows what is on the disk, until it is looked at. */
  #isCertain = true;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  readonly #turn = new InTurn();

  constructor(path: string, lock: WriterLock, files: StoreFiles, state: RecordedState) {
    this.#path = path;
    this.#lock = lock;
    this.#files = files;
    this.#state = state;
    this.#memory = new MemoryStore(state);
  }

  readonly commitScans: Store['commitScans'] = (...args) =>
    this.#call((memory) => memory.commitScans(...args));

  readonly createOrganisation: Store['createOrganisation'] = (...args) =>
    this.#call((memory) => memory.createOrganisation(...args));
  readonly listOrganisations: Store['listOrganisations'] = (...args) =>
    this.#call((memory) => memory.listOrganisations(...args));
  readonly setOrganisationLimits: Store['setOrganisationLimits'] = (...args) =>
    this.#call((memory) => memory.setOrganisationLimits(...args));
  readonly createEvent: Store['createEvent'] = (...args) =>
    this.#call((memory) => memory.createEvent(...args));
  readonly renameEvent: Store['renameEvent'] = (...args) =>
    this.#call((memory) => memory.renameEvent(...args));
  readonly listEvents: Store['listEvents'] = (...args) =>
    this.#call((memory) => memory.listEvents(...args));
  readonly createKey: Store['createKey'] = (...args) =>
    this.#call((memory) => memory.createKey(...args));
  readonly findKeyByHash: Store['findKeyByHash'] = (...args) =>
    this.#call((memory) => memory.findKeyByHash(...args));
  readonly listKeys: Store['listKeys'] = (...args) =>
    this.#call((memory) => memory.listKeys(...args));
  readonly updateKey: Store['updateKey'] = (...args) =>
    this.#call((memory) => memory.updateKey(...args));
  readonly deleteKey: Store['deleteKey'] = (...args) =>
    this.#call((memory) => memory.deleteKey(...args));
  readonly requestsInMonth: Store['requestsInMonth'] = (...args) =>
    this.#call((memory) => memory.requestsInMonth(...args));
  readonly insertTickets: Store['insertTickets'] = (...args) =>
    this.#call((memory) => memory.insertTickets(...args));
  readonly findTicket: Store['findTicket'] = (...args) =>
    this.#call((memory) => memory.findTicket(...args));
  readonly findTickets: Store['findTickets'] = (...args) =>
    this.#call((memory) => memory.findTickets(...args));
  readonly listTickets: Store['listTickets'] = (...args) =>
    this.#call((memory) => memory.listTickets(...args));
  readonly searchTickets: Store['searchTickets'] = (...args) =>
    this.#call((memory) => memory.searchTickets(...args));
  readonly countTickets: Store['countTickets'] = (...args) =>
    this.#call((memory) => memory.countTickets(...args));
  readonly cancelTicket: Store['cancelTicket'] = (...args) =>
    this.#call((memory) => memory.cancelTicket(...args));
  readonly reinstateTicket: Store['reinstateTicket'] = (...args) =>
    this.#call((memory) => memory.reinstateTicket(...args));
  readonly findDocument: Store['findDocument'] = (...args) =>
    this.#call((memory) => memory.findDocument(...args));
  readonly listDocuments: Store['listDocuments'] = (...args) =>
    this.#call((memory) => memory.listDocuments(...args));
  readonly putDocument: Store['putDocument'] = (...args) =>
    this.#call((memory) => memory.putDocument(...args));
  readonly deleteDocument: Store['deleteDocument'] = (...args) =>
    this.#call((memory) => memory.deleteDocument(...args));
  readonly appendAuditEntry: Store['appendAuditEntry'] = (...args) =>
    this.#call((memory) => memory.appendAuditEntry(...args));
  readonly readAuditLog: Store['readAuditLog'] = (...args) =>
    this.#call((memory) => memory.readAuditLog(...args));

  readonly readLog: Store['readLog'] = (...args) => this.#call((memory) => memory.readLog(...args));
  readonly searchLog: Store['searchLog'] = (...args) =>
    this.#call((memory) => memory.searchLog(...args));
  readonly countOutcomes: Store['countOutcomes'] = (...args) =>
    this.#call((memory) => memory.countOutcomes(...args));
  readonly listDevices: Store['listDevices'] = (...args) =>
    this.#call((memory) => memory.listDevices(...args));
  readonly prunableLog: Store['prunableLog'] = (...args) =>
    this.#call((memory) => memory.prunableLog(...args));
  readonly pruneLog: Store['pruneLog'] = (...args) =>
    this.#call((memory) => memory.pruneLog(...args));

  readonly beginSnapshot: Store['beginSnapshot'] = (...args) =>
    this.#call((memory) => memory.beginSnapshot(...args));
  readonly readSnapshot: Store['readSnapshot'] = (...args) =>
    this.#call((memory) => memory.readSnapshot(...args));
  readonly endSnapshot: Store['endSnapshot'] = (...args) =>
    this.#call((memory) => memory.endSnapshot(...args));
  readonly importRecords: Store['importRecords'] = (...args) =>
    this.#call((memory) => memory.importRecords(...args));
  readonly unfinishedCopy: Store['unfinishedCopy'] = (...args) =>
    this.#call((memory) => memory.unfinishedCopy(...args));
  readonly endImport: Store['endImport'] = (...args) =>
    this.#call((memory) => memory.endImport(...args));

  readonly verify: Store['verify'] = (...args) => this.#call((memory) => memory.verify(...args));

  checkWritable(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#becomeCertain();
      await this.#write(() => this.#files.checkWritable());
    });
  }

  info(): Promise<StoreInfo> {
    return this.#inTurn(async () => {
      await this.#becomeCertain();
      return { ...(await this.#memory.info()), ...(await this.#files.info()) };
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#inTurn(() => this.#fold());
    return this.#closing;
  }

  /** What `work` changed is on the disk before this resolves. */
  #call<Result>(work: (memory: MemoryStore) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#becomeCertain();
      const result = await this.#run(work);
      const changes = this.#state.takeChanges();
      if (changes.length > 0) await this.#write(() => this.#files.append(this.#checked(changes)));
      return result;
    });
  }

  async #fold(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#becomeCertain();
      await this.#files.fold(this.#state);
    } catch (error) {
      throw explained(error, this.#path);
    } finally {
      await this.#files.close();
      this.#lock.release();
    }
  }

  async #run<Result>(work: (memory: MemoryStore) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.#memory);
    } catch (error) {
      // It stopped half-way: what it did until then must not stay.
      if (this.#state.takeChanges().length > 0) this.#isCertain = false;
      throw error;
    }
  }

  /** A record that the document could not take back would keep the store from ever opening again. */
  #checked(changes: readonly Change[]): readonly Change[] {
    const refused = unwritableIn(changes);
    if (refused === undefined) return changes;
    throw new TicketscanError('usage', `The store cannot keep that: ${refused}.`);
  }

  async #write(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#isCertain = false;
      throw explained(error, this.#path);
    }
  }

  async #becomeCertain(): Promise<void> {
    if (this.#isCertain) return;
    try {
      this.#state = await this.#files.recover();
    } catch (error) {
      throw explained(error, this.#path);
    }
    this.#memory = new MemoryStore(this.#state);
    this.#isCertain = true;
  }

  /** One after another: nobody sees what is not durable yet. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turn.run(() => {
      if (this.#isClosed) throw new Error('the store is closed');
      return work();
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  EFBIG: 'it would be larger than a file may be',
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not read and write it',
  EPERM: 'this user may not read and write it',
  EIO: 'its disk reports an error',
  EISDIR: 'it is a folder',
  ENOENT: 'one of its files is missing',
};

/** Turns the system's errors that a person can fix into ones that say how. */
function explained(error: unknown, path: string): unknown {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
  if (error instanceof TicketscanError || reason === undefined) return error;
  return new TicketscanError(
    'store_unavailable',
    `${path} cannot be used: ${reason} (${(error as NodeJS.ErrnoException).code}). Mend that; what was acknowledged is in its log.`,
    { cause: error },
  );
}
