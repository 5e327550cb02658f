import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The URL of the server that the tests use. */
export function postgresUrl(): string {
  const url = process.env['TICKETSCAN_TEST_POSTGRES'];
  if (url === undefined)
    throw new Error('the test server was not started; run the tests with vitest');
  return url;
}

export interface PostgresSchema {
  readonly name: string;
  /** The address of a store in it. */
  readonly url: string;
  readonly remove: () => Promise<void>;
}

/** An empty schema of its own on the test server. */
export async function postgresSchema(): Promise<PostgresSchema> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(`CREATE SCHEMA ${name}`);
  const url = new URL(postgresUrl());
  url.searchParams.set('options', `-c search_path=${name}`);
  const remove = async () => {
    await execute(`DROP SCHEMA ${name} CASCADE`);
  };
  return { name, url: url.href, remove };
}

/** Runs statements as somebody who looks at the database from outside. */
export async function execute(sql: string, url = postgresUrl()): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
