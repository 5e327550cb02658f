import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Whole runs of the built program: 1,000,000 tickets into SQLite with a CSV of their codes, and a PDF of 10,000
 * tickets whose holders have names in many scripts. Exits 1 when one takes longer or more memory than it may.
 * Memory is the kernel's peak of the process (VmHWM), so this runs on Linux.
 */
const PROGRAM = join(import.meta.dirname, '..', 'bin', 'ticketscan.js');
const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
const MILLION = { tickets: 1_000_000, secondsMax: 60, megabytesMax: 500 };
const SHEET = { tickets: 10_000, secondsMax: 120, megabytesMax: 300 };
const NAMES = [
  'Ada,Lovelace',
  'Ελένη,Παπαδοπούλου',
  'Şükrü,İğdır',
  'أحمد,بن عبد العزيز',
  'Zoë 😀,O’Neill',
];

try {
  execFileSync(process.execPath, [PROGRAM, 'events', 'create', '--name', 'Bench'], { cwd: folder });
  const million = await run([
    '--count',
    String(MILLION.tickets),
    '--format',
    'csv',
    '--out',
    'million',
  ]);
  const lines = countLines(join(folder, 'million', 'tickets.csv')) - 1;
  report(`${lines} tickets into SQLite and a CSV of codes`, million, MILLION);
  const rows = Array.from({ length: SHEET.tickets }, (_, index) => NAMES[index % NAMES.length]);
  writeFileSync(join(folder, 'guests.csv'), `firstName,lastName\n${rows.join('\n')}\n`);
  const sheet = await run(['--from-csv', 'guests.csv', '--format', 'pdf', '--out', 'sheet']);
  const size = statSync(join(folder, 'sheet', 'tickets.pdf')).size;
  report(`PDF of ${SHEET.tickets} tickets, ${(size / 1e6).toFixed(1)} MB`, sheet, SHEET);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
}

async function run(args: readonly string[]): Promise<Measured> {
  const start = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'mint', '--event', 'Bench', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let kilobytes = 0;
  const watch = setInterval(() => {
    kilobytes = Math.max(kilobytes, peakOf(child.pid));
  }, 50);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearInterval(watch);
  if (code !== 0) throw new Error(`mint ended with ${code}`);
  return { seconds: (performance.now() - start) / 1000, megabytes: kilobytes / 1000 };
}

function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    // It has just ended.
    return 0;
  }
}

function countLines(path: string): number {
  return Number(execFileSync('wc', ['-l', path], { encoding: 'utf8' }).split(' ')[0]);
}

function report(
  what: string,
  { seconds, megabytes }: Measured,
  { secondsMax, megabytesMax }: { secondsMax: number; megabytesMax: number },
): void {
  console.log(
    `${what}: ${seconds.toFixed(1)} s (at most ${secondsMax}), peak ${Math.round(megabytes)} MB (at most ${megabytesMax})`,
  );
  if (seconds > secondsMax || megabytes > megabytesMax) process.exitCode = 1;
}
