import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { proveCodes } from './prove-codes.ts';
import { randomRun } from './random-tickets.ts';

/** Some tickets to prove on one kind of sheet. */
export interface ProofTask {
  readonly seed: string;
  readonly count: number;
  readonly codeFormat: 'TS1' | 'TS2';
  readonly sheet: string;
}

/** A thread that proves one task after another, and answers each with what was wrong. */
parentPort?.on('message', async ({ seed, count, codeFormat, sheet }: ProofTask) => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-prove-'));
  try {
    const problems = await proveCodes(randomRun(seed, count, codeFormat), folder, sheet);
    parentPort?.postMessage(problems);
  } catch (error) {
    parentPort?.postMessage([`the proof itself failed: ${(error as Error).stack}`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
