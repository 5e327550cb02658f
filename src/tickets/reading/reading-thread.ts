import type { Worker } from 'node:worker_threads';
import { TicketscanError } from '../../core/errors.ts';
import { startThread } from '../../kit/program-files.ts';
import { giveJob } from '../worker-jobs.ts';
import type { FoundCode } from './find-codes.ts';

/** A small file can be made so that it takes minutes to draw, or to look through. */
const PICTURE_S = 10;

/** The codes in a picture of a file, and the page it is when the file has pages. */
export interface PageCodes {
  /** From 1; null in a file without pages. */
  readonly page: number | null;
  readonly codes: readonly FoundCode[];
}

/** Reads the codes in files one after the other, in a thread of its own: nothing else can end a picture that takes too long. */
export class ReadingThread {
  #worker: Worker | undefined;

  /** @throws TicketscanError `usage` as `loadPictures`, and for a picture that takes longer than 10 seconds */
  async *read(file: string): AsyncGenerator<PageCodes> {
    for (let job: string | undefined = file; ; job = undefined) {
      const found = await this.#inTime(file, job);
      if (!found) return;
      yield found;
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #inTime(file: string, job: string | undefined): Promise<PageCodes | undefined> {
    this.#worker ??= startThread('./reading-worker.ts', import.meta.url);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // The next file gets a new thread.
      const tooLong = () =>
        reject(
          new TicketscanError('usage', `${file} takes longer than ${PICTURE_S} seconds to read.`),
        );
      this.close().then(tooLong, reject);
    }, PICTURE_S * 1000);
    try {
      const read = giveJob<string | undefined, PageCodes | undefined>(this.#worker, job);
      return await Promise.race([read, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
