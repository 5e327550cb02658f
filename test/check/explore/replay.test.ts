import { expect, test } from 'vitest';
import { replay } from '../../../src/check/index.ts';
import { minterOf } from '../../mutants/reference/minter.ts';
import { startServer } from '../../mutants/reference/server.ts';

const TICKET = { kind: 'multi', place: 0 };

/** Three requests, and four where the ticket is looked at before. */
const HISTORY = {
  format: 'ticketscan-history',
  version: 1,
  rule: 'status',
  isCertain: false,
  isReproduced: true,
  groups: [
    {
      steps: [
        { endpoint: 'validate', key: 'rest', ticket: TICKET, times: 2 },
        { endpoint: 'consume', key: 'rest', ticket: TICKET, times: 1 },
      ],
      dispatch: 'one-by-one',
      over: 'new',
    },
  ],
};

test.each([0, 1, 2, 3, 4, 5, 6])(
  'a fault of every seventh request comes back, also when %s were sent before',
  async (sent) => {
    let requests = sent;
    const { baseUrl, target, world, close } = await startServer({
      alter: () => ({
        finish(reply, { path }) {
          if (reply.status === 401 || path.includes('/hw/')) return reply;
          requests += 1;
          const fails = requests % 7 === 0 && path === '/scan/consume';
          return fails ? { ...reply, status: 500, body: { message: 'busy' } } : reply;
        },
      }),
    });
    const limits = { rate: 1e6, burst: 1e6 };
    const mint = minterOf(world);
    const options = { baseUrl, target, consume: true, limits, mint, history: HISTORY };
    expect((await replay(options)).verdict).toBe('failed');
    await close();
  },
);
