import { existsSync, realpathSync } from 'node:fs';
import { TicketscanError } from '../../../core/errors.ts';
import { knownFileFailure } from '../../../kit/failures.ts';
import { forwardingStore, type StoreMethod } from '../forwarding-store.ts';
import { InTurn } from '../in-turn.ts';
import { MemoryStore } from '../memory/memory-store.ts';
import type { Store } from '../store.ts';
import { removeUnfinished } from './document-file.ts';
import { completeRestore } from './hold-files.ts';
import type { Change, RecordedState } from './recorded-state.ts';
import { StoreFiles } from './store-files.ts';
import { unwritableIn } from './unwritable.ts';
import { takeWriterLock, type WriterLock } from './writer-lock.ts';

/**
 * A store in a document that people can read, and a log beside it. The rules are those of the store in memory; what it
 * changes is written and synced before any answer. One program at a time may have it.
 * @throws TicketscanError `store_busy`, `store_damaged`, `store_newer` or `store_unavailable`, each with what to do
 */
export async function openJsonStore(namedPath: string): Promise<Store> {
  // A link stays a link: its target is what is replaced.
  const path = existsSync(namedPath) ? realpathSync(namedPath) : namedPath;
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
        this.#closing ??= this.#inTurn(() => this.#fold());
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
    return this.#inTurn(async () => {
      await this.#becomeCertain();
      return work();
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
