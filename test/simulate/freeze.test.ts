import { expect, test } from 'vitest';
import { Fleet } from '../../src/simulate/index.ts';
import { grantingHandler, plainServer } from './support/servers.ts';

const FREEZE_AFTER = 400;
const FREEZE_MS = 2000;

test('a real server that freezes for two seconds under 200 people a second shows in the corrected p99 only', async () => {
  let posts = 0;
  let held: (() => void)[] | undefined;
  const grant = grantingHandler();
  const server = await plainServer((request, answer) => {
    posts += 1;
    if (posts === FREEZE_AFTER) {
      held = [];
      setTimeout(() => {
        const waiting = held ?? [];
        held = undefined;
        for (const release of waiting) release();
      }, FREEZE_MS);
    }
    if (held) held.push(() => grant(request, answer));
    else grant(request, answer);
  });
  const { summary } = await Fleet.run(server.url, {
    key: 'k',
    cards: [{ code: 'card', label: 'card' }],
    devices: 4,
    rate: 200,
    arrivals: 'constant',
    people: 1000,
    device: { heartbeatMs: 0 },
  });
  await server.close();

  expect(summary).toMatchObject({ scans: 1000, granted: 1000, timeouts: 0 });
  expect(summary.latencyMs.p99).toBeGreaterThan(FREEZE_MS / 2);
  expect(summary.rawLatencyMs.p99).toBeLessThan(FREEZE_MS / 4);
  expect(summary.rawLatencyMs.max).toBeGreaterThan(FREEZE_MS / 2);
});
