import { randomInt } from 'node:crypto';
import { explore } from '../src/check/index.ts';
import { NO_LIMITS, startExploredService } from '../test/support/explored-service.ts';
import { PostgresCluster } from '../test/support/postgres/cluster.ts';
import { isInstalled, startProxy } from '../test/support/proxies.ts';
import { ENGINES, type Engine } from '../test/support/stores.ts';

/**
 * Explores our own service on each engine, directly and behind nginx: nothing may be found.
 * Arguments: explorations of each (20), requests of each (1000), seed. Ends with 1 when something was found.
 */
const rounds = Number(process.argv[2] ?? 20);
const budget = Number(process.argv[3] ?? 1000);
const firstSeed = Number(process.argv[4] ?? randomInt(2 ** 31));
/** More than the tests have, so that races are wider. */
const AT_ONCE = 32;

let found = 0;

async function exploreOn(engine: Engine, proxied: boolean): Promise<void> {
  const start = performance.now();
  let requests = 0;
  for (let round = 0; round < rounds; round += 1) {
    const seed = firstSeed + round;
    await using service = await startExploredService(engine);
    await using proxy = proxied ? await startProxy('nginx', service.port) : undefined;
    const baseUrl = `http://127.0.0.1:${proxy?.port ?? service.port}`;
    const { target } = service;
    const options = { baseUrl, target, consume: true, seed, budget, parallel: AT_ONCE };
    const result = await explore({ ...options, limits: NO_LIMITS });
    requests += result.requests.find;
    if (!result.failure) continue;
    found += 1;
    console.error(`${engine}, seed ${seed}: ${result.failure.rule}`);
    for (const line of [...result.failure.story, result.failure.expected, result.failure.observed])
      console.error(`  ${line}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const where = proxied ? `${engine} behind nginx` : engine;
  console.log(`${where}: ${rounds} explorations, ${requests} requests, ${seconds} s`);
}

console.log(`seed ${firstSeed}`);
await using cluster = await PostgresCluster.start({ fsync: 'off' });
process.env['TICKETSCAN_TEST_POSTGRES'] = cluster.url();
for (const engine of ENGINES) {
  await exploreOn(engine, false);
  if (isInstalled('nginx')) await exploreOn(engine, true);
  else console.log('nginx is not installed: not explored behind it');
}
console.log(`found: ${found}`);
process.exitCode = found > 0 ? 1 : 0;
