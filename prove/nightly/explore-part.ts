import { startExploredService } from '../../test/support/explored-service.ts';
import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { isInstalled, startProxy } from '../../test/support/proxies.ts';
import { ENGINES, type Engine } from '../../test/support/stores.ts';
import type { Part } from '../part.ts';
import { Random } from '../world/random.ts';
import { exploreAndJudge, type JudgedExploration } from './judged-exploration.ts';

const ROUNDS = 20;
const REQUESTS = 1000;
/** More than the tests have, so that races are wider. */
const AT_ONCE = 32;
const PROBLEMS_SHOWN = 5;

/**
 * Explores the service on each engine, directly and behind nginx where it is installed: neither the explorer nor the judge of
 * records may find anything.
 */
export const explorations: Part = {
  name: 'explore',
  about: '`check explore` on the own service, on both engines, directly and behind nginx',
  isNightly: true,
  async run({ seed, say }) {
    const random = new Random(seed);
    await using cluster = await PostgresCluster.start({ fsync: 'off' });
    process.env['TICKETSCAN_TEST_POSTGRES'] = cluster.url();
    const proxies = isInstalled('nginx') ? [false, true] : [false];
    const sides = ENGINES.flatMap((engine) => proxies.map((proxied) => ({ engine, proxied })));
    let [requests, judged] = [0, 0];
    for (const { engine, proxied } of sides) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const exploration = await exploreOn(engine, proxied, random.between(0, 2 ** 31));
        requests += exploration.result.requests.find;
        judged += exploration.judged;
      }
      say(`${engine}${proxied ? ' behind nginx' : ''}: ${ROUNDS} explorations`);
    }
    return `${requests} requests, ${judged} of them judged, nothing found${proxies.length > 1 ? '' : '; nginx is not installed'}`;
  },
};

/** @throws Error with what the explorer or the judge found */
async function exploreOn(
  engine: Engine,
  proxied: boolean,
  seed: number,
): Promise<JudgedExploration> {
  await using service = await startExploredService(engine);
  await using proxy = proxied ? await startProxy('nginx', service.port) : undefined;
  const baseUrl = `http://127.0.0.1:${proxy?.port ?? service.port}`;
  const options = { baseUrl, seed, budget: REQUESTS, parallel: AT_ONCE };
  const exploration = await exploreAndJudge(service, options);
  const found = [...storyOf(exploration), ...problemsOf(exploration)];
  if (found.length > 0) throw new Error(`${engine}, seed ${seed}: ${found.join('\n  ')}`);
  return exploration;
}

function storyOf({ result: { failure } }: JudgedExploration): string[] {
  return failure ? [failure.rule, ...failure.story, failure.expected, failure.observed] : [];
}

function problemsOf({ problems }: JudgedExploration): string[] {
  return problems.slice(0, PROBLEMS_SHOWN).map(({ rule, text }) => `${rule}: ${text}`);
}
