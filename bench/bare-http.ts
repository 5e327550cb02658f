import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, median } from './lib/load.ts';
import { startServer } from './lib/servers.ts';

/** What the framework costs: an empty route on `node:http` against one on Fastify, in turns. */
const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
const codesFile = join(folder, 'codes.txt');
writeFileSync(codesFile, 'TS1.tkt_abcdef_0123456789abcdefghij.0123456789abcdefghijkl\n');
const fastify = await startServer(['bench/lib/empty-route.ts']);
const bare = await startServer(['bench/lib/bare-route.ts']);
const shape = { key: 'none', codesFile, connections: 128, seconds: 2 };
const ratios: number[] = [];
for (let round = 0; round <= rounds; round += 1) {
  const a = await load({ url: fastify.url, ...shape });
  const b = await load({ url: bare.url, ...shape });
  if (round > 0) ratios.push(b.requestsPerSecond / a.requestsPerSecond);
}
console.log(`node:http / Fastify, empty route: ${median(ratios).toFixed(2)} (median of ${rounds})`);
await Promise.all([fastify.stop(), bare.stop()]);
rmSync(folder, { recursive: true, force: true });
