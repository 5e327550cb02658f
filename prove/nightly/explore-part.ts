import { explore } from '../../src/check/index.ts';
import { NO_LIMITS, startExploredService } from '../../test/support/explored-service.ts';
import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { isInstalled, startProxy } from '../../test/support/proxies.ts';
import { ENGINES, type Engine } from '../../test/support/stores.ts';
import type { Part } from '../part.ts';
import { Random } from '../world/random.ts';

const ROUNDS = 20;
const REQUESTS = 1000;
/** More than the tests have, so that races are wider. */
const AT_ONCE = 32;

/** Explores the service on each engine, directly and behind nginx where it is installed: nothing may be found. */
export const explorations: Part = {
  name: 'explore',
  about: '`check explore` on the own service, on four engines, directly and behind nginx',
  isNightly: true,
  async run({ seed, say }) {
    const random = new Random(seed);
    await using cluster = await PostgresCluster.start({ fsync: 'off' });
    process.env['TICKETSCAN_TEST_POSTGRES'] = cluster.url();
    const proxies = isInstalled('nginx') ? [false, true] : [false];
    const sides = ENGINES.flatMap((engine) => proxies.map((proxied) => ({ engine, proxied })));
    let requests = 0;
    for (const { engine, proxied } of sides) {
      for (let round = 0; round < ROUNDS; round += 1)
        requests += await exploreOn(engine, proxied, random.between(0, 2 ** 31));
      say(`${engine}${proxied ? ' behind nginx' : ''}: ${ROUNDS} explorations`);
    }
    return `${requests} requests, nothing found${proxies.length > 1 ? '' : '; nginx is not installed'}`;
  },
};

/** @returns how many requests @throws Error with the story of what was found */
async function exploreOn(engine: Engine, proxied: boolean, seed: number): Promise<number> {
  await using service = await startExploredService(engine);
  await using proxy = proxied ? await startProxy('nginx', service.port) : undefined;
  const baseUrl = `http://127.0.0.1:${proxy?.port ?? service.port}`;
  const options = { baseUrl, target: service.target, consume: true, seed, budget: REQUESTS };
  const { failure, requests } = await explore({ ...options, parallel: AT_ONCE, limits: NO_LIMITS });
  if (!failure) return requests.find;
  const story = [...failure.story, failure.expected, failure.observed].join('\n  ');
  throw new Error(`${engine}, seed ${seed}: ${failure.rule}\n  ${story}`);
}
