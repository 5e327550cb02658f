import { parentPort } from 'node:worker_threads';
import { renderQr } from '../../src/tickets/codes/render-qr.ts';
import { nextCode } from './ticket-codes.ts';

/** Draws as many PNG images as it is told, and answers with how many bytes they have. */
parentPort?.on('message', (images: number) => {
  let bytes = 0;
  for (let image = 0; image < images; image += 1) {
    bytes += renderQr(nextCode(), {
      format: 'png',
      scale: 4,
    }).length;
  }
  parentPort?.postMessage(bytes);
});
