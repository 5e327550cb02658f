import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresCluster } from './cluster.ts';
import { execute } from './schema.ts';

/** What a primary needs for a standby that it waits for at each commit. */
export const PRIMARY = {
  wal_level: 'replica',
  max_wal_senders: 10,
  wal_keep_size: '512MB',
  hot_standby: 'on',
  synchronous_commit: 'on',
} as const;

/** They belong to the running server, or are made anew. */
const NOT_COPIED = [
  'postmaster.pid',
  'postmaster.opts',
  'server.log',
  'standby.signal',
  'pg_replslot/*',
  'pg_stat_tmp/*',
];

/** A standby of a running primary, made from a copy of its files, streaming. */
export async function startStandby(
  primary: PostgresCluster,
  port?: number,
): Promise<PostgresCluster> {
  const standby = await PostgresCluster.prepare(port);
  const client = new pg.Client(primary.url());
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', fast => true)");
    await copyFiles(primary.folder, standby.folder);
    // The files of the backup must be there before it ends: from here on the log says what changed meanwhile.
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    standby.write('backup_label', rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  standby.write('standby.signal', '');
  standby.configure({
    ...PRIMARY,
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`,
    // When it is promoted it has no standby of its own yet.
    synchronous_standby_names: '',
  });
  // What the old primary was told with ALTER SYSTEM is not meant for this one.
  standby.write('postgresql.auto.conf', '');
  await standby.start();
  return standby;
}

/** From now on a commit on the primary waits until this standby has it; resolves when the standby has caught up. */
export async function waitForStandby(primary: PostgresCluster): Promise<void> {
  const state =
    "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'standby' AND state = 'streaming'";
  while ((await execute(state, primary.url())).rows.length === 0) await sleep(50);
  appendFileSync(
    join(primary.folder, 'postgresql.auto.conf'),
    "synchronous_standby_names = 'standby'\n",
  );
  await primary.reload();
  while ((await execute(state, primary.url())).rows[0]?.sync_state !== 'sync') await sleep(20);
}

/** A file may change or vanish while it is copied; the log that is replayed puts that right. */
async function copyFiles(from: string, to: string): Promise<void> {
  const excluded = NOT_COPIED.map((name) => `--exclude=./${name}`);
  const quiet = ['--warning=no-file-changed', '--warning=no-file-removed', '--ignore-failed-read'];
  const pack = ['-C', from, ...quiet, ...excluded, '-cf', '-', '.'];
  const copy = spawn('tar', pack, { stdio: ['ignore', 'pipe', 'ignore'] });
  const unpack = spawn('tar', ['-C', to, '-xpf', '-'], {
    stdio: [copy.stdout, 'ignore', 'inherit'],
  });
  const [code] = (await once(unpack, 'close')) as [number];
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}
