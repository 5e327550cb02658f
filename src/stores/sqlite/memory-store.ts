import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { readPage } from '../sql/transfer.ts';
import type { StoreInfo } from '../store.ts';
import { type RecordPage, SECTIONS, type Section } from '../transfer/records.ts';
import { SqliteEngine } from './sqlite-engine.ts';

/** How many rows a snapshot reads at once. */
const PAGE = 5000;

/** Tables that a restore leaves alone: who may administer the store, and what they did, is not test data. */
const LEFT_ALONE: readonly string[] = [
  'state',
  'administrative_record',
  'audit_log',
  'write_check',
  'store_format',
];

/** Restores the remembered data. It can be called several times. */
export type Restore = () => Promise<void>;

interface KeptTable {
  readonly name: string;
  readonly rows: readonly (readonly SQLInputValue[])[];
}

/**
 * A store that lasts as long as the process: for trials and tests. It is the database of a `sqlite:` store without a file, in the thread
 * that calls it.
 */
export class MemoryStore extends SqliteEngine {
  #closing: Promise<void> | undefined;
  #snapshot: ReadonlyMap<Section, readonly unknown[]> | undefined;

  constructor() {
    // No pause is needed: no other process waits for its lock.
    super(':memory:', {}, async () => undefined);
  }

  /** Copies the records, because a second connection cannot see a database in memory. */
  override async beginSnapshot(): Promise<void> {
    this.#snapshot = await this.withDeadline(async (sql) => {
      const sections = new Map<Section, readonly unknown[]>();
      for (const section of SECTIONS) {
        const records: unknown[] = [];
        let after: string | null = null;
        do {
          const page: RecordPage = await readPage(sql, section, after, PAGE);
          for (const record of page.records) records.push(record);
          after = page.next;
        } while (after !== null);
        sections.set(section, records);
      }
      return sections;
    });
  }

  override async readSnapshot(
    section: Section,
    after: string | null,
    limit: number,
  ): Promise<RecordPage> {
    const records = this.#snapshot?.get(section);
    if (!records) throw new Error('no snapshot was begun');
    const start = Number(after ?? 0);
    const end = start + limit;
    const next = end < records.length ? String(end) : null;
    return { section, records: records.slice(start, end), next } as RecordPage;
  }

  override async endSnapshot(): Promise<void> {
    this.#snapshot = undefined;
  }

  override async info(): Promise<StoreInfo> {
    return { ...(await super.info()), engine: 'memory', bytes: null, details: {} };
  }

  override async purgeErased(): Promise<boolean> {
    return true;
  }

  override close(): Promise<void> {
    this.#closing ??= super.close();
    return this.#closing;
  }

  /** Remembers the data as it is now. */
  remember(): Promise<Restore> {
    return this.runAlone(() => {
      const kept = this.#tables().map((name) => ({ name, rows: rowsOf(this.#all(name)) }));
      // The uses that the counters do not include are in the log after this entry.
      const state = this.database.prepare('SELECT flushed_to FROM state').get();
      const flushedTo = Number(state?.['flushed_to']);
      return () => this.changeAnything(() => this.#putBack(kept, flushedTo));
    });
  }

  #putBack(kept: readonly KeptTable[], flushedTo: number): void {
    this.database.exec('PRAGMA defer_foreign_keys = ON');
    for (const { name } of kept) this.database.exec(`DELETE FROM ${name}`);
    for (const { name, rows } of kept) {
      const [first] = rows;
      if (!first) continue;
      const insert = this.database.prepare(
        `INSERT INTO ${name} VALUES (${first.map(() => '?').join(', ')})`,
      );
      for (const row of rows) insert.run(...row);
    }
    // The revision changes, because what was cached since is stale.
    this.database
      .prepare('UPDATE state SET revision = revision + 1, flushed_to = ?')
      .run(flushedTo);
  }

  #tables(): string[] {
    const tables = this.database
      .prepare(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .all();
    return tables.map(({ name }) => String(name)).filter((name) => !LEFT_ALONE.includes(name));
  }

  #all(table: string): StatementSync {
    const statement = this.database.prepare(`SELECT * FROM ${table}`);
    statement.setReturnArrays(true);
    return statement;
  }
}

function rowsOf(statement: StatementSync): (readonly SQLInputValue[])[] {
  return statement.all() as unknown as (readonly SQLInputValue[])[];
}
