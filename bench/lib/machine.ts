import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { arch, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { median } from './load.ts';

const SYNCS = 200;
const GIB = 1024 ** 3;

/** What a reader must know of the machine to compare figures, one line each. */
export function machineLines(): string[] {
  const processors = cpus();
  return [
    `Processors: ${processors.length} × ${processors[0]?.model ?? 'unknown'}`,
    `Memory: ${(totalmem() / GIB).toFixed(0)} GiB`,
    `System: ${type()} ${release()} ${arch()}, Node ${process.versions.node}, SQLite ${process.versions['sqlite']}`,
    `fdatasync after an append of 4 KiB: ${syncMs().toFixed(2)} ms (median of ${SYNCS}, in ${tmpdir()})`,
    `Load average before the run: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  ];
}

function syncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
  const file = openSync(join(folder, 'sync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return median(times);
}
