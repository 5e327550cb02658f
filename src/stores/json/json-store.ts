import { copyFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TicketscanError } from '../../core/errors.ts';
import { knownFileFailure } from '../../kit/failures.ts';
import { Mutex } from '../../kit/mutex.ts';
import { createTemporary, linkTarget } from '../file-guards.ts';
import { takeWriterLock, type WriterLock } from '../file-lock.ts';
import { forwardingStore, type StoreMethod } from '../forwarding-store.ts';
import { MemoryStore } from '../memory/memory-store.ts';
import type { Store, VerifyReport } from '../store.ts';
import { completeRestore } from './lock-files.ts';
import { type Change, type RecordedState, unwritableIn } from './recorded-state.ts';
import { removeUnfinished, StoreFiles } from './store-files.ts';

/**
 * A store in a document that people can read, and a log beside it. The rules are those of the store in memory; what it
 * changes is written and synced before any answer. One program at a time may have it.
 * @throws TicketscanError `store_busy`, `store_damaged`, `store_newer` or `store_unavailable`, each with what to do
 */
export async function openJsonStore(namedPath: string): Promise<Store> {
  // A link stays a link: its target is what is replaced.
  const path = linkTarget(namedPath);
  const lock = takeWriterLock(path);
  try {
    completeRestore(path);
    removeUnfinished(path);
    const { files, state } = await StoreFiles.open(path);
    return new JsonStore(path, lock, files, state).store;
  } catch (error) {
    lock.release();
    throw explained(error, path);
  }
}

class JsonStore {
  readonly #path: string;
  readonly #lock: WriterLock;
  readonly #files: StoreFiles;
  #state: RecordedState;
  #memory: MemoryStore;
  /** False after a failed write, until the files are read again: what is on the disk is unknown. */
  #isCertain = true;
  readonly #mutex = new Mutex();
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(path: string, lock: WriterLock, files: StoreFiles, state: RecordedState) {
    this.#path = path;
    this.#lock = lock;
    this.#files = files;
    this.#state = state;
    this.#memory = new MemoryStore(state);
  }

  get store(): Store {
    const own = {
      checkWritable: () => this.#certainly(() => this.#write(() => this.#files.checkWritable())),
      info: () =>
        this.#certainly(async () => ({
          ...(await this.#memory.info()),
          ...(await this.#files.info()),
        })),
      purgeErased: () =>
        this.#certainly(async () => {
          await this.#write(() => this.#files.rewrite(this.#state));
          return true;
        }),
      close: () => {
        this.#closing ??= this.#exclusively(() => this.#flush());
        return this.#closing;
      },
    };
    return forwardingStore(own, (method, args) => this.#forward(method, args));
  }

  /** What the store in memory changed is on the disk before this resolves. */
  #forward(method: StoreMethod, args: readonly unknown[]): Promise<unknown> {
    return this.#certainly(async () => {
      const result = await this.#run((memory) => {
        const call = memory[method] as (...args: readonly unknown[]) => Promise<unknown>;
        return call.apply(memory, [...args]);
      });
      const changes = this.#state.takeChanges();
      if (changes.length > 0) await this.#write(() => this.#files.append(this.#checked(changes)));
      return result;
    });
  }

  #certainly<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#exclusively(async () => {
      await this.#recoverAfterFailure();
      return work();
    });
  }

  async #flush(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#recoverAfterFailure();
      await this.#files.flush(this.#state);
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
      // It stopped half-way: its changes until then must not stay.
      if (this.#state.takeChanges().length > 0) this.#isCertain = false;
      throw error;
    }
  }

  /** A record that the document's schema refuses would keep the store from ever opening again. */
  #checked(changes: readonly Change[]): readonly Change[] {
    const refused = unwritableIn(changes, this.#state);
    if (refused === undefined) return changes;
    throw new TicketscanError('usage', `The store cannot save that: ${refused}.`);
  }

  async #write(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#isCertain = false;
      throw explained(error, this.#path);
    }
  }

  async #recoverAfterFailure(): Promise<void> {
    if (this.#isCertain) return;
    try {
      this.#state = await this.#files.recover();
    } catch (error) {
      throw explained(error, this.#path);
    }
    this.#memory = new MemoryStore(this.#state);
    this.#isCertain = true;
  }

  /** One call after another: no call sees changes that are not durable yet. */
  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(() => {
      if (this.#isClosed) throw new Error('the store is closed');
      return work();
    });
  }
}

/** Turns the system's errors that a person can fix into ones that say how. */
function explained(error: unknown, path: string): unknown {
  const reason = knownFileFailure(error);
  if (error instanceof TicketscanError || reason === undefined) return error;
  return new TicketscanError(
    'store_unavailable',
    `${path} cannot be used: ${reason} (${(error as NodeJS.ErrnoException).code}). Fix that; what was acknowledged is in its log.`,
    { cause: error },
  );
}

const ATTEMPTS = 5;
const PAUSE_MS = 200;

/**
 * Copies a document and its log, also while a program writes them, and audits the copy. The document first: the log holds everything
 * that came after it. Only while a program starts or stops can the two not belong together; then it copies them again.
 * @param staged the new document; its log gets the same name with `.log`
 * @throws TicketscanError `store_damaged` when the copy is not sound; errors of the system
 */
export async function copyRunningFiles(path: string, staged: string): Promise<VerifyReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const end of ['', '.log']) {
        await rm(`${staged}${end}`, { force: true });
        createTemporary(`${staged}${end}`);
        await copyFile(`${path}${end}`, `${staged}${end}`);
      }
      return await audit(staged);
    } catch (error) {
      if (!(error instanceof TicketscanError) || error.code !== 'store_damaged') throw error;
      if (attempt === ATTEMPTS) {
        const why = error.message.replaceAll(staged, path);
        const message = `The backup was NOT made, because the store is not sound: ${why}`;
        throw new TicketscanError('store_damaged', message, { cause: error });
      }
      await sleep(PAUSE_MS);
    }
  }
}

async function audit(staged: string): Promise<VerifyReport> {
  const store = await openJsonStore(staged);
  try {
    const report = await store.verify();
    const [problem] = report.problems;
    if (problem !== undefined) throw new TicketscanError('store_damaged', problem);
    return report;
  } finally {
    await store.close();
  }
}
