import { Worker } from 'node:worker_threads';
import { TicketscanError } from '../../../core/errors.ts';
import type { Store } from '../store.ts';
import { type PackedResult, packRequests, unpackResult } from './batch-messages.ts';
import type { Call, Failure, Reply, StoreMethod } from './worker-messages.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A store in a SQLite file, driven by a thread of its own: a commit waits for the disk, and the thread that answers
 * requests must not. Several processes may share the file.
 * @throws TicketscanError as `openDatabase` does
 */
export async function openSqliteStore(path: string): Promise<Store> {
  const thread = new DatabaseThread(path);
  await thread.opened;
  return new SqliteStore(thread);
}

/** Passes every call on to `SqliteEngine`, in the thread. */
class SqliteStore implements Store {
  readonly #thread: DatabaseThread;

  constructor(thread: DatabaseThread) {
    this.#thread = thread;
  }

  readonly commitScans: Store['commitScans'] = async (requests) =>
    unpackResult(
      (await this.#thread.call('commitScans', [packRequests(requests)])) as PackedResult,
    );

  readonly createOrganisation: Store['createOrganisation'] = (...args) =>
    this.#call('createOrganisation', args);
  readonly listOrganisations: Store['listOrganisations'] = (...args) =>
    this.#call('listOrganisations', args);
  readonly setOrganisationLimits: Store['setOrganisationLimits'] = (...args) =>
    this.#call('setOrganisationLimits', args);
  readonly createEvent: Store['createEvent'] = (...args) => this.#call('createEvent', args);
  readonly renameEvent: Store['renameEvent'] = (...args) => this.#call('renameEvent', args);
  readonly listEvents: Store['listEvents'] = (...args) => this.#call('listEvents', args);
  readonly createKey: Store['createKey'] = (...args) => this.#call('createKey', args);
  readonly findKeyByHash: Store['findKeyByHash'] = (...args) => this.#call('findKeyByHash', args);
  readonly listKeys: Store['listKeys'] = (...args) => this.#call('listKeys', args);
  readonly updateKey: Store['updateKey'] = (...args) => this.#call('updateKey', args);
  readonly deleteKey: Store['deleteKey'] = (...args) => this.#call('deleteKey', args);
  readonly requestsInMonth: Store['requestsInMonth'] = (...args) =>
    this.#call('requestsInMonth', args);
  readonly insertTickets: Store['insertTickets'] = (...args) => this.#call('insertTickets', args);
  readonly findTicket: Store['findTicket'] = (...args) => this.#call('findTicket', args);
  readonly findTickets: Store['findTickets'] = (...args) => this.#call('findTickets', args);
  readonly listTickets: Store['listTickets'] = (...args) => this.#call('listTickets', args);
  readonly searchTickets: Store['searchTickets'] = (...args) => this.#call('searchTickets', args);
  readonly countTickets: Store['countTickets'] = (...args) => this.#call('countTickets', args);
  readonly cancelTicket: Store['cancelTicket'] = (...args) => this.#call('cancelTicket', args);
  readonly reinstateTicket: Store['reinstateTicket'] = (...args) =>
    this.#call('reinstateTicket', args);
  readonly findDocument: Store['findDocument'] = (...args) => this.#call('findDocument', args);
  readonly listDocuments: Store['listDocuments'] = (...args) => this.#call('listDocuments', args);
  readonly putDocument: Store['putDocument'] = (...args) => this.#call('putDocument', args);
  readonly deleteDocument: Store['deleteDocument'] = (...args) =>
    this.#call('deleteDocument', args);
  readonly appendAuditEntry: Store['appendAuditEntry'] = (...args) =>
    this.#call('appendAuditEntry', args);
  readonly readAuditLog: Store['readAuditLog'] = (...args) => this.#call('readAuditLog', args);

  readonly readLog: Store['readLog'] = (...args) => this.#call('readLog', args);
  readonly searchLog: Store['searchLog'] = (...args) => this.#call('searchLog', args);
  readonly countOutcomes: Store['countOutcomes'] = (...args) => this.#call('countOutcomes', args);
  readonly listDevices: Store['listDevices'] = (...args) => this.#call('listDevices', args);
  readonly prunableLog: Store['prunableLog'] = (...args) => this.#call('prunableLog', args);
  readonly pruneLog: Store['pruneLog'] = (...args) => this.#call('pruneLog', args);

  readonly beginSnapshot: Store['beginSnapshot'] = (...args) => this.#call('beginSnapshot', args);
  readonly readSnapshot: Store['readSnapshot'] = (...args) => this.#call('readSnapshot', args);
  readonly endSnapshot: Store['endSnapshot'] = (...args) => this.#call('endSnapshot', args);
  readonly importRecords: Store['importRecords'] = (...args) => this.#call('importRecords', args);
  readonly unfinishedCopy: Store['unfinishedCopy'] = (...args) =>
    this.#call('unfinishedCopy', args);
  readonly endImport: Store['endImport'] = (...args) => this.#call('endImport', args);

  readonly verify: Store['verify'] = (...args) => this.#call('verify', args);
  readonly info: Store['info'] = (...args) => this.#call('info', args);
  readonly checkWritable: Store['checkWritable'] = (...args) => this.#call('checkWritable', args);
  readonly close: Store['close'] = (...args) => this.#call('close', args);

  #call<Name extends StoreMethod>(
    method: Name,
    args: Parameters<Store[Name]>,
  ): Promise<Awaited<ReturnType<Store[Name]>>> {
    return this.#thread.call(method, args) as Promise<Awaited<ReturnType<Store[Name]>>>;
  }
}

/** In a checkout the sources run as they are; in the bundle the worker is a file beside it. */
function workerUrl(): URL {
  const file = import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js';
  return new URL(file, import.meta.url);
}

class DatabaseThread {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ended: Error | undefined;

  constructor(path: string) {
    this.#worker = new Worker(workerUrl(), { workerData: path });
    this.opened = new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
    this.#worker.on('message', (text: string) => this.#settle(JSON.parse(text) as Reply));
    this.#worker.on('error', (error) => this.#end(error as Error));
    this.#worker.on('exit', () => this.#end(new Error('the store is closed')));
    this.opened.catch(() => this.#worker.terminate());
  }

  async call(method: StoreMethod, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended) {
      if (method === 'close') return undefined;
      throw this.#ended;
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage(JSON.stringify({ id, method, args } satisfies Call));
    });
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (reply.failure) pending?.reject(errorFrom(reply.failure));
    else pending?.resolve(reply.value);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}

function errorFrom(failure: Failure): Error {
  return failure.code
    ? new TicketscanError(failure.code, failure.message)
    : new Error(failure.message);
}
