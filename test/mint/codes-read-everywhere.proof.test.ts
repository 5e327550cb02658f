import { expect, test } from 'vitest';
import { SEED } from '../support/seed.ts';
import { proveInThreads } from './support/prove-in-threads.ts';
import { hasZbar } from './support/zbar.ts';

/** Some of each kind on each sheet; `npm run prove -- codes` draws 10,000. */
const TICKETS = 1250;
const seed = String(SEED);

test(`every picture of ${TICKETS} random tickets (PNG, SVG, sheets) reads as its code with jsqr and zxing${hasZbar ? ' and zbarimg' : '; zbarimg is not installed'}; seed ${seed}`, async () => {
  expect(await proveInThreads(TICKETS, seed)).toEqual([]);
});
