import { describe, expect, onTestFinished, test } from 'vitest';
import { explore, replay } from '../../../src/check/index.ts';
import { minterOf } from '../../mutants/reference/minter.ts';
import { startServer } from '../../mutants/reference/server.ts';
import { RIGHT_CONNECTIONS } from './right-connections.ts';

const limits = { rate: 1e6, burst: 1e6 };
const BUDGET = 600;

describe.concurrent('no false alarm for a server that', () => {
  for (const { name, make } of RIGHT_CONNECTIONS)
    for (const seed of [1, 2])
      test(`${name}, seed ${seed}`, async ({ expect }) => {
        const { baseUrl, target, world, close } = await startServer(make());
        try {
          const options = { baseUrl, target, limits, seed, budget: BUDGET, consume: true };
          const { failure } = await explore({ ...options, mint: minterOf(world) });
          expect(failure).toBe(null);
        } finally {
          await close();
        }
      });
});

test('a connection on which requests came too early may be closed without any answer', async () => {
  const closing = RIGHT_CONNECTIONS.find(({ name }) => name.includes('before the answer'));
  const server = await startServer(closing?.make());
  onTestFinished(server.close);
  const ticket = { kind: 'multi', place: 0 };
  const step = { endpoint: 'validate', key: 'rest', ticket, times: 4 };
  const history = {
    format: 'ticketscan-history',
    version: 1,
    groups: [{ steps: [step], dispatch: 'pipelined', over: 'new' }],
  };
  const { baseUrl, target } = server;
  const { verdict } = await replay({ baseUrl, target, limits, history });
  expect(verdict).toBe('fixed');
});
