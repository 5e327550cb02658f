import { expect, test } from 'vitest';
import { proveInThreads } from './support/prove-in-threads.ts';
import { hasZbar } from './support/zbar.ts';

const TICKETS = 10_000;
const seed = process.env['TICKETSCAN_TEST_SEED'] ?? String(Date.now());

test(`every picture of ${TICKETS} random tickets (PNG, SVG, sheets) reads as its code with jsqr and zxing${hasZbar ? ' and zbarimg' : '; zbarimg is not installed'}; seed ${seed}`, async () => {
  expect(await proveInThreads(TICKETS, seed)).toEqual([]);
}, 900_000);
