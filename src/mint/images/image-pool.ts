import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, TicketscanError } from '../../core/errors.ts';
import { type ImageBatch, type ImageBatchResult, writeImages } from './image-files.ts';

/** What a worker answers to a batch. */
export type ImageReply =
  | { readonly result: ImageBatchResult }
  | { readonly failure: { readonly message: string; readonly code: ErrorCode | undefined } };

/** In a checkout the sources run as they are; in the bundle the worker is a file beside it. */
function workerUrl(): URL {
  const file = import.meta.url.endsWith('.ts') ? './image-worker.ts' : './image-worker.js';
  return new URL(file, import.meta.url);
}

/**
 * Draws batches of images, several at a time.
 * @param threads 0 draws in the calling thread, which is sooner done for a few
 * @param onBatch is told after each batch; when it throws, the batches under way are completed and no more begun
 * @throws TicketscanError when a file cannot be written; what `onBatch` throws
 */
export async function drawAll(
  batches: Iterable<ImageBatch>,
  threads: number,
  onBatch: (result: ImageBatchResult) => void,
): Promise<void> {
  const queue = batches[Symbol.iterator]();
  if (threads === 0) {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      onBatch(await writeImages(next.value));
    }
    return;
  }
  let failed = false;
  const runners = Array.from({ length: threads }, async () => {
    const worker = new Worker(workerUrl());
    try {
      while (!failed) {
        const next = queue.next();
        if (next.done) break;
        onBatch(await drawIn(worker, next.value));
      }
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      await worker.terminate();
    }
  });
  const results = await Promise.allSettled(runners);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

async function drawIn(worker: Worker, batch: ImageBatch): Promise<ImageBatchResult> {
  worker.postMessage(batch);
  // `once` rejects when the worker emits an error instead.
  const [reply] = (await once(worker, 'message')) as [ImageReply];
  if ('result' in reply) return reply.result;
  const { message, code } = reply.failure;
  throw code ? new TicketscanError(code, message) : new Error(message);
}
