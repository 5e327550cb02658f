import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { execute } from '../../test/support/postgres/schema.ts';
import { Line } from './proxy.ts';

/**
 * Each server waits for its standby at every commit, also one that was just promoted. No file is synced: servers are killed
 * here, machines are not.
 */
const SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: 10,
  wal_keep_size: '64MB',
  max_wal_size: '64MB',
  wal_retrieve_retry_interval: '50ms',
  hot_standby: 'on',
  shared_buffers: '32MB',
  synchronous_commit: 'on',
  synchronous_standby_names: 'standby',
  fsync: 'off',
} as const;

const WAIT_MS = 30_000;

/** One of the hosts that instances know: the line to it stays, the server behind it may be another one. */
interface Host {
  readonly line: Line;
  server: PostgresCluster;
}

/**
 * A primary, its synchronous standby, and a spare one that follows the standby: when that is promoted, the spare is its standby at
 * once, and what was lost is made anew as the next spare.
 */
export class DatabaseServers implements AsyncDisposable {
  readonly #hosts: Host[] = [];
  readonly #servers = new Set<PostgresCluster>();

  /** @param parent the folder in which the first primary has its own */
  static async start(parent?: string): Promise<DatabaseServers> {
    const servers = new DatabaseServers();
    // Nobody would answer the first statements while there is no standby.
    const alone = { ...SETTINGS, synchronous_standby_names: '' };
    const primary = await PostgresCluster.start(alone, parent === undefined ? {} : { parent });
    await servers.#add(primary);
    const standby = await servers.#copyOf(primary, primary);
    await servers.#add(standby);
    await servers.#add(await servers.#copyOf(primary, standby));
    await waitForStandby(primary, 'streaming');
    primary.configure(SETTINGS);
    await primary.reload();
    await waitForStandby(primary, 'sync');
    return servers;
  }

  get primary(): PostgresCluster {
    return this.#at(0).server;
  }

  get standby(): PostgresCluster {
    return this.#at(1).server;
  }

  /** The address for instances: all hosts, in an order that does not say which is the primary. */
  get url(): string {
    const ports = this.#hosts.map(({ line }) => line.port).sort((a, b) => a - b);
    return `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
  }

  /** Makes the standby the primary. @returns the server that was it, as it is */
  async promote(): Promise<PostgresCluster> {
    await this.standby.promote();
    const [lost] = this.#hosts.splice(0, 1);
    if (!lost) throw new Error('there is no primary');
    this.#hosts.push(lost);
    return lost.server;
  }

  /** Makes a new spare on the host of the server that was lost. */
  async replace(lost: PostgresCluster): Promise<void> {
    const host = this.#hosts.find(({ server }) => server === lost);
    if (!host || host !== this.#hosts.at(-1)) throw new Error('this server is not the lost one');
    await lost.kill();
    lost.remove();
    this.#servers.delete(lost);
    host.server = await this.#copyOf(this.primary, this.standby, lost.port);
  }

  /** Resolves when the primary has its synchronous standby. */
  async settled(): Promise<void> {
    await waitForStandby(this.primary, 'sync');
  }

  async #add(server: PostgresCluster): Promise<void> {
    this.#servers.add(server);
    const host: Host = { server, line: await Line.start(() => host.server.port) };
    this.#hosts.push(host);
  }

  #at(index: number): Host {
    const host = this.#hosts[index];
    if (!host) throw new Error(`there is no server ${index}`);
    return host;
  }

  /** A standby from a copy of the primary's files, which follows another server. */
  async #copyOf(
    primary: PostgresCluster,
    followed: PostgresCluster,
    port?: number,
  ): Promise<PostgresCluster> {
    const standby = await PostgresCluster.prepare(port === undefined ? {} : { port });
    this.#servers.add(standby);
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
      ...SETTINGS,
      primary_conninfo: `host=127.0.0.1 port=${followed.port} user=postgres application_name=standby`,
    });
    await standby.start();
    return standby;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { line } of this.#hosts) await line[Symbol.asyncDispose]();
    for (const server of this.#servers) {
      await server.kill();
      server.remove();
    }
  }
}

async function waitForStandby(
  primary: PostgresCluster,
  wanted: 'streaming' | 'sync',
): Promise<void> {
  const state = 'SELECT state, sync_state FROM pg_stat_replication';
  const until = performance.now() + WAIT_MS;
  while (performance.now() < until) {
    const { rows } = await execute(state, primary.url());
    if (rows.some((row) => row.state === wanted || row.sync_state === wanted)) return;
    await sleep(20);
  }
  throw new Error(`the primary has no standby that is "${wanted}" after ${WAIT_MS} ms`);
}

/** They belong to the running server, or are made anew. */
const NOT_COPIED = [
  'postmaster.pid',
  'postmaster.opts',
  'server.log',
  'filler',
  'standby.signal',
  'pg_replslot/*',
  'pg_stat_tmp/*',
  'pg_wal/*',
];

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
