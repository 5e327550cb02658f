import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasZbar, proveCodes } from './support/prove-codes.ts';
import { randomRun } from './support/random-tickets.ts';

/** A sample of what `npm run prove:codes` does with 10,000 tickets. */
const TICKETS = 40;
const seed = process.env['TICKETSCAN_TEST_SEED'] ?? String(Date.now());
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-codes-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['TS1', 'a4'],
  ['TS2', 'label-63x38'],
] as const)(
  `every picture of %s tickets (PNG, SVG, sheet %s) reads as its code; zbarimg ${hasZbar ? 'too' : 'is not installed'}; seed ${seed}`,
  async (codeFormat, sheet) => {
    const problems = await proveCodes(randomRun(seed, TICKETS, codeFormat), folder, sheet);

    expect(problems).toEqual([]);
  },
  120_000,
);
