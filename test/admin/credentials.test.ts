import { expect, test } from 'vitest';
import { AdminClient, accountsOf, makeAccount, PASSWORD, withToken } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const NEXT = 'a wholly new password';
const at = sharedService();

async function tokenOf(client: AdminClient, role = 'viewer'): Promise<string> {
  return (await client.post('/access-tokens', { name: 'script', role })).json.token;
}

async function works(token: string): Promise<boolean> {
  return (await withToken(at.service.url, token)('GET', '/events')).status === 200;
}

const me = async (client: AdminClient) => (await client.get('/sessions/current')).json;

test('a new password ends the access tokens of the account, also when others set it, and nobody else loses one', async () => {
  const { service, owner } = at;
  const operator = await AdminClient.signedIn(service, 'operator');
  const kept = await tokenOf(await AdminClient.signedIn(service, 'operator'));
  const { account, organisation } = await me(operator);
  const changes = [
    () => operator.post('/password', { current: PASSWORD, next: NEXT }),
    () => owner.patch(`/accounts/${account.id}`, { password: PASSWORD }),
    () => accountsOf(service).edit(organisation.id, account.id, { password: NEXT }),
  ];
  for (const [index, change] of changes.entries()) {
    const token = await tokenOf(operator);
    expect(await works(token)).toBe(true);
    await change();
    expect(await works(token), `change ${index}`).toBe(false);
    // The session in which it was changed goes on.
    if (index === 1) await operator.signIn(account.name);
    else if (index === 0) expect((await operator.get('/events')).status).toBe(200);
  }
  expect(await works(kept)).toBe(true);
  expect(await service.store.list('access-token')).toHaveLength(1);
});

test('a token that is made while the password changes is void', async () => {
  const client = await AdminClient.signedIn(at.service);
  const { account, organisation } = await me(client);

  const [{ json }] = await Promise.all([
    client.post('/access-tokens', { name: 't', role: 'viewer' }),
    accountsOf(at.service).edit(organisation.id, account.id, { password: NEXT }),
  ]);

  if (json.token !== undefined) expect(await works(json.token)).toBe(false);
});

test("one's own password needs the current one, for owners too", async () => {
  const { account } = await me(at.owner);

  const answer = await at.owner.patch(`/accounts/${account.id}`, { password: NEXT });

  const message = expect.stringContaining('/admin/v1/password');
  expect([answer.status, answer.json.message]).toEqual([403, message]);
  expect((await new AdminClient(at.service.url).signIn(account.name)).status).toBe(201);
});

test('owners see and revoke every token of their organisation, and none of another', async () => {
  const { service, owner } = at;
  const elsewhere = await service.administration.organisations.create('Elsewhere');
  const operator = await AdminClient.signedIn(service, 'operator');
  const foreign = await AdminClient.signedIn(service, 'owner', elsewhere.id);
  const [theirs, kept] = [await tokenOf(operator), await tokenOf(foreign)];
  const { account } = await me(operator);

  const { json, text } = await owner.get('/organisation/access-tokens');
  const listed = json.items.find(
    (one: { account: { id: string } }) => one.account.id === account.id,
  );
  expect(listed).toMatchObject({ name: 'script', role: 'viewer', account: { name: account.name } });
  expect(text).not.toContain(theirs);
  const [{ id: foreignId }] = (await foreign.get('/organisation/access-tokens')).json.items;
  expect((await owner.delete(`/organisation/access-tokens/${foreignId}`)).status).toBe(404);
  expect(await works(kept)).toBe(true);

  expect((await owner.delete(`/organisation/access-tokens/${listed.id}`)).status).toBe(200);
  expect(await works(theirs)).toBe(false);
  const [entry] = (await owner.get('/audit-log')).json.items;
  const details = { account: account.name };
  expect(entry).toMatchObject({ act: 'access-token.delete', subject: listed.id, details });
});

test('a hundred tokens that are asked for at once do not pass the limit of twenty', async () => {
  const client = await AdminClient.signedIn(at.service);

  const answers = await Promise.all(
    Array.from({ length: 100 }, () => client.post('/access-tokens', { name: 't', role: 'viewer' })),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
});

test('a token has no more rights than its owner, and expires', async () => {
  const operator = await AdminClient.signedIn(at.service, 'operator');
  expect((await operator.post('/access-tokens', { name: 't', role: 'owner' })).status).toBe(403);
  const order = { name: 't', role: 'viewer', days: 1 };
  const call = withToken(at.service.url, (await operator.post('/access-tokens', order)).json.token);

  expect((await call('GET', '/keys')).status).toBe(200);
  const refused = (await call('POST', '/events', { name: 'E' })).json;
  expect(refused.code).toBe('role_missing');
  // Its account may do more; whose account may not is told of no token.
  expect(refused.message).toContain('create another token');
  const viewer = await AdminClient.signedIn(at.service, 'viewer');
  expect((await viewer.post('/events', { name: 'E' })).json.message).not.toContain('token');
  at.service.clock.advance(24 * 60 * 60_000);
  expect((await call('GET', '/keys')).status).toBe(401);
});

test('a name that is taken elsewhere or reserved gets one answer', async () => {
  const { service } = at;
  const owner = await AdminClient.signedIn(service);
  const elsewhere = await service.administration.organisations.create('Far away');
  await makeAccount(service, 'ownerA', 'owner', elsewhere.id);
  const count = (await owner.get('/accounts')).json.items.length;
  const create = (name: string) =>
    owner.post('/accounts', { name, role: 'viewer', password: PASSWORD });

  for (const name of ['ownerA', 'OWNERA', 'ｏｗｎｅｒA', 'command line', 'Command Line']) {
    const { status, json } = await create(name);
    expect([status, json.message.replace(name, 'X')], name).toEqual([
      409,
      'The name "X" is taken or reserved. Choose another.',
    ]);
  }
  for (const name of ['ownerA ', 'owner\u200BA', '\u202EAnob'])
    expect((await create(name)).status, JSON.stringify(name)).toBe(422);
  expect((await owner.get('/accounts')).json.items).toHaveLength(count);
});

test('the last owner stays', async () => {
  const { service } = at;
  const { id: organisation } = await service.administration.organisations.create('Of one');
  const owner = await AdminClient.signedIn(service, 'owner', organisation);
  const { id } = (await me(owner)).account;

  expect((await owner.patch(`/accounts/${id}`, { role: 'viewer' })).status).toBe(409);
  expect((await owner.delete(`/accounts/${id}`)).status).toBe(409);
  const second = { name: 'second owner', role: 'owner', password: PASSWORD };
  expect((await owner.post('/accounts', second)).status).toBe(201);
  expect((await owner.patch(`/accounts/${id}`, { role: 'viewer' })).status).toBe(200);
});
