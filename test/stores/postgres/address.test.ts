import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeStoreUrl, openStore } from '../../../src/stores/open-store.ts';
import { postgresHosts } from '../../../src/stores/postgres/address.ts';
import { explain } from '../../../src/stores/postgres/failures.ts';
import { readOptions } from '../../../src/stores/postgres/pooler.ts';
import { SERVER_USER } from '../../support/postgres/binaries.ts';
import { PostgresCluster } from '../../support/postgres/cluster.ts';

/** Where the driver goes with the URL of a server. */
function placeOf(url: string) {
  const { host, port, user, database } = new pg.Client(url);
  return { host, port, user, database };
}

test.each([
  ['postgres:///tickets?host=/run/postgresql', '/run/postgresql', 5432, '/run/postgresql'],
  ['postgres://gate@/tickets?host=/run/pg&port=5433', '/run/pg', 5433, '/run/pg:5433'],
  ['postgres://gate@%2Frun%2Fpg:5434/tickets', '/run/pg', 5434, '/run/pg:5434'],
  ['postgres:///tickets?host=/run/pg&sslmode=require', '/run/pg', 5432, '/run/pg'],
  ['postgres://gate@other/tickets?host=db.example', 'db.example', 5432, 'db.example:5432'],
])('%s leads to %s', (url, host, port, name) => {
  const [server] = postgresHosts(url);
  expect(server).toMatchObject({ name });
  expect(placeOf(server?.url ?? '')).toMatchObject({ host, port, database: 'tickets' });
  expect(new pg.Client(server?.url).ssl).toBe(false);
});

test('several servers may be named in the query, each with its port', () => {
  const hosts = postgresHosts('postgres://gate@/tickets?host=/run/pg,two&port=5433,5434');
  expect(hosts.map(({ name }) => name)).toEqual(['/run/pg:5433', 'two:5434']);
  expect(hosts.map(({ url }) => placeOf(url).port)).toEqual([5433, 5434]);
});

test('a server is reached through its socket, and shown by it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (SERVER_USER) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid);
  await using cluster = await PostgresCluster.start({
    fsync: 'off',
    unix_socket_directories: folder,
  });
  const url = `postgres://postgres@/postgres?host=${folder}&port=${cluster.port}`;
  const store = await openStore(url);
  expect((await store.info()).details).toMatchObject({ servers: `${folder}:${cluster.port}` });
  await store.close();
  expect(describeStoreUrl(url)).toBe(`postgres:///postgres?host=${folder}&port=${cluster.port}`);
});

test.each(['allow', 'prefer', 'require', 'verify-ca'])(
  'sslmode=%s checks the certificate, and the driver warns of nothing',
  (mode) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const [server] = postgresHosts(`postgres://gate@one/tickets?sslmode=${mode}`);
    expect(server?.raisedMode).toBe(mode);
    expect(new pg.Client(server?.url).ssl).toEqual({});
    expect(warned).not.toHaveBeenCalled();
  },
);

test.each(['disable', 'no-verify', 'verify-full', 'require&uselibpqcompat=true'])(
  'sslmode=%s means what it says',
  (mode) => {
    const [server] = postgresHosts(`postgres://gate@one/tickets?sslmode=${mode}`);
    expect(server).not.toHaveProperty('raisedMode');
    expect(server?.url).toContain(`sslmode=${mode.replace(/&.*/, '')}`);
  },
);

test.each([
  [
    Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    /cannot be trusted \(self-signed certificate\).*sslrootcert=FILE/,
  ],
  [
    Object.assign(new Error('IP: 10.0.0.1'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    /cannot be trusted/,
  ],
  [new Error('The server does not support SSL connections'), /has no TLS.*sslmode=disable/],
  [
    Object.assign(new Error('query_wait_timeout'), { code: '08P01', severity: 'FATAL' }),
    /a pooler in front without a connection left.*default_pool_size/,
  ],
  [
    Object.assign(new Error('no more connections allowed (max_client_conn)'), {
      code: '08P01',
      severity: 'FATAL',
    }),
    /without a connection left.*max_client_conn/,
  ],
  [
    Object.assign(new Error('unsupported startup parameter: options'), {
      code: '08P01',
      severity: 'FATAL',
    }),
    /refuses a parameter of the URL.*-c NAME=VALUE/,
  ],
  [new Error('Query read timeout'), /a pooler in front may have no connection left/],
  [
    Object.assign(new Error("open '/ca.pem'"), { code: 'ENOENT', syscall: 'open' }),
    /a file of the URL cannot be read.*\/ca\.pem/,
  ],
])('%s is said with what to do', (error, words) => {
  expect(explain(error, 'db:5432')).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(words),
  });
});

test.each([
  ['-c search_path=gates', { search_path: 'gates' }, ''],
  ['-csearch_path=a,b --statement-timeout=5s', { search_path: 'a,b', statement_timeout: '5s' }, ''],
  ['-c application.note=two\\ words', { 'application.note': 'two words' }, ''],
  // A host that finds the database by it.
  ['endpoint=ep-1 -c x.y=1', { 'x.y': '1' }, 'endpoint=ep-1'],
  ['-B 100', {}, '-B 100'],
])('the options "%s" are set after connecting, as far as they can be', (text, settings, others) => {
  expect(readOptions(text)).toEqual({ settings, others });
});
