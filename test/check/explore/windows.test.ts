import { expect, onTestFinished, test } from 'vitest';
import { replay } from '../../../src/check/index.ts';
import { startServer } from '../../mutants/reference/server.ts';
import { VARIANTS } from '../../mutants/variants.ts';

test('what an exhausted ticket shows as its window is held against nothing', async () => {
  const variant = VARIANTS.find(({ name }) => name === 'exhausted tickets show their window too');
  const server = await startServer(variant);
  onTestFinished(server.close);
  const ticket = { kind: 'windowed', place: 0 };
  const step = { endpoint: 'consume', key: 'rest', ticket, times: 2 };
  const history = {
    format: 'ticketscan-history',
    version: 1,
    isCertain: true,
    groups: [{ steps: [step], dispatch: 'one-by-one', over: 'new' }],
  };
  const { verdict } = await replay({ ...server, consume: true, history });
  expect(verdict).toBe('fixed');
});
