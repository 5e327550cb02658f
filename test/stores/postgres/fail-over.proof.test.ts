import { expect, test } from 'vitest';
import { proveFailOver } from '../../../prove/postgres/fail-over.ts';
import { newSeed } from '../../../prove/world/random.ts';

const seed = Number(process.env['TICKETSCAN_TEST_SEED'] ?? newSeed());
const AWAY_MS_MAX = 5000;

test('ten fail-overs under load, with all that can be lost beside: no use twice, none lost, back in seconds', {
  timeout: 180_000,
}, async () => {
  console.log(`fail-over: seed ${seed}`);
  const report = await proveFailOver({ rounds: 10, clients: 12, seed });
  const { problems, backAfterMs, unanswered, granted, ...figures } = report;
  console.log(JSON.stringify({ ...figures, granted, backAfterMs: backAfterMs.map(Math.round) }));

  expect(problems).toEqual([]);
  expect(unanswered).toBe(0);
  expect(granted).toBeGreaterThan(500);
  expect(Math.max(...backAfterMs)).toBeLessThan(AWAY_MS_MAX);
});
