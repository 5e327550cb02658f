import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasZbar, proveCodes } from '../test/mint/support/prove-codes.ts';
import { randomRun } from '../test/mint/support/random-tickets.ts';

/**
 * Draws 10,000 random tickets as PNG, SVG and on sheets, and reads every picture with jsqr, zxing and, where it is
 * installed, zbarimg. The tests do the same with a sample. `npm run prove:codes -- [tickets] [seed]`
 */
const [count = 10_000, seed = String(Date.now()), share] = [
  process.argv[2] === undefined ? undefined : Number(process.argv[2]),
  process.argv[3],
  process.argv[4],
];
const SHEETS = ['a4', 'label-63x38', 'label-99x68', 'letter'] as const;
process.exitCode = share === undefined ? await proveInProcesses() : await proveShare(share);

/** One process for each processor; each proves its part. */
async function proveInProcesses(): Promise<number> {
  const processes = availableParallelism();
  const start = performance.now();
  console.log(`seed ${seed}, zbarimg ${hasZbar ? 'is' : 'is NOT'} installed`);
  const codes = await Promise.all(
    Array.from({ length: processes }, (_, index) => runShare(`${index}/${processes}`)),
  );
  const failed = codes.filter((code) => code !== 0).length;
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${failed === 0 ? 'Every picture reads as its code' : 'FAILED'}; ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

function runShare(name: string): Promise<number | null> {
  const args = [import.meta.filename, String(count), seed, name];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

async function proveShare(name: string): Promise<number> {
  const [index = 0, processes = 1] = name.split('/').map(Number);
  const tickets = Math.ceil(count / processes);
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-prove-'));
  let problems = 0;
  try {
    for (const [part, sheet] of SHEETS.entries()) {
      const run = randomRun(
        `${seed}/${name}/${part}`,
        Math.ceil(tickets / SHEETS.length),
        part % 2 === 0 ? 'TS1' : 'TS2',
      );
      for (const problem of await proveCodes(run, folder, sheet)) {
        console.error(problem);
        problems += 1;
      }
      console.log(`process ${index}: ${run.count} ${run.codeFormat} tickets on ${sheet} done`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return problems === 0 ? 0 : 1;
}
