import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { proveFailOver } from '../../support/postgres/fail-over.ts';

const SEED = Number(process.env['TICKETSCAN_TEST_SEED'] ?? randomInt(2 ** 31));

/** scripts/prove-fail-over.ts does it as often as one likes. */
test('the primary is killed under load and its synchronous standby promoted: no use twice, none lost', {
  timeout: 90_000,
}, async () => {
  console.log(`seed ${SEED}`);
  const report = await proveFailOver({ rounds: 1, clients: 32, seed: SEED });
  console.log(`back ${report.backAfterMs.map(Math.round).join(', ')} ms after the promotion`);
  expect(report.problems).toEqual([]);
  expect(report.admitted).toBeGreaterThan(50);
});
