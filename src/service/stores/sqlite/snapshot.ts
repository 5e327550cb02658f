import { DatabaseSync } from 'node:sqlite';
import { readPage } from '../sql/snapshot.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** The state of a database at one moment, read over a connection of its own while others write. */
export class SqliteSnapshot {
  readonly #database: DatabaseSync;

  constructor(path: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    // A read transaction begins with its first read.
    this.#database.exec('BEGIN');
    this.#database.prepare('SELECT revision FROM state').get();
  }

  page(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    return readPage(new SqliteConnection(this.#database), section, after, limit);
  }

  close(): void {
    this.#database.close();
  }
}
