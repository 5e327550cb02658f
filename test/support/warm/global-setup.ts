import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

const WARM_PROGRAM = resolve('test/support/warm/warm-program.ts');

/** A running program for each worker of the test runner: `runProgram` runs commands in it. One that ends with its test is started again. */
export function setup({ vitest }: TestProject): (() => void) | undefined {
  if (process.env['TICKETSCAN_TEST_PROGRAMS'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-programs-'));
  process.env['TICKETSCAN_TEST_PROGRAMS'] = folder;
  const running = new Map<number, ChildProcess>();
  let isOver = false;
  const start = (worker: number) => {
    if (isOver) return;
    const path = join(folder, String(worker));
    rmSync(path, { force: true });
    const child = spawn(process.execPath, [WARM_PROGRAM, path], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    running.set(
      worker,
      child.once('exit', (code) => code === 0 && start(worker)),
    );
  };
  for (let worker = 1; worker <= Number(vitest.config.maxWorkers); worker += 1) start(worker);
  return () => {
    isOver = true;
    for (const child of running.values()) child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
}
