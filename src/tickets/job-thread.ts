import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { errorOf } from '../core/errors.ts';
import { startThread } from '../kit/program-files.ts';
import type { Jobs, Reply } from './job-worker.ts';
import { WORKBOOK_MEMORY_MB } from './lists/workbook-bounds.ts';

/** The memory for a thread that works on files of strangers. */
const MEMORY_MB: Partial<Record<keyof Jobs, number>> = { workbook: WORKBOOK_MEMORY_MB };

/**
 * A thread that does jobs of one kind, one after the other in their order. It begins with the first job; a thread that broke, for
 * want of memory for example, is replaced for the next one.
 */
export class JobThread<Kind extends keyof Jobs> {
  readonly #kind: Kind;
  readonly #idleMs: number | undefined;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** @param idleMs without a job, after which the thread ends and gives its memory back; it never does by default */
  constructor(kind: Kind, idleMs?: number) {
    this.#kind = kind;
    this.#idleMs = idleMs;
  }

  /** @throws what the job throws, and when the thread breaks */
  run(job: Parameters<Jobs[Kind]>[0]): ReturnType<Jobs[Kind]> {
    const done = this.#last.then(() => this.#run(job));
    this.#last = done.catch(() => {});
    return done as ReturnType<Jobs[Kind]>;
  }

  /** The processor time of the thread so far, in milliseconds; 0 without one. */
  async processorMs(): Promise<number> {
    const worker = this.#worker;
    // A thread that ends meanwhile has an answer, or an error that says more.
    const used = await worker?.cpuUsage().catch(() => undefined);
    return used === undefined ? 0 : (used.user + used.system) / 1000;
  }

  /** Ends the thread, also in the middle of a job, which then never resolves. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#last = Promise.resolve();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #run(job: unknown): Promise<unknown> {
    clearTimeout(this.#idle);
    const worker = this.#running();
    // Only work keeps the program running.
    worker.ref();
    try {
      worker.postMessage(job);
      // `once` rejects when the worker emits an error instead.
      const [reply] = (await once(worker, 'message')) as [Reply];
      if ('result' in reply) return reply.result;
      throw errorOf(reply.failure);
    } finally {
      worker.unref();
      if (this.#idleMs !== undefined)
        this.#idle = setTimeout(() => this.close(), this.#idleMs).unref();
    }
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const memory = MEMORY_MB[this.#kind];
    const worker = startThread('./job-worker.ts', import.meta.url, {
      workerData: this.#kind,
      ...(memory !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memory } }),
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}
