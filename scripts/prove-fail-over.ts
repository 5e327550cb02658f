import { randomInt } from 'node:crypto';
import { proveFailOver } from '../test/support/postgres/fail-over.ts';

/**
 * Kills the primary under load and promotes its synchronous standby, again and again; then audits the clients' history.
 * Arguments: rounds (10), clients (64), seed. Ends with 1 when a use was given twice or lost, or the service was away for
 * longer than five seconds after a promotion. The program must be built.
 */
const rounds = Number(process.argv[2] ?? 10);
const clients = Number(process.argv[3] ?? 64);
const seed = Number(process.argv[4] ?? randomInt(2 ** 31));
const AWAY_MS_MAX = 5000;

console.log(`seed ${seed}`);
const report = await proveFailOver({
  rounds,
  clients,
  seed,
  onRound: (round, ms) =>
    console.log(`fail-over ${round}: admitted again ${ms.toFixed(0)} ms after the promotion`),
});
const { requests, admitted, unknown, problems } = report;
console.log(
  `${requests} requests: ${admitted} admitted, ${unknown} unknown; contradictions: ${problems.length}`,
);
for (const problem of problems) console.log(`  ${problem}`);
const longest = Math.max(...report.backAfterMs);
console.log(`longest time without service after a promotion: ${longest.toFixed(0)} ms`);
process.exitCode = problems.length > 0 || longest > AWAY_MS_MAX ? 1 : 0;
