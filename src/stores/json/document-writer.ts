import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { errorOf, type Failure, failureOf, messageOf } from '../../core/errors.ts';
import { startThread } from '../../kit/program-files.ts';
import type { WriteResult } from './document-database.ts';

export interface WriteReply {
  readonly result?: WriteResult;
  readonly failure?: Failure;
}

/** The program promises a write within five seconds: this leaves two of them for the write itself. */
const PAUSE_MS = 3000;
/** A large document is written once a minute. */
const LARGE_BYTES = 5_000_000;
const LARGE_PAUSE_MS = 50_000;

type Tell = (level: 'info' | 'warn', text: string) => void;

/** Writes the document of a store soon after a change, in a thread of its own that begins with the first write. */
export class DocumentWriter {
  readonly #path: string;
  #thread: WriterThread | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<WriteResult> | undefined;
  #isEnded = false;
  /** The last message to the operator: the same one is not repeated. */
  #told: string | undefined;
  tell: Tell = () => undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Plans a write. Call it after each change. */
  changed(): void {
    if (this.#timer || this.#isEnded) return;
    const bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    const pauseMs = bytes > LARGE_BYTES ? LARGE_PAUSE_MS : PAUSE_MS;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.write().then(
        (result) => this.#tellOnce(result === 'edited' ? editedWhileOpen(this.#path) : undefined),
        (error) => this.#tellOnce(`${this.#path} was not written: ${messageOf(error)}`),
      );
    }, pauseMs);
    // The timer must not keep a command alive: `end` is followed by a last write.
    this.#timer.unref();
  }

  /** Writes now, or as soon as a write in progress has ended. */
  async write(): Promise<WriteResult> {
    await this.#writing?.catch(() => undefined);
    this.#writing = this.#ask();
    return this.#writing;
  }

  /** Resolves when nothing is written any more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#writing?.catch(() => undefined);
    await this.#thread?.ask('close');
  }

  async #ask(): Promise<WriteResult> {
    this.#thread ??= new WriterThread(this.#path);
    const { result, failure } = await this.#thread.ask('write');
    if (failure) throw errorOf(failure);
    return result ?? 'written';
  }

  #tellOnce(what: string | undefined): void {
    if (what !== undefined && what !== this.#told) this.tell('warn', what);
    this.#told = what;
  }
}

/** The thread that writes; it takes one call at a time. A process stays alive for it only while a call is open. */
class WriterThread {
  readonly #worker: Worker;
  #settle: ((reply: WriteReply) => void) | undefined;
  #ended: WriteReply | undefined;

  constructor(path: string) {
    this.#worker = startThread('./document-worker.ts', import.meta.url, { workerData: path });
    this.#worker.on('message', (reply: WriteReply) => this.#settle?.(reply));
    this.#worker.on('error', (error) => this.#end(failureOf(error)));
    this.#worker.on('exit', () => this.#end(failureOf(new Error('the thread has ended'))));
    this.#worker.unref();
  }

  async ask(what: 'write' | 'close'): Promise<WriteReply> {
    if (this.#ended) return this.#ended;
    this.#worker.ref();
    try {
      return await new Promise<WriteReply>((resolve) => {
        this.#settle = resolve;
        this.#worker.postMessage(what);
      });
    } finally {
      this.#settle = undefined;
      this.#worker.unref();
    }
  }

  #end(failure: Failure): void {
    this.#ended ??= { failure };
    this.#settle?.(this.#ended);
  }
}

/** The warning about a document that was edited while a program used the store. */
export function editedWhileOpen(path: string): string {
  return (
    `${path} was edited while a program used it. The edit is kept as it is, and what the program changes is in ${path}.db: the next ` +
    'start takes the edit over, row by row, or names the rows that both changed.'
  );
}
