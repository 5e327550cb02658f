import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { askTestRunner } from '../on-demand/ask.ts';

/** Names the server of whoever runs the tests, instead of one that the test runner starts. */
const GIVEN = 'TICKETSCAN_TEST_POSTGRES';

/** Whether the tests may leave something on the server, since it ends with them. */
export const isOurServer = (): boolean => process.env[GIVEN] === undefined;

/** The URL of the server that the tests use; the first call of a run starts it. Undefined outside of the test runner. */
export async function postgresIfAny(): Promise<string | undefined> {
  return process.env[GIVEN] ?? (await askTestRunner('postgres'));
}

/** The URL of the server that the tests use. */
export async function postgresUrl(): Promise<string> {
  const url = await postgresIfAny();
  if (url === undefined)
    throw new Error('no test runner starts a server; run the tests with vitest');
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
  const url = new URL(await postgresUrl());
  url.searchParams.set('options', `-c search_path=${name}`);
  const remove = async () => {
    await execute(`DROP SCHEMA ${name} CASCADE`);
  };
  return { name, url: url.href, remove };
}

/** Runs statements as somebody who looks at the database from outside. */
export async function execute(sql: string, url?: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url ?? (await postgresUrl()));
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
