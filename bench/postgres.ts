import { median } from './lib/load.ts';
import { measurePgbench, storeAlone, withCluster } from './lib/postgres-load.ts';

const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 4);
const CALLERS = 64;

await withCluster(async (cluster) => {
  const store = await storeAlone(cluster, 10_000);
  const pgbench = await measurePgbench(cluster, 10_000);
  await store.run(CALLERS, 1);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const single = await pgbench(CALLERS, seconds);
    const batched = await store.run(CALLERS, seconds);
    ratios.push(batched / single);
    console.log(
      `round ${round}: pgbench ${single.toFixed(0)}/s, store alone ${batched.toFixed(0)}/s`,
    );
  }
  console.log(
    `store alone / pgbench, ${CALLERS} callers: ${median(ratios).toFixed(2)} (median of ${rounds})`,
  );
  await store.close();
});
