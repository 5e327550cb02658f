import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Access, IDLE_MS } from '../../src/features/accounts/access.ts';
import { listTyped } from '../../src/features/accounts/account-records.ts';
import { Accounts, makeFirstAccount } from '../../src/features/accounts/accounts.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import type { Store } from '../../src/stores/store.ts';
import { CHEAP_PASSWORDS, TestService } from '../support/service.ts';
import { AdminClient, makeAccount, PASSWORD } from './support/client.ts';

const start = () => TestService.start({ store: 'memory', limits: { keysMax: 20 } });

test('the session cookie is for this host and the server only, and new at every sign-in', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');
  const client = new AdminClient(service.url);

  const first = await client.signIn('ada');
  const cookie = client.cookie;
  await client.signIn(' ADA'.trim());

  expect(first.headers.getSetCookie()[0]).toMatch(
    /^__Host-ticketscan=\w{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  expect(first.json).toMatchObject({ account: { name: 'Ada', role: 'owner' } });
  expect(first.text).not.toContain(cookie!.split('=')[1]);
  expect(client.cookie).not.toBe(cookie);
  const old = new AdminClient(service.url);
  old.cookie = cookie;
  expect((await old.get('/sessions/current')).status).toBe(401);
  expect((await client.get('/sessions/current')).status).toBe(200);
});

test('whoever signs in several times at once is let in each time', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');

  const answers = await Promise.all(
    Array.from({ length: 4 }, () => new AdminClient(service.url).signIn('Ada')),
  );

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});

test('guessing the current password in a session has to wait', async () => {
  await using service = await start();
  const client = await AdminClient.signedIn(service);
  const next = 'a wholly new password';
  for (let guess = 0; guess < 5; guess += 1)
    await client.post('/password', { current: `guess ${guess}`, next });

  const refused = await client.post('/password', { current: PASSWORD, next });
  expect([refused.status, refused.json.message, refused.headers.get('retry-after')]).toEqual([
    429,
    'Too many attempts. Try again in 1 seconds.',
    '1',
  ]);
  service.clock.advance(60_000);
  expect((await client.post('/password', { current: PASSWORD, next })).status).toBe(200);
});

test('neither passwords nor tokens are kept in the clear', async () => {
  await using service = await start();
  const client = await AdminClient.signedIn(service);
  const options = { name: 'script', role: 'viewer' };
  const { token } = (await client.post('/access-tokens', options)).json;

  const kept = JSON.stringify([
    await service.store.list('account'),
    await service.store.list('session'),
    await service.store.list('access-token'),
    await service.store.readAuditLog({ limit: 1000 }),
  ]);

  for (const secret of [PASSWORD, token, client.cookie!.split('=')[1]]) {
    expect(kept).not.toContain(secret);
    expect(service.logs).not.toContain(secret);
  }
  expect((await client.get('/access-tokens')).text).not.toContain(token);
});

test('an unknown name and a wrong password are one answer, and both make a slow hash', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');
  const client = new AdminClient(service.url);

  const wrong = await client.signIn('Ada', 'not the password');
  const unknown = await client.signIn('Nobody', 'not the password');

  expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
  expect(unknown.headers.get('set-cookie')).toBeNull();
  const passwords = new Passwords({ cost: 2 ** 12, blockSize: 8, parallelization: 1 });
  const record = await passwords.hash('right');
  const before = process.cpuUsage();
  expect(await passwords.verify('right', undefined, 'strangers')).toBe(false);
  const unknownCost = process.cpuUsage(before).user;
  expect(unknownCost).toBeGreaterThan(1000);
  expect(await passwords.verify('right', record, 'strangers')).toBe(true);
  expect(await passwords.verify('wrong', record, 'strangers')).toBe(false);
});

test('guessing has to wait, longer each time, and never for ever', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');
  const client = new AdminClient(service.url);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect((await client.signIn('Ada', 'a guess')).status).toBe(401);
  }

  const refused = await client.signIn('Ada');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  service.clock.advance(1000);
  expect((await client.signIn('Ada', 'another guess')).status).toBe(401);
  expect((await client.signIn('Ada')).headers.get('retry-after')).toBe('2');
  service.clock.advance(60_000);
  expect((await client.signIn('Ada')).status).toBe(201);
});

test('signing out ends the session, deleting the account all of them and its tokens', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  await makeAccount(service, 'Bob', 'operator');
  const [bob, bobElsewhere] = [new AdminClient(service.url), new AdminClient(service.url)];
  await bob.signIn('Bob');
  await bobElsewhere.signIn('Bob');
  const { token } = (await bob.post('/access-tokens', { name: 's', role: 'viewer' })).json;
  const byToken = (path: string) =>
    new AdminClient(service.url).request('GET', path, undefined, {
      authorization: `Bearer ${token}`,
      origin: undefined,
    });

  expect((await byToken('/events')).status).toBe(200);
  const signedOut = await bob.delete('/sessions/current');
  expect(signedOut.headers.get('set-cookie')).toContain('Expires=Thu, 01 Jan 1970');
  expect((await bob.get('/events')).status).toBe(401);
  expect((await bobElsewhere.get('/events')).status).toBe(200);

  const accounts = (await owner.get('/accounts')).json.items;
  const { id } = accounts.find(({ name }: { name: string }) => name === 'Bob');
  expect((await owner.delete(`/accounts/${id}`)).status).toBe(200);
  expect((await bobElsewhere.get('/events')).status).toBe(401);
  expect((await byToken('/events')).status).toBe(401);
  await makeAccount(service, 'Bob', 'owner');
  expect((await byToken('/events')).status).toBe(401);
});

test('a changed password ends the other sessions; a lesser role holds at once', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  await makeAccount(service, 'Bob', 'operator');
  const [here, there] = [new AdminClient(service.url), new AdminClient(service.url)];
  await here.signIn('Bob');
  await there.signIn('Bob');
  const next = 'a wholly new password';

  expect((await here.post('/password', { current: 'wrong one', next })).status).toBe(403);
  expect((await here.post('/password', { current: PASSWORD, next: 'short' })).json.field).toBe(
    'next',
  );
  expect((await here.post('/password', { current: PASSWORD, next })).status).toBe(200);
  expect((await here.get('/events')).status).toBe(200);
  expect((await there.get('/events')).status).toBe(401);
  expect((await there.signIn('Bob')).status).toBe(401);
  expect((await there.signIn('Bob', next)).status).toBe(201);

  const { id } = (await here.get('/sessions/current')).json.account;
  await owner.patch(`/accounts/${id}`, { role: 'viewer' });
  expect((await here.post('/events', { name: 'No more' })).status).toBe(403);
});

/** A service with the account Ada, whose password is changed while a session of it begins at `slow`. */
async function withPasswordChanging({ store, clock }: TestService) {
  const deps = { store, clock, random: randomBytes, passwords: new Passwords(CHEAP_PASSWORDS) };
  const accounts = new Accounts(deps, COMMAND_LINE);
  const { id, organisationId } = (await listTyped(store, 'account'))[0]!.value;
  const write: Store['write'] = async (change) => {
    if (change.documents?.[0]?.kind === 'session') {
      await accounts.edit(organisationId, id, { password: 'a wholly new password' });
    }
    await store.write(change);
  };
  const slow = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = name === 'write' ? write : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { id, access: new Access(deps), slow: new Access({ ...deps, store: slow }) };
}

const ORIGIN = { address: 'here', deviceProofOf: () => undefined };

test('a session that begins with a password while that is changed does not outlive it', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');
  const { id, slow } = await withPasswordChanging(service);

  const result = await slow.signIn('Ada', PASSWORD, ORIGIN);

  expect(result).toEqual({ kind: 'refused', accountId: id });
  expect(await service.store.list('session')).toEqual([]);
});

test('whoever is refused a new session keeps the one that it would have replaced', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');
  const { id, access, slow } = await withPasswordChanging(service);
  await makeAccount(service, 'Bob', 'owner');
  const bob = await access.signIn('Bob', PASSWORD, ORIGIN);
  const replaced = bob.kind === 'signed_in' ? bob.token : '';
  const refused = { kind: 'refused', accountId: id };

  for (const [where, password] of [
    [access, 'not the password'],
    [slow, PASSWORD],
  ] as const) {
    expect(await where.signIn('Ada', password, { ...ORIGIN, replaced })).toEqual(refused);
    expect((await access.bySession(replaced))?.account.name).toBe('Bob');
  }
});

test('the last owner stays', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const { id } = (await owner.get('/sessions/current')).json.account;

  expect((await owner.patch(`/accounts/${id}`, { role: 'viewer' })).status).toBe(409);
  expect((await owner.delete(`/accounts/${id}`)).status).toBe(409);
  expect(
    (await owner.post('/accounts', { name: 'x', role: 'owner', password: PASSWORD })).status,
  ).toBe(201);
  expect((await owner.patch(`/accounts/${id}`, { role: 'viewer' })).status).toBe(200);
});

test('a token has no more rights than its owner, needs no origin, and expires', async () => {
  await using service = await start();
  const operator = await AdminClient.signedIn(service, 'operator');
  expect((await operator.post('/access-tokens', { name: 't', role: 'owner' })).status).toBe(403);
  const { json } = await operator.post('/access-tokens', { name: 't', role: 'viewer', days: 1 });
  const call = (method: string, path: string, body?: unknown) =>
    new AdminClient(service.url).request(method, path, body, {
      authorization: `Bearer ${json.token}`,
      origin: undefined,
    });

  expect((await call('GET', '/keys')).status).toBe(200);
  expect((await call('POST', '/events', { name: 'E' })).status).toBe(403);
  expect((await call('POST', '/access-tokens', { name: 'u', role: 'viewer' })).status).toBe(403);
  service.clock.advance(24 * 60 * 60_000);
  expect((await call('GET', '/keys')).status).toBe(401);
});

test('a session that is used goes on, one that is not ends', async () => {
  await using service = await start();
  const client = await AdminClient.signedIn(service);
  for (let step = 0; step < 3; step += 1) {
    service.clock.advance(IDLE_MS - 1000);
    expect((await client.get('/events')).status).toBe(200);
  }
  service.clock.advance(IDLE_MS);
  expect((await client.get('/events')).status).toBe(401);
  expect(await service.store.list('session')).toEqual([]);
});

test('a store without accounts gets one owner, once, also when two servers start', async () => {
  await using service = await start();
  const { store, clock } = service;
  const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));
  const deps = { store, clock, random, passwords: new Passwords(CHEAP_PASSWORDS) };

  const made = await Promise.allSettled([makeFirstAccount(deps), makeFirstAccount(deps)]);
  const first = made.flatMap((one) => (one.status === 'fulfilled' && one.value ? one.value : []));

  expect(first).toHaveLength(1);
  expect(await makeFirstAccount(deps)).toBeUndefined();
  const client = new AdminClient(service.url);
  const answer = await client.signIn(first[0]!.name, first[0]!.password);
  expect(answer.json.account).toMatchObject({ name: 'admin', role: 'owner' });
  expect((await client.get('/events')).json.items).toHaveLength(2);
});

test('what is wrong with a request is said, with the member', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);

  const cases: [path: string, body: unknown, status: number, field: string | undefined][] = [
    ['/events', { name: '' }, 422, 'name'],
    ['/events', { name: 'line\nbreak' }, 422, undefined],
    ['/events', '{', 400, undefined],
    ['/keys', { name: 'k', type: 'telepathy', events: 'all' }, 422, 'type'],
    ['/keys', { name: 'k', type: 'api', events: [] }, 422, 'events'],
    ['/tickets', { event: service.seeded.events.main, type: 'multi', uses: 1 }, 422, undefined],
    ['/tickets', { event: 'nosuch', type: 'single' }, 404, undefined],
    ['/accounts', { name: 'x', role: 'owner', password: 'short' }, 422, 'password'],
  ];
  for (const [path, body, status, field] of cases) {
    const answer = await owner.post(path, body);
    expect([answer.status, answer.json.field], `${path} ${JSON.stringify(body)}`).toEqual([
      status,
      field,
    ]);
    expect(answer.json.message.length).toBeGreaterThan(5);
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d/);
  }
  expect((await owner.get('/log?limit=0')).json.field).toBe('limit');
  expect((await owner.get('/nowhere')).status).toBe(404);
});

test('hostile names come back as they are and harm nothing', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const names = ['<img src=x onerror=alert(1)>', '🎟️👩‍👩‍👧', "Robert'); DROP TABLE ticket;--"];

  for (const name of names) {
    expect((await owner.post('/events', { name })).json.name).toBe(name);
    const holder = { firstName: name, lastName: 'x'.repeat(200) };
    const event = service.seeded.events.main;
    const [ticket] = (await owner.post('/tickets', { event, type: 'single', holder })).json.items;
    expect(ticket.holder).toEqual(holder);
    const found = await owner.get(`/tickets?search=${encodeURIComponent(name)}`);
    expect(found.json.items[0].ticketId).toBe(ticket.ticketId);
  }
  expect((await owner.post('/events', { name: 'x'.repeat(300) })).status).toBe(422);
  expect((await owner.post('/events', { name: '\u202Egnp.exe' })).status).toBe(422);
});
