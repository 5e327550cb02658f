import type { Socket } from 'node:net';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { inOneWrite } from '../../../src/stores/postgres/statement-values.ts';
import { postgresUrl } from '../../support/postgres/schema.ts';

test('several statements leave in one write, and are answered in their order', async () => {
  const client = new pg.Client({ connectionString: await postgresUrl(), pipeline: true });
  await client.connect();
  const socket = (client as unknown as { connection: { stream: Socket } }).connection.stream;
  const writes = [vi.spyOn(socket, '_write'), vi.spyOn(socket, '_writev' as '_write')];
  const asked = inOneWrite(client, () =>
    [1, 2, 3].map((number) => client.query({ name: `n${number}`, text: `SELECT ${number} AS n` })),
  );
  const results = await Promise.all(asked);
  const calls = writes.flatMap((write) => write.mock.calls);
  await client.end();

  expect(results.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  expect(calls).toHaveLength(1);
});

test('what throws while it asks does not hold back later statements', async () => {
  const client = new pg.Client({ connectionString: await postgresUrl(), pipeline: true });
  await client.connect();
  const failing = () =>
    inOneWrite(client, () => {
      throw new Error('before it was sent');
    });

  expect(failing).toThrow('before it was sent');
  expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  await client.end();
});
