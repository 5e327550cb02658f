import { describe, test } from 'vitest';
import { explore } from '../../../src/check/index.ts';
import { startServer } from '../reference/server.ts';
import { VARIANTS, type Variant } from '../variants.ts';
import { minterOf } from './minter.ts';

const FAST = { rate: 1e6, burst: 1e6 };
/** Enough for each kind of request many times; slow servers get fewer. */
const BUDGET = 200;
const BUDGET_OF_SLOW = 20;

describe.concurrent('no false alarm for a server with', { timeout: 120_000 }, () => {
  for (const [seed, variant] of VARIANTS.entries()) {
    test(variant.name, async ({ expect }) => {
      expect((await exploration(variant, seed)).failure).toBe(null);
    });
  }
});

async function exploration(variant: Variant, seed: number) {
  const server = await startServer(variant);
  try {
    const { baseUrl, target, world } = server;
    const budget = variant.name.startsWith('slow') ? BUDGET_OF_SLOW : BUDGET;
    const mint = minterOf(world);
    return await explore({ baseUrl, target, consume: true, limits: FAST, mint, seed, budget });
  } finally {
    await server.close();
  }
}
