import { proveInThreads } from '../test/mint/support/prove-in-threads.ts';
import { hasZbar } from '../test/mint/support/zbar.ts';

/**
 * The proof of the tests, with as many random tickets and the seed that one wants:
 * `npm run prove:codes -- [tickets] [seed]`
 */
const count = Number(process.argv[2] ?? 10_000);
const seed = process.argv[3] ?? String(Date.now());
console.log(`${count} tickets, seed ${seed}, zbarimg ${hasZbar ? 'is' : 'is NOT'} installed`);
const start = performance.now();
const seconds = () => Math.round((performance.now() - start) / 1000);
const problems = await proveInThreads(count, seed, (tickets) => {
  console.log(`${tickets} of ${count}, ${seconds()} s`);
});
for (const problem of problems) console.error(problem);
console.log(
  `${problems.length === 0 ? 'Every picture reads as its code' : 'FAILED'}; ${seconds()} s`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
