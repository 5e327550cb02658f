import { PostgresCluster } from './cluster.ts';

/**
 * One server for all tests of a run, unless `TICKETSCAN_TEST_POSTGRES` names one. It need not survive a power cut, only
 * the tests: it does not wait for the disk.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TICKETSCAN_TEST_POSTGRES'] !== undefined) return undefined;
  const cluster = await PostgresCluster.start({ fsync: 'off', max_wal_size: '256MB' });
  process.env['TICKETSCAN_TEST_POSTGRES'] = cluster.url();
  process.env['TICKETSCAN_TEST_POSTGRES_IS_OURS'] = 'yes';
  return () => cluster[Symbol.asyncDispose]();
}
