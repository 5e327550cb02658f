import { startThread } from '../../kit/program-files.ts';
import { giveJob } from '../worker-jobs.ts';
import { type ImageBatch, type ImageBatchResult, writeImages } from './image-files.ts';

/**
 * Draws batches of images, several at a time.
 * @param threads 0 draws in the calling thread, which is faster for a few
 * @param onBatch called after each batch; when it throws, the batches under way are completed and no more begun
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
    const worker = startThread('./image-worker.ts', import.meta.url);
    try {
      while (!failed) {
        const next = queue.next();
        if (next.done) break;
        onBatch(await giveJob<ImageBatch, ImageBatchResult>(worker, next.value));
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
