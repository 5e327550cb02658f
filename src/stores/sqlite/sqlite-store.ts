import type { Worker } from 'node:worker_threads';
import { errorOf } from '../../core/errors.ts';
import { startThread } from '../../kit/program-files.ts';
import { forwardingStore, type StoreMethod } from '../forwarding-store.ts';
import type { Store, VerifyReport } from '../store.ts';
import type { OpenOptions } from '../store-format.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import {
  type Call,
  type OpenedBy,
  type PackedResult,
  packBatch,
  type Reply,
  unpackResult,
} from './worker-messages.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens a store in a SQLite file. Its `SqliteEngine` runs in a thread of its own (unless `inThisThread` is set), because a commit waits for the
 * disk, and the thread that answers requests must not wait. Several processes may share the file.
 * @throws TicketscanError for the reasons of `openDatabase`
 */
export async function openSqliteStore(
  path: string,
  { inThisThread = false, ...options }: OpenOptions = {},
): Promise<Store> {
  if (inThisThread) {
    const engine = new SqliteEngine(path, options);
    engine.verify = () => verify(path);
    return engine;
  }
  const thread = new DatabaseThread({ path, options });
  await thread.opened;
  const commitScans: Store['commitScans'] = async (requests) => {
    const result = await thread.call('commitScans', [packBatch(requests)]);
    return unpackResult(result as PackedResult, requests);
  };
  return forwardingStore({ commitScans, verify: () => verify(path) }, (method, args) =>
    thread.call(method, args),
  );
}

/** Verifies the store in a thread of its own: an audit reads everything, and scans must not wait for it. */
async function verify(path: string): Promise<VerifyReport> {
  const auditor = new DatabaseThread({ path, options: { isOpenAlready: true } });
  await auditor.opened;
  try {
    return (await auditor.call('verify', [])) as VerifyReport;
  } finally {
    await auditor.call('close', []);
  }
}

class DatabaseThread {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #closing: Promise<unknown> | undefined;
  #ended: Error | undefined;

  constructor(workerData: OpenedBy) {
    this.#worker = startThread('./sqlite-worker.ts', import.meta.url, { workerData });
    this.opened = new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
    this.#worker.on('message', (text: string) => this.#settle(JSON.parse(text) as Reply));
    this.#worker.on('error', (error) => this.#end(error as Error));
    this.#worker.on('exit', () => this.#end(new Error('the store is closed')));
    this.opened.catch(() => this.#worker.terminate());
  }

  async call(method: StoreMethod, args: readonly unknown[]): Promise<unknown> {
    if (method !== 'close') return this.#ask(method, args);
    // A thread that has answered `close` answers nothing more, so a second close would wait for ever.
    this.#closing ??= this.#ended ? Promise.resolve() : this.#ask(method, args);
    return this.#closing;
  }

  async #ask(method: StoreMethod, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended) throw this.#ended;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      // JSON makes null of an argument that is undefined: one at the end is left out, as a caller who does not give it does.
      const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1);
      this.#worker.postMessage(JSON.stringify({ id, method, args: given } satisfies Call));
    });
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (reply.failure) pending?.reject(errorOf(reply.failure));
    else pending?.resolve(reply.value);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}
