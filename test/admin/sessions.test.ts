import { once } from 'node:events';
import http from 'node:http';
import { expect, test } from 'vitest';
import { Access, IDLE_MS, type SignInResult } from '../../src/features/accounts/access.ts';
import { listTyped } from '../../src/features/accounts/account-records.ts';
import { makeFirstAccount } from '../../src/features/accounts/rules.ts';
import type { Store } from '../../src/stores/store.ts';
import { TestService } from '../support/service.ts';
import {
  AdminClient,
  accountsDeps,
  accountsOf,
  makeAccount,
  PASSWORD,
  withToken,
} from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const NEXT = 'a wholly new password';
const at = sharedService();

/** Browsers that are signed in to a new account. */
async function browsersOf(name: string, count: number, role: 'owner' | 'operator' = 'operator') {
  const { id } = await makeAccount(at.service, name, role);
  const browsers = Array.from({ length: count }, () => new AdminClient(at.service.url));
  const answers = await Promise.all(browsers.map((one) => one.signIn(name)));
  // Also those that sign in at once are let in.
  expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(201));
  return { id, browsers };
}

/** What says where the page came from, and the form of the cookies that a browser then keeps. */
const PAGES = [
  ['over plain HTTP on loopback', (host: string) => ({ origin: `http://${host}` }), '', ''],
  ['over TLS', (host: string) => ({ origin: `https://${host}` }), '__Host-', ' Secure;'],
  ['no page, but a program', () => ({ origin: undefined }), '__Host-', ' Secure;'],
] as const;

test.each(PAGES)('%s: the cookies are kept there, and no script reads them', async (...row) => {
  const [, headersFor, prefix, secure] = row;
  const name = `cookies ${prefix}${headersFor('x').origin ?? ''}`;
  await makeAccount(at.service, name, 'owner');
  const client = new AdminClient(at.service.url);
  const headers = headersFor(new URL(at.service.url).host);

  const account = { name, password: PASSWORD };
  const [session = '', device] = (
    await client.request('POST', '/sessions', account, headers)
  ).headers.getSetCookie();

  const flags = `HttpOnly;${secure} SameSite=Strict$`;
  expect(session).toMatch(new RegExp(`^${prefix}ticketscan=\\w{43}; Path=/; ${flags}`));
  const proof = '\\d+\\.\\w{22}\\.[\\w-]{43}; Max-Age=15552000';
  expect(device).toMatch(
    new RegExp(`^${prefix}ticketscan-device-acc_\\w{10}=${proof}; Path=/; ${flags}`),
  );
  client.cookie = session.split(';')[0];
  expect((await client.get('/sessions/current')).status).toBe(200);
  const ended = await client.delete('/sessions/current');
  expect(ended.headers.getSetCookie().join()).toContain(`${prefix}ticketscan=;`);
});

test('the cookie of plain HTTP opens nothing on a name that is not loopback', async () => {
  await makeAccount(at.service, 'loopback only', 'owner');
  const client = new AdminClient(at.service.url);
  await client.signIn('loopback only');
  expect(client.cookie).toMatch(/^ticketscan=/);

  const { hostname, port } = new URL(at.service.url);
  const statusFor = async (host: string) => {
    const headers = { host, cookie: client.cookie };
    const request = http.get({ hostname, port, path: '/admin/v1/sessions/current', headers });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  expect(await statusFor(`localhost:${port}`)).toBe(200);
  expect(await statusFor('gate.example.org')).toBe(401);
});

test('the session cookie is new at every sign-in', async () => {
  await makeAccount(at.service, 'Ada', 'owner');
  const client = new AdminClient(at.service.url);

  const first = await client.signIn('ada');
  const cookie = client.cookie!;
  await client.signIn('ADA');

  expect(first.json).toMatchObject({ account: { name: 'Ada', role: 'owner' } });
  expect(first.text).not.toContain(cookie.split('=')[1]);
  expect(client.cookie).not.toBe(cookie);
  const old = new AdminClient(at.service.url);
  old.cookie = cookie;
  expect((await old.get('/sessions/current')).status).toBe(401);
  expect((await client.get('/sessions/current')).status).toBe(200);
});

test('signing out ends the session, deleting the account all of them and its tokens', async () => {
  const { id, browsers } = await browsersOf('Bob', 4);
  const [bob, elsewhere] = browsers;
  const { token } = (await bob!.post('/access-tokens', { name: 's', role: 'viewer' })).json;
  const byToken = () => withToken(at.service.url, token)('GET', '/events');

  expect((await byToken()).status).toBe(200);
  const signedOut = await bob!.delete('/sessions/current');
  expect(signedOut.headers.get('set-cookie')).toContain('Expires=Thu, 01 Jan 1970');
  expect((await bob!.get('/events')).status).toBe(401);
  expect((await elsewhere!.get('/events')).status).toBe(200);

  expect((await at.owner.delete(`/accounts/${id}`)).status).toBe(200);
  expect((await elsewhere!.get('/events')).status).toBe(401);
  expect((await byToken()).status).toBe(401);
  await makeAccount(at.service, 'Bob', 'owner');
  expect((await byToken()).status).toBe(401);
});

test('a changed password ends the other sessions; a lesser role holds at once', async () => {
  const { id, browsers } = await browsersOf('Carla', 2);
  const [here, there] = browsers as [AdminClient, AdminClient];

  expect((await here.post('/password', { current: 'wrong one', next: NEXT })).status).toBe(403);
  const short = await here.post('/password', { current: PASSWORD, next: 'short' });
  expect(short.json.field).toBe('next');
  expect((await here.post('/password', { current: PASSWORD, next: NEXT })).status).toBe(200);
  expect((await here.get('/events')).status).toBe(200);
  expect((await there.get('/events')).status).toBe(401);
  expect((await there.signIn('Carla')).status).toBe(401);
  expect((await there.signIn('Carla', NEXT)).status).toBe(201);

  await at.owner.patch(`/accounts/${id}`, { role: 'viewer' });
  expect((await here.post('/events', { name: 'No more' })).status).toBe(403);
});

test('a session that is used goes on, one that is not ends', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const client = await AdminClient.signedIn(service);
  for (let step = 0; step < 3; step += 1) {
    service.clock.advance(IDLE_MS - 1000);
    expect((await client.get('/events')).status).toBe(200);
  }
  service.clock.advance(IDLE_MS);
  expect((await client.get('/events')).status).toBe(401);
  expect(await service.store.list('session')).toEqual([]);
});

/** The store, with something that happens before each of its writes. */
function beforeWrites(store: Store, act: (change: Parameters<Store['write']>[0]) => unknown) {
  const write: Store['write'] = async (change) => {
    await act(change);
    await store.write(change);
  };
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = name === 'write' ? write : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const ORIGIN = { address: 'here', deviceProofOf: () => undefined };

test('a session that begins while the password is changed does not outlive it, and replaces none', async () => {
  await using service = await TestService.start({ store: 'memory' });
  await makeAccount(service, 'Ada', 'owner');
  const { id, organisationId } = (await listTyped(service.store, 'account'))[0]!.value;
  const slow = beforeWrites(service.store, async ({ administrative }) => {
    if (administrative?.[0]?.kind !== 'session') return;
    await accountsOf(service).edit(organisationId, id, { password: NEXT });
  });
  await makeAccount(service, 'Bob', 'owner');
  const access = new Access(accountsDeps(service));
  const bob = await access.signIn('Bob', PASSWORD, ORIGIN);
  const replaced = bob.kind === 'signed_in' ? bob.token : '';
  const refused = { kind: 'refused', accountId: id };

  const wrong = await access.signIn('Ada', 'not the password', { ...ORIGIN, replaced });
  const late = new Access({ ...accountsDeps(service), store: slow });

  expect(wrong).toEqual(refused);
  expect(await late.signIn('Ada', PASSWORD, { ...ORIGIN, replaced })).toEqual(refused);
  expect(await service.store.list('session')).toHaveLength(1);
  expect((await access.bySession(replaced))?.account.name).toBe('Bob');
});

test('the session in which somebody changes the own password works at every moment of it', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const account = await makeAccount(service, 'Ada', 'owner');
  const access = new Access(accountsDeps(service));
  const { token, principal } = (await access.signIn('Ada', PASSWORD, ORIGIN)) as Extract<
    SignInResult,
    { kind: 'signed_in' }
  >;
  const worked: boolean[] = [];
  const watched = beforeWrites(service.store, async () => {
    worked.push((await access.bySession(token)) !== undefined);
  });
  const change = (store: Store, next: string) =>
    accountsOf(service, store).changeOwnPassword(
      principal.organisation.id,
      account.id,
      next,
      principal.sessionId,
    );
  await change(watched, NEXT);
  // Between the look at the session and the look at its account.
  let isChanged = false;
  const read = async (...args: Parameters<Store['read']>) => {
    if (args[0] === 'account' && !isChanged) {
      isChanged = true;
      await change(service.store, PASSWORD);
    }
    return service.store.read(...args);
  };
  const between = new Proxy(service.store, {
    get: (target, name) => (name === 'read' ? read : Reflect.get(target, name)),
  });
  const slow = new Access({ ...accountsDeps(service), store: between });
  expect((await slow.bySession(token))?.account.name).toBe('Ada');
  expect(isChanged).toBe(true);
  expect(worked.length).toBeGreaterThan(0);
  expect(worked).not.toContain(false);
});

test('sessions and tokens are void in the moment of the new password, not when they are cleared away', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const client = await AdminClient.signedIn(service);
  const { token } = (await client.post('/access-tokens', { name: 's', role: 'viewer' })).json;
  const { account, organisation } = (await client.get('/sessions/current')).json;
  const failing = beforeWrites(service.store, ({ deleted }) => {
    if (deleted) throw new Error('the power is gone');
  });

  const editing = accountsOf(service, failing).edit(organisation.id, account.id, {
    password: NEXT,
  });

  await expect(editing).rejects.toThrow('the power is gone');
  expect((await withToken(service.url, token)('GET', '/events')).status).toBe(401);
  expect((await client.get('/events')).status).toBe(401);
});

test('a store without accounts gets one owner, once, also when two servers start', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const deps = accountsDeps(service);

  const made = await Promise.allSettled([makeFirstAccount(deps), makeFirstAccount(deps)]);
  const first = made.flatMap((one) => (one.status === 'fulfilled' && one.value ? one.value : []));

  expect(first).toHaveLength(1);
  expect(await makeFirstAccount(deps)).toBeUndefined();
  const client = new AdminClient(service.url);
  const answer = await client.signIn(first[0]!.name, first[0]!.password);
  expect(answer.json.account).toMatchObject({ name: 'admin', role: 'owner' });
  expect((await client.get('/events')).json.items).toHaveLength(2);
});

test('neither passwords, tokens, cookies nor the keys of devices are kept in the clear or told', async () => {
  const { service, owner } = at;
  const { token } = (await owner.post('/access-tokens', { name: 's', role: 'viewer' })).json;
  const kept = JSON.stringify([
    await service.store.list('account'),
    await service.store.list('session'),
    await service.store.list('access-token'),
    await service.store.readAuditLog({ limit: 1000 }),
  ]);
  for (const secret of [PASSWORD, token, owner.cookie!.split('=')[1]]) {
    expect(kept).not.toContain(secret);
    expect(service.logs).not.toContain(secret);
  }
  const [record] = await service.store.list('account');
  const { deviceKey } = record!.value as { deviceKey: string };
  expect(deviceKey).toHaveLength(44);
  for (const path of ['/access-tokens', '/accounts', '/sessions/current', '/audit-log']) {
    const { text } = await owner.get(path);
    expect(text).not.toContain(token);
    expect(text).not.toContain(deviceKey);
  }
  expect(service.logs).not.toContain(deviceKey);
});
