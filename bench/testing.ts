import type { TicketscanService } from '../src/testing/controls.ts';
import { startTicketscan } from '../src/testing/start.ts';
import { median } from './lib/load.ts';

/**
 * What a test waits for a service of its own: to start, to be reset after scans, and for a snapshot and back, with more
 * and more tickets. Milliseconds; what people notice is a reset before each test.
 * Usage: node bench/testing.ts [tickets per state…]
 */
const sizes = process.argv.slice(2).map(Number);
const ROUNDS = 50;
const SCANS = 20;

for (const ticketsPerState of sizes.length > 0 ? sizes : [5, 100, 1000]) {
  const started = performance.now();
  const service = await startTicketscan({ seed: 'all-states', ticketsPerState });
  const startMs = performance.now() - started;
  const resets: number[] = [];
  const restores: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const snapshot = await service.snapshot();
    await scan(service);
    restores.push(await timed(() => service.restore(snapshot)));
    await scan(service);
    resets.push(await timed(() => service.reset()));
  }
  await service.close();
  console.log(`${ticketsPerState} tickets in each of 11 states`);
  show('start', [startMs]);
  show(`reset after ${SCANS} scans`, resets);
  show('restore', restores);
}

async function scan(service: TicketscanService): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': service.keys.rest };
  for (let i = 0; i < SCANS; i += 1) {
    const body = JSON.stringify({ ticketCode: service.tickets.multi[i % 5] });
    await (await fetch(`${service.url}/scan/consume`, { method: 'POST', headers, body })).text();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function show(what: string, figures: readonly number[]): void {
  const figure = (value: number) => value.toFixed(2).padStart(9);
  const worst = Math.max(...figures);
  console.log(
    `  ${what.padEnd(24)} median ${figure(median(figures))} ms, worst ${figure(worst)} ms`,
  );
}
