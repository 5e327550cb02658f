import { expect, test } from 'vitest';
import { proveFailOver } from '../../../prove/postgres/fail-over.ts';
import { SEED } from '../../support/seed.ts';

test('ten fail-overs under load, with all that can be lost beside: no use twice, none lost, and each ends', async () => {
  console.log(`fail-over: seed ${SEED}`);
  const report = await proveFailOver({ rounds: 10, clients: 12, seed: SEED });
  const { problems, backAfterMs, unanswered, granted, ...figures } = report;
  console.log(JSON.stringify({ ...figures, granted, backAfterMs: backAfterMs.map(Math.round) }));

  expect(problems).toEqual([]);
  expect(unanswered).toBe(0);
  expect(granted).toBeGreaterThan(500);
});
