import type { PoolClient } from 'pg';
import { TicketscanError } from '../../../core/errors.ts';
import { readPage } from '../sql/snapshot.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import type { Connections } from './connections.ts';
import { PostgresConnection } from './postgres-connection.ts';

/** The state of the database at one moment, read in a transaction that sees nothing later while others write. */
export class PostgresSnapshot {
  readonly #connections: Connections;
  #client: PoolClient | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async begin(): Promise<void> {
    await this.end();
    const client = await this.#connections.take();
    this.#client = client;
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // What it sees is fixed by its first read.
    await client.query('SELECT revision FROM state');
  }

  async page(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    if (!this.#client)
      throw new TicketscanError('store_unavailable', 'No snapshot of the store has been begun.');
    return readPage(new PostgresConnection(this.#client), section, after, limit);
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // Its transaction ends with it.
    client?.release(true);
  }
}
