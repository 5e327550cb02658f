import { describe, test } from 'vitest';
import { explore } from '../../../src/check/index.ts';
import { NO_LIMITS, startExploredService } from '../../support/explored-service.ts';
import { isInstalled, startProxy } from '../../support/proxies.ts';
import { ENGINES } from '../../support/stores.ts';

/** `npm run prove -- explore` sends more, 20 times on each engine. */
const BUDGET = 200;

describe.concurrent('our own service gives explore nothing to find', () => {
  for (const [seed, engine] of ENGINES.entries()) {
    test(`on ${engine}`, async ({ expect }) => {
      await using service = await startExploredService(engine);
      const { target } = service;
      const options = { target, consume: true, seed, budget: BUDGET, limits: NO_LIMITS };
      const { failure, requests } = await explore(options);
      expect(failure).toBe(null);
      expect(requests.find).toBeGreaterThan(BUDGET / 2);
    });
  }

  test.skipIf(!isInstalled('nginx'))('behind nginx', async ({ expect }) => {
    await using service = await startExploredService('memory');
    await using proxy = await startProxy('nginx', service.port);
    const { target } = service;
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    const options = { baseUrl, target, consume: true, seed: 99, budget: BUDGET, limits: NO_LIMITS };
    expect((await explore(options)).failure).toBe(null);
  });
});
