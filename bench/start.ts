import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './lib/load.ts';
import { loadTickets, startTicketscan } from './lib/servers.ts';

/** How long a command line takes against an empty Node, in turns, and how long `serve` takes until it listens. */
const ROUNDS = 15;

function wholeProcessMs(args: readonly string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return performance.now() - startedAt;
}

const help = ['bin/ticketscan.js', '--help'];
wholeProcessMs(help);
const ratios = Array.from({ length: ROUNDS }, () => {
  const empty = wholeProcessMs(['-e', '0']);
  return wholeProcessMs(help) / empty;
});
console.log(`ticketscan --help / node -e 0:  ${median(ratios).toFixed(2)} (median of ${ROUNDS})`);

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
try {
  await loadTickets(folder, 100_000, 1);
  const starts: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const startedAt = performance.now();
    const server = await startTicketscan(folder);
    starts.push(performance.now() - startedAt);
    await server.stop();
  }
  console.log(
    `serve listens on a store of 100,000 tickets after ${median(starts).toFixed(0)} ms (median of 5)`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
