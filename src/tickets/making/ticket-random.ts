import { hash } from 'node:crypto';
import type { RandomBytes } from '../../kit/random.ts';

export const SEED_BYTES = 32;

/**
 * Unpredictable bytes for ticket number `index` of a run, always the same for the same seed: a run that was cut short
 * finds its tickets again. The seed gives the ids of the tickets, so it is kept as the codes are.
 */
export function ticketRandom(seed: Uint8Array, index: number): RandomBytes {
  const block = Buffer.alloc(SEED_BYTES + 16);
  block.set(seed);
  block.writeDoubleBE(index, SEED_BYTES);
  let counter = 0;
  return (size) => {
    const blocks: Buffer[] = [];
    for (let got = 0; got < size; got += 32) {
      block.writeDoubleBE(counter, SEED_BYTES + 8);
      counter += 1;
      blocks.push(hash('sha256', block, 'buffer'));
    }
    return Buffer.concat(blocks).subarray(0, size);
  };
}
