import { PostgresCluster } from './cluster.ts';

/** One PostgreSQL server for all tests of a run. It need not survive a power cut, only the tests: it does not wait for the disk. */
export class SharedPostgres {
  #starting: Promise<PostgresCluster> | undefined;

  /** The URL of the server, which the first call starts. */
  async url(): Promise<string> {
    this.#starting ??= PostgresCluster.start({ fsync: 'off', max_wal_size: '256MB' });
    return (await this.#starting).url();
  }

  /** Ends the server and removes its folder, if it was started. */
  async stop(): Promise<void> {
    const cluster = await this.#starting?.catch(() => undefined);
    await cluster?.[Symbol.asyncDispose]();
  }
}
