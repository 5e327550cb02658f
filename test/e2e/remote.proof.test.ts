import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFolder, consume } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';
import { PASSWORD, postAdmin, RemoteFolder, signIn } from '../support/remote.ts';

let folder: RemoteFolder;
beforeAll(async () => {
  folder = await RemoteFolder.start();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Runs a command on the store and through the server, and expects the same. */
async function same(...args: string[]): Promise<string> {
  const onStore = await folder.cli.run(args);
  expect(await folder.cli.run(args, folder.environment), args.join(' ')).toEqual(onStore);
  expect(onStore.code, args.join(' ')).toBe(0);
  return onStore.out;
}

test('the log is filtered, and refused requests are shown, on the store and through a server', async () => {
  const { environment, server } = folder;
  await same('log', '--denied', '--limit', '3', '--json');
  await same('log', '--outcome', 'admitted', '--since', '1h', '--limit', '2', '--json');
  await fetch(`${server.url}/scan/hw/consume?key=${folder.target.keys['hardwareDisabled']}`, {
    method: 'POST',
    body: '{"Card":"eA==","Serial":"TOR1","Reader":0}',
  });
  await expect
    .poll(async () => (await folder.cli.run(['log', '--refused'])).out, PATIENTLY)
    .toMatch(/disabled key +tscn_hw_\w{4}… Old gate \(disabled\) \(key_\w+\) +TOR1/);
  const refused = await folder.cli.run(['log', '--refused', '--json'], environment);
  expect(JSON.parse(refused.out)).toMatchObject({ reason: 'disabled_key', serial: 'TOR1' });
});

test('what cannot work says what to do, with the exit code of its kind', async () => {
  const { environment, server, token, cli } = folder;
  const store = `sqlite:${join(cli.path, 'ticketscan.db')}`;
  const nobodys = `tkt_summer_${'0'.repeat(20)}`;
  const list = ['keys', 'list'];
  const cases: [args: string[], code: number, message: RegExp, changes?: object][] = [
    [list, 2, /refuses the token/, { TICKETSCAN_TOKEN: 'tscn_pat_wrong' }],
    [list, 2, /--token env:NAME/, { TICKETSCAN_TOKEN: '' }],
    [[...list, '--url', 'http://127.0.0.1:9'], 3, /cannot be reached/],
    [[...list, '--url', 'http://scan.example.org'], 2, /Use https/],
    [[...list, '--url', `${server.url}/nowhere`], 2, /Not Found/],
    [[...list, '--url', server.url, '--store', store], 2, /cannot be combined/],
    [[...list, '--store', store], 0, /^$/],
    [[...list, '--store', store, '--token', 'env:PW'], 2, /name the server with --url/],
    [['events', 'create', '--name', 'Summer pool'], 2, /already exists/],
    [['tickets', 'show', 'tkt_none'], 2, /is not a ticket code and not a whole ticket id/],
    [['tickets', 'show', nobodys], 2, new RegExp(`Unknown ticket ${nobodys}\\.$`, 'm')],
    [['tickets', 'cancel', nobodys], 2, new RegExp(`Unknown ticket ${nobodys}\\.`)],
    [['organisations', 'create', '--name', 'X'], 2, /Use --store/],
    [['organisations', 'edit', '--rate', '9'], 2, /the operator of the service.* Use --store/],
  ];
  for (const [args, exitCode, message, changes] of cases) {
    const { code, err } = await cli.run(args, { ...environment, ...changes });
    expect(err, args.join(' ')).toMatch(message);
    expect(code, err).toBe(exitCode);
    expect(err).not.toContain(token);
  }
});

test('the command line does through a server what it does on its store, with the same output', async () => {
  const { environment, server } = folder;
  // The store also holds a neighbour of the sample organisation, whom the account does not see.
  const [{ id: own }] = JSON.parse(
    (await folder.cli.run(['organisations', 'list', '--json'], environment)).out,
  );
  const sameOwn = async (what: string) => {
    const onStore = JSON.parse((await folder.cli.run([what, 'list', '--json'])).out);
    const atServer = JSON.parse((await folder.cli.run([what, 'list', '--json'], environment)).out);
    const isOwn = (one: Record<string, string>) => (one['organisationId'] ?? one['id']) === own;
    expect(atServer, what).toEqual(onStore.filter(isOwn));
    expect(atServer.length, what).toBeGreaterThan(0);
  };
  for (const what of ['keys', 'events', 'organisations']) await sameOwn(what);
  await same('tickets', 'list', '--event', 'Summer pool', '--state', 'exhausted');
  await same('tickets', 'export', '--event', 'Summer pool', '--format', 'jsonl');
  const used = await same(
    'tickets',
    'list',
    '--event',
    'Summer pool',
    '--state',
    'exhausted',
    '--json',
  );
  await same('log', '--limit', '2', '--ticket', JSON.parse(used)[0].ticketId, '--json');

  const remote = async (...args: string[]) => {
    const { code, out, err } = await folder.cli.run([...args, '--json'], environment);
    expect(code, err).toBe(0);
    return JSON.parse(out);
  };
  const event = await remote('events', 'create', '--name', 'Remote pool');
  const key = await remote(
    'keys',
    'create',
    '--name',
    'Gate',
    '--type',
    'hardware',
    '--events',
    event.id,
  );
  expect(key.cardUrl).toBe(`${server.url}/scan/hw/consume?key=${key.key}`);
  const renamed = await remote('events', 'edit', 'Remote pool', '--name', 'Remote lake');
  expect(renamed).toEqual({ ...event, name: 'Remote lake' });
  await sameOwn('events');
  const list = join(folder.cli.path, 'list.csv');
  const id = `tkt_${event.id}_${'0'.repeat(20)}`;
  writeFileSync(list, `ticketId,type,lastName\n${id},single,Ünal\n`);
  expect(await remote('tickets', 'import', list)).toMatchObject({ imported: 1 });
  expect(await remote('tickets', 'cancel', id)).toMatchObject([{ state: 'cancelled' }]);
  expect(await remote('tickets', 'reinstate', id)).toMatchObject([{ state: 'valid' }]);
  await same('tickets', 'show', id);
  await remote('keys', 'edit', 'Box office', '--name', 'Till');
  await remote('keys', 'disable', 'Till');
  expect(await consume(server.url, folder.restKey, 'any')).toEqual({ message: 'Forbidden' });
});

test('access tokens are listed and revoked on the store and through a server; a new password ends them', async () => {
  const { environment, token, server, cli } = folder;
  const cookie = await signIn(server.url);
  await postAdmin(server.url, '/access-tokens', { name: 'job', role: 'viewer' }, cookie);
  const list = async (env: Record<string, string>) => {
    const { code, out, err } = await cli.run(['accounts', 'tokens', 'list', '--json'], env);
    expect(code, err).toBe(0);
    expect(out).not.toContain(token);
    return JSON.parse(out);
  };

  const listed = await list(environment);
  const names = listed.map(({ name }: { name: string }) => name).sort();
  expect(names).toEqual(['cli', 'job']);
  expect(listed[0]).toMatchObject({ account: { name: 'ada' } });
  expect(await list({})).toEqual(listed);
  const table = await cli.run(['accounts', 'tokens', 'list', '--account', 'ADA']);
  expect(table.out).toContain(listed[0].id);
  const revoke = ['accounts', 'tokens', 'revoke'];
  expect((await cli.run([...revoke, 'pat_nosuch'])).code).toBe(2);
  expect((await cli.run([...revoke, 'job'], environment)).code).toBe(0);
  expect(await list({})).toMatchObject([{ name: 'cli', role: 'owner' }]);

  const change = ['accounts', 'password', 'ada', '--password', 'env:PW'];
  const changed = await cli.run(change, { PW: 'another password 2' });
  expect(changed.out).toContain('access tokens have ended');
  const refused = await cli.run(['accounts', 'tokens', 'list'], environment);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('refuses the token')]);
  expect(await list({})).toEqual([]);
});

test('the first start on a store without accounts shows once how to sign in', async () => {
  await using folder = new CliFolder();
  const first = await folder.serve();
  await expect.poll(() => first.messages(), PATIENTLY).toContain('name: admin');
  const password = /password: (\w+)/.exec(first.messages())?.[1];

  const signIn = await fetch(`${first.url}/admin/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'admin', password }),
  });
  expect(signIn.status).toBe(201);
  await first.stop();

  const second = await folder.serve();
  const { out } = await folder.run(['accounts', 'list', '--json']);
  expect(JSON.parse(out)).toMatchObject([{ name: 'admin', role: 'owner' }]);
  expect(out).not.toContain('scrypt');
  await second.stop();
  expect(second.messages()).not.toContain('password');
});

test('a password comes from a safe place or not at all', async () => {
  await using folder = new CliFolder();
  const create = ['accounts', 'create', '--name', 'ada', '--role', 'owner'];

  const typed = await folder.run([...create, '--password', PASSWORD]);
  const asked = await folder.run(create);
  const short = await folder.run([...create, '--password', 'env:PW'], { PW: 'short' });
  const good = await folder.run([...create, '--password', 'env:PW'], { PW: PASSWORD });
  const again = await folder.run([...create, '--password', 'env:PW'], { PW: PASSWORD });

  expect([typed, asked, short, good, again].map(({ code }) => code)).toEqual([2, 2, 2, 0, 2]);
  expect(typed.err).toContain('env:NAME or file:PATH');
  expect(asked.err).toContain('No terminal');
  expect(short.err).toContain('12 to 200 characters');
  expect(again.err).toContain('is taken');
  expect(typed.err + good.out).not.toContain(PASSWORD);
});

test('the command line finds an account as the sign-in does, however its name is spelt', async () => {
  await using folder = new CliFolder();
  const create = ['accounts', 'create', '--name', 'Ada', '--role', 'owner'];
  await folder.run([...create, '--password', 'env:PW'], { PW: PASSWORD });

  const found = await folder.run(['accounts', 'edit', 'ADA', '--role', 'owner']);
  const other = await folder.run(['accounts', 'edit', 'Adam', '--role', 'owner']);

  expect(found).toMatchObject({
    code: 0,
    out: expect.stringContaining('Ada is owner, for all events.'),
  });
  expect(other).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "Ada"?') });
});
