import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, median } from './lib/load.ts';
import { type Loaded, loadTickets, startServer, startTicketscan } from './lib/servers.ts';

/**
 * Durable consume over HTTP against an empty Fastify route with the same body and response schema, in turns (A B A B),
 * and against itself with a million tickets. Only the ratios of one run mean anything.
 */
const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const small = Number(process.argv[4] ?? 10_000);
const large = Number(process.argv[5] ?? 1_000_000);
const connections = Number(process.argv[6] ?? 256);
const CODES = 10_000;

const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'ticketscan-bench-')));
const [smallFolder = '', largeFolder = ''] = folders;
try {
  const few = await loadTickets(smallFolder, small, CODES);
  const many = await loadTickets(largeFolder, large, CODES);
  console.log(`load: ${large} tickets in ${many.loadSeconds.toFixed(1)} s`);
  const empty = await startServer(['bench/lib/empty-route.ts']);
  const fewServer = await startTicketscan(smallFolder);
  const manyServer = await startTicketscan(largeFolder);
  const runOn = (url: string, folder: string, { key, codes }: Loaded) => {
    const codesFile = join(folder, 'codes.txt');
    writeFileSync(codesFile, `${codes.join('\n')}\n`);
    return () => load({ url, key, codesFile, connections, seconds });
  };
  const runs = {
    empty: runOn(empty.url, smallFolder, few),
    few: runOn(fewServer.url, smallFolder, few),
    many: runOn(manyServer.url, largeFolder, many),
  };
  for (const run of Object.values(runs)) await run();
  const ratios = { consume: [] as number[], million: [] as number[], p99: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    const emptyResult = await runs.empty();
    const fewResult = await runs.few();
    const manyResult = await runs.many();
    ratios.consume.push(fewResult.requestsPerSecond / emptyResult.requestsPerSecond);
    ratios.million.push(manyResult.requestsPerSecond / fewResult.requestsPerSecond);
    ratios.p99.push(fewResult.p99Ms / emptyResult.p99Ms);
    const rates = [emptyResult, fewResult, manyResult].map((one) =>
      one.requestsPerSecond.toFixed(0),
    );
    console.log(
      `round ${round}: empty route ${rates[0]}/s, consume ${rates[1]}/s, of a million ${rates[2]}/s`,
    );
  }
  console.log(
    `durable consume / empty route:        ${median(ratios.consume).toFixed(2)} (median of ${rounds})`,
  );
  console.log(`p99 of consume / p99 of empty route:  ${median(ratios.p99).toFixed(2)}`);
  console.log(`${large} tickets / ${small} tickets:       ${median(ratios.million).toFixed(2)}`);
  console.log(
    `resident with ${large} tickets: ${residentMib(manyServer.process.pid).toFixed(0)} MiB`,
  );
  await Promise.all([empty.stop(), fewServer.stop(), manyServer.stop()]);
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function residentMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
