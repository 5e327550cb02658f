import { parentPort } from 'node:worker_threads';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { type ImageBatch, writeImages } from './image-files.ts';
import type { ImageReply } from './image-pool.ts';

/** A thread that draws one batch of images at a time and says when it is done. */
parentPort?.on('message', (batch: ImageBatch) => {
  writeImages(batch).then(
    (result) => reply({ result }),
    (error: unknown) => {
      const code = error instanceof TicketscanError ? error.code : undefined;
      reply({ failure: { message: messageOf(error), code } });
    },
  );
});

function reply(message: ImageReply): void {
  parentPort?.postMessage(message);
}
