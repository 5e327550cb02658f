import pg from 'pg';
import { PostgresCluster } from '../../test/support/postgres/cluster.ts';

/**
 * A server that waits for the disk at each commit, as in production, of the system's packages where it has them; room for its
 * log, so that both sides pay the same for it.
 */
export async function withCluster(
  work: (cluster: PostgresCluster) => Promise<void>,
): Promise<void> {
  process.env['TICKETSCAN_SYSTEM_POSTGRES'] ??= 'yes';
  await using cluster = await PostgresCluster.start({
    shared_buffers: '1GB',
    max_wal_size: '16GB',
    checkpoint_timeout: '30min',
  });
  await work(cluster);
}

/** An empty database of its own on the server. @returns its URL */
export async function newDatabase(cluster: PostgresCluster, name: string): Promise<string> {
  const client = new pg.Client(cluster.url());
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return cluster.url(name);
}

/** What the server does in its own time after many rows came, done now, so that it is not in the way of what is measured. */
export async function settle(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('VACUUM (ANALYZE) ticket');
  await client.query('CHECKPOINT');
  await client.end();
}
