import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Accounts } from '../../src/features/accounts/accounts.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import type { Store } from '../../src/stores/store.ts';
import { CHEAP_PASSWORDS, TestService } from '../support/service.ts';
import { AdminClient, makeAccount, PASSWORD } from './support/client.ts';

const NEXT = 'a wholly new password';

const start = () => TestService.start({ store: 'memory' });

async function tokenOf(client: AdminClient, role = 'viewer'): Promise<string> {
  return (await client.post('/access-tokens', { name: 'script', role })).json.token;
}

function asScript(
  service: TestService,
  token: string,
  method: string,
  path: string,
  body?: unknown,
) {
  const headers = { authorization: `Bearer ${token}`, origin: undefined };
  return new AdminClient(service.url).request(method, path, body, headers);
}

async function works(service: TestService, token: string): Promise<boolean> {
  return (await asScript(service, token, 'GET', '/events')).status === 200;
}

function accountsOn(service: TestService, store: Store = service.store): Accounts {
  const { clock } = service;
  const passwords = new Passwords(CHEAP_PASSWORDS);
  return new Accounts({ store, clock, random: randomBytes, passwords }, COMMAND_LINE);
}

test('a new password ends the access tokens of the account, also when others set it, and nobody else loses one', async () => {
  await using service = await start();
  const [owner, operator, other] = [
    await AdminClient.signedIn(service),
    await AdminClient.signedIn(service, 'operator'),
    await AdminClient.signedIn(service, 'operator'),
  ];
  const kept = await tokenOf(other);
  const { account } = (await operator.get('/sessions/current')).json;

  const first = await tokenOf(operator);
  expect(await works(service, first)).toBe(true);
  expect((await operator.post('/password', { current: PASSWORD, next: NEXT })).status).toBe(200);
  expect(await works(service, first)).toBe(false);
  expect((await operator.get('/events')).status).toBe(200);

  const second = await tokenOf(operator);
  expect(await works(service, second)).toBe(true);
  await owner.patch(`/accounts/${account.id}`, { password: PASSWORD });
  expect(await works(service, second)).toBe(false);

  await operator.signIn(account.name);
  const third = await tokenOf(operator);
  const [organisation] = await service.store.list('organisation');
  await accountsOn(service).edit(organisation!.id, account.id, { password: NEXT });
  expect(await works(service, third)).toBe(false);
  expect(await works(service, kept)).toBe(true);
  const left = await service.store.list('access-token');
  expect(left).toHaveLength(1);
});

test('sessions and tokens are void in the moment of the new password, not when they are cleared away', async () => {
  await using service = await start();
  const client = await AdminClient.signedIn(service);
  const token = await tokenOf(client);
  const { account, organisation } = (await client.get('/sessions/current')).json;
  const write: Store['write'] = async (change) => {
    if (change.deleted) throw new Error('the power is gone');
    await service.store.write(change);
  };
  const failing = new Proxy(service.store, {
    get: (target, name) => {
      if (name === 'write') return write;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

  const editing = accountsOn(service, failing).edit(organisation.id, account.id, {
    password: NEXT,
  });

  await expect(editing).rejects.toThrow('the power is gone');
  expect(await works(service, token)).toBe(false);
  expect((await client.get('/events')).status).toBe(401);
});

test('a token that is made while the password changes is void', async () => {
  await using service = await start();
  const client = await AdminClient.signedIn(service);
  const { account, organisation } = (await client.get('/sessions/current')).json;

  const [{ json }] = await Promise.all([
    client.post('/access-tokens', { name: 't', role: 'viewer' }),
    accountsOn(service).edit(organisation.id, account.id, { password: NEXT }),
  ]);

  if (json.token !== undefined) expect(await works(service, json.token)).toBe(false);
});

test('a stolen token of an owner cannot become a way in that outlives it', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const token = await tokenOf(owner, 'owner');
  const { account } = (await owner.get('/sessions/current')).json;
  const tries: [method: string, path: string, body?: unknown][] = [
    ['PATCH', `/accounts/${account.id}`, { password: NEXT }],
    ['PATCH', `/accounts/${account.id}`, { role: 'viewer' }],
    ['POST', '/accounts', { name: 'backdoor', role: 'owner', password: PASSWORD }],
    ['DELETE', `/accounts/${account.id}`],
    ['POST', '/password', { current: PASSWORD, next: NEXT }],
    ['POST', '/access-tokens', { name: 'longer', role: 'owner' }],
  ];

  for (const [method, path, body] of tries) {
    const answer = await asScript(service, token, method, path, body);
    expect([answer.status, answer.json.message]).toEqual([403, expect.stringContaining('Sign in')]);
  }
  expect((await owner.signIn(account.name)).status).toBe(201);
  expect((await asScript(service, token, 'GET', '/accounts')).status).toBe(200);
});

test("one's own password needs the current one, for owners too", async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const { account } = (await owner.get('/sessions/current')).json;

  const answer = await owner.patch(`/accounts/${account.id}`, { password: NEXT });

  expect([answer.status, answer.json.message]).toEqual([
    403,
    expect.stringContaining('/admin/v1/password'),
  ]);
  expect((await owner.signIn(account.name)).status).toBe(201);
});

test('owners see and revoke every token of their organisation, and none of another', async () => {
  await using service = await start();
  const elsewhere = await service.administration.createOrganisation('Elsewhere');
  const [owner, operator, foreign] = [
    await AdminClient.signedIn(service),
    await AdminClient.signedIn(service, 'operator'),
    await AdminClient.signedIn(service, 'owner', elsewhere.id),
  ];
  const [theirs, kept] = [await tokenOf(operator), await tokenOf(foreign)];
  const { account } = (await operator.get('/sessions/current')).json;

  const listed = (await owner.get('/organisation/access-tokens')).json.items;
  expect(listed).toMatchObject([
    { name: 'script', role: 'viewer', account: { id: account.id, name: account.name } },
  ]);
  expect(JSON.stringify(listed)).not.toContain(theirs);
  const [{ id: foreignId }] = (await foreign.get('/organisation/access-tokens')).json.items;
  expect((await owner.delete(`/organisation/access-tokens/${foreignId}`)).status).toBe(404);
  expect(await works(service, kept)).toBe(true);

  expect((await owner.delete(`/organisation/access-tokens/${listed[0].id}`)).status).toBe(200);
  expect(await works(service, theirs)).toBe(false);
  const [entry] = (await owner.get('/audit-trail')).json.items;
  expect(entry).toMatchObject({
    act: 'access-token.delete',
    subject: listed[0].id,
    details: { account: account.name },
  });
});

test('a hundred tokens that are asked for at once do not pass the limit of twenty', async () => {
  await using service = await start();
  const client = await AdminClient.signedIn(service);

  const answers = await Promise.all(
    Array.from({ length: 100 }, () => client.post('/access-tokens', { name: 't', role: 'viewer' })),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
});

test('a name that is taken elsewhere or reserved gets one answer', async () => {
  await using service = await start();
  const elsewhere = await service.administration.createOrganisation('Elsewhere');
  await makeAccount(service, 'ownerA', 'owner', elsewhere.id);
  const owner = await AdminClient.signedIn(service);
  const create = (name: string) =>
    owner.post('/accounts', { name, role: 'viewer', password: PASSWORD });

  for (const name of ['ownerA', 'OWNERA', 'ｏｗｎｅｒA', 'command line', 'Command Line']) {
    const { status, json } = await create(name);
    expect([status, json.message.replace(name, 'X')], name).toEqual([
      409,
      'The name "X" is taken or reserved. Choose another.',
    ]);
  }
  for (const name of ['ownerA ', 'owner\u200BA', '\u202EAnob']) {
    expect((await create(name)).status, JSON.stringify(name)).toBe(422);
  }
  expect((await owner.get('/accounts')).json.items).toHaveLength(1);
});

test('names cannot be tried without end', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const { account } = (await owner.get('/sessions/current')).json;
  const create = (name: string) =>
    owner.post('/accounts', { name, role: 'viewer', password: PASSWORD });

  for (let attempt = 0; attempt < 10; attempt += 1) {
    expect((await create(account.name)).status).toBe(409);
  }

  const refused = await create('free');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  service.clock.advance(60_000);
  expect((await create('free')).status).toBe(201);
});

test('a token whose account may do more is told to be replaced, and nobody else', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const token = await tokenOf(owner, 'viewer');

  const [byToken, bySession] = [
    await asScript(service, token, 'POST', '/events', { name: 'Pool' }),
    await viewer.post('/events', { name: 'Pool' }),
  ];

  expect([byToken.json.code, bySession.json.code]).toEqual(['role_missing', 'role_missing']);
  expect(byToken.json.message).toContain('create another token');
  expect(bySession.json.message).not.toContain('token');
});
