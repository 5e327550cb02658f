import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder, consume } from '../support/cli.ts';
import { PASSWORD, RemoteFolder } from '../support/remote.ts';

/** Until it happens, however slow the machine; the test's own time limit ends it. */
const PATIENTLY = { timeout: 30_000 };

test('access tokens are listed and revoked on the store and through a server', async () => {
  await using folder = await RemoteFolder.start();
  const { environment, token, cli } = folder;
  const list = async (env: Record<string, string>) => {
    const { code, out, err } = await cli.run(['accounts', 'tokens', 'list', '--json'], env);
    expect(code, err).toBe(0);
    expect(out).not.toContain(token);
    return JSON.parse(out);
  };

  const [listed] = await list(environment);
  expect(listed).toMatchObject({ name: 'cli', role: 'owner', account: { name: 'ada' } });
  expect(await list({})).toEqual([listed]);
  const table = await cli.run(['accounts', 'tokens', 'list', '--account', 'ADA']);
  expect(table.out).toContain(listed.id);
  expect((await cli.run(['accounts', 'tokens', 'revoke', 'pat_nosuch'])).code).toBe(2);

  expect((await cli.run(['accounts', 'tokens', 'revoke', 'cli'], environment)).code).toBe(0);
  const refused = await cli.run(['accounts', 'tokens', 'list'], environment);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('refuses the token')]);
  expect(await list({})).toEqual([]);
});

test('a password that is given on the command line ends the tokens of a running server', async () => {
  await using folder = await RemoteFolder.start();
  const { environment, cli } = folder;
  expect((await cli.run(['keys', 'list'], environment)).code).toBe(0);

  const next = { PW: 'another password 2' };
  const changed = await cli.run(['accounts', 'password', 'ada', '--password', 'env:PW'], next);

  expect(changed.out).toContain('access tokens have ended');
  expect((await cli.run(['keys', 'list'], environment)).code).toBe(2);
});

test('the log is filtered, and refused requests are shown, on the store and through a server', async () => {
  await using folder = await RemoteFolder.start();
  const { environment, server } = folder;
  const same = async (...args: string[]) => {
    const onStore = await folder.cli.run(args);
    expect(await folder.cli.run(args, environment), args.join(' ')).toEqual(onStore);
    expect(onStore.code, args.join(' ')).toBe(0);
  };
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

test('the command line does through a server what it does on its store, with the same output', async () => {
  await using folder = await RemoteFolder.start();
  const { environment, server } = folder;
  const same = async (...args: string[]) => {
    const onStore = await folder.cli.run(args);
    const atServer = await folder.cli.run(args, environment);
    expect(atServer, args.join(' ')).toEqual(onStore);
    expect(onStore.code, args.join(' ')).toBe(0);
    return onStore.out;
  };

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
}, 120_000);

test('what cannot work says what to do, with the exit code of its kind', async () => {
  await using folder = await RemoteFolder.start();
  const { environment, server } = folder;
  const run = async (args: string[], changes: Record<string, string> = {}) => {
    const { code, err } = await folder.cli.run(args, { ...environment, ...changes });
    return [code, err] as const;
  };

  const store = `sqlite:${join(folder.cli.path, 'ticketscan.db')}`;
  const nobodys = `tkt_summer_${'0'.repeat(20)}`;
  const cases: [Promise<readonly [number | null, string]>, number, RegExp][] = [
    [run(['keys', 'list'], { TICKETSCAN_TOKEN: 'tscn_pat_wrong' }), 2, /refuses the token/],
    [run(['keys', 'list'], { TICKETSCAN_TOKEN: '' }), 2, /--token env:NAME/],
    [run(['keys', 'list', '--url', 'http://127.0.0.1:9']), 3, /cannot be reached/],
    [run(['keys', 'list', '--url', 'http://scan.example.org']), 2, /Use https/],
    [run(['keys', 'list', '--url', `${server.url}/nowhere`]), 2, /Not Found/],
    [run(['keys', 'list', '--url', server.url, '--store', store]), 2, /cannot be combined/],
    [run(['keys', 'list', '--store', store]), 0, /^$/],
    [run(['keys', 'list', '--store', store, '--token', 'env:PW']), 2, /name the server with --url/],
    [run(['events', 'create', '--name', 'Summer pool']), 2, /already exists/],
    [
      run(['tickets', 'show', 'tkt_none']),
      2,
      /"tkt_none" is no ticket code and no whole ticket id/,
    ],
    [run(['tickets', 'show', nobodys]), 2, new RegExp(`Unknown ticket ${nobodys}\\.$`, 'm')],
    [run(['tickets', 'cancel', nobodys]), 2, new RegExp(`Unknown ticket ${nobodys}\\.`)],
    [run(['organisations', 'create', '--name', 'X']), 2, /Use --store/],
    [
      run(['organisations', 'edit', '--rate', '1000']),
      2,
      /the operator of the service.* Use --store/,
    ],
  ];
  for (const [result, exitCode, message] of cases) {
    const [code, err] = await result;
    expect(err).toMatch(message);
    expect(code, err).toBe(exitCode);
    expect(err).not.toContain(folder.token);
  }
}, 120_000);

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
}, 120_000);

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
