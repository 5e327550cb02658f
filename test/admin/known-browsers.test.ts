import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { makeAccessToken } from '../../src/core/api-key.ts';
import { DEVICE_DAYS } from '../../src/features/accounts/cookies.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { TestService } from '../support/service.ts';
import { AdminClient, makeAccount, PASSWORD } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const NEXT = 'a wholly new password';
/** Addresses come from a proxy that the server trusts. */
const at = sharedService({ store: 'memory', trustedProxy: '127.0.0.0/8' });
// Whoever guessed in one test has waited long enough in the next.
afterEach(() => at.service.clock.advance(60_000));

/** Browsers that have signed in to a new account, and have been closed. */
async function browsers(name: string, count = 1): Promise<AdminClient[]> {
  await makeAccount(at.service, name, 'owner');
  const all = Array.from({ length: count }, () => new AdminClient(at.service.url));
  for (const one of all) await one.signIn(name);
  for (const one of all) one.cookie = undefined;
  return all;
}

/** A sign-in from another address, as the proxy tells it; what comes before that is of nobody trusted. */
function from(address: string, name: string, password = 'a guess', url = at.service.url) {
  const headers = { 'x-forwarded-for': `10.9.9.9, ${address}` };
  return new AdminClient(url).request('POST', '/sessions', { name, password }, headers);
}

/** Guesses from many places. */
async function attack(name: string): Promise<void> {
  for (let guess = 0; guess < 60; guess += 1) await from(`198.51.100.${guess}`, name);
}

test('guessing has to wait, longer each time, and never for ever', async () => {
  const { clock, url } = at.service;
  await makeAccount(at.service, 'Ada', 'owner');
  const client = new AdminClient(url);
  for (let guess = 0; guess < 5; guess += 1)
    expect((await client.signIn('Ada', 'a guess')).status).toBe(401);

  const refused = await client.signIn('Ada');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  clock.advance(1000);
  expect((await client.signIn('Ada', 'another guess')).status).toBe(401);
  expect((await client.signIn('Ada')).headers.get('retry-after')).toBe('2');
  clock.advance(60_000);
  expect((await client.signIn('Ada')).status).toBe(201);
  const [entry] = (await at.owner.get('/audit-log')).json.items;
  expect(entry).toMatchObject({ act: 'session.start', details: { wrongPasswordsBefore: 6 } });
});

test('guessing the current password in a session, or the names of others, has to wait too', async () => {
  const { service, owner } = at;
  const session = await AdminClient.signedIn(service);
  const change = (current: string) => session.post('/password', { current, next: NEXT });
  for (let guess = 0; guess < 5; guess += 1) await change(`guess ${guess}`);
  const { account } = (await owner.get('/sessions/current')).json;
  const create = (name: string) =>
    owner.post('/accounts', { name, role: 'viewer', password: PASSWORD });
  for (let guess = 0; guess < 10; guess += 1) expect((await create(account.name)).status).toBe(409);

  for (const { status, headers } of [await change(PASSWORD), await create('free')])
    expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  service.clock.advance(60_000);
  expect((await change(PASSWORD)).status).toBe(200);
  expect((await create('free')).status).toBe(201);
});

test('an unknown name and a wrong password are one answer, and both make a slow hash', async () => {
  await makeAccount(at.service, 'Bea', 'owner');
  const client = new AdminClient(at.service.url);

  const wrong = await client.signIn('Bea', 'not the password');
  const unknown = await client.signIn('Nobody', 'not the password');

  expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
  expect(unknown.headers.get('set-cookie')).toBeNull();
  const passwords = new Passwords({ cost: 2 ** 12, blockSize: 8, parallelization: 1 });
  const record = await passwords.hash('right');
  const before = process.cpuUsage();
  expect(await passwords.verify('right', undefined, 'strangers')).toBe(false);
  // Only the sum is exact: how it falls into both parts is an estimate of the system.
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeGreaterThan(1000);
  expect(await passwords.verify('right', record, 'strangers')).toBe(true);
  expect(await passwords.verify('wrong', record, 'strangers')).toBe(false);
});

test('a browser that has signed in before is not kept out by others; it has a bound of its own', async () => {
  const [stolen, laptop] = (await browsers('Cid', 2)) as [AdminClient, AdminClient];
  await attack('Cid');
  expect((await new AdminClient(at.service.url).signIn('Cid')).status).toBe(429);
  for (let guess = 0; guess < 5; guess += 1)
    expect((await stolen.signIn('Cid', 'a guess')).status).toBe(401);
  expect((await stolen.signIn('Cid')).status).toBe(429);
  expect((await laptop.signIn('Cid')).status).toBe(201);
});

test('a browser stays known after a new password, and not longer than it should', async () => {
  const [browser] = (await browsers('Dan')) as [AdminClient];
  await browser.signIn('Dan');
  await browser.post('/password', { current: PASSWORD, next: NEXT });
  await attack('Dan');
  expect((await browser.signIn('Dan', NEXT)).status).toBe(201);

  at.service.clock.advance(DEVICE_DAYS * 24 * 60 * 60_000);
  await attack('Dan');
  expect((await browser.signIn('Dan', NEXT)).status).toBe(429);
});

test.each([
  ['of another account', (_own: string, other: string) => other],
  ['with another time', (own: string) => own.replace(/=\d+/, '=99999999999999')],
  ['with another device', (own: string) => own.replace(/\.\w{22}\./, `.${'a'.repeat(22)}.`)],
  ['without a signature', (own: string) => own.replace(/\.[^.]*$/, '.')],
  ['that is nonsense', (own: string) => `${own.split('=')[0]}=x`],
])('a cookie %s is none', async (what, forge) => {
  const [browser] = (await browsers(`Eva ${what}`)) as [AdminClient];
  const [other] = (await browsers(`Fay ${what}`)) as [AdminClient];
  const [name, value] = [browser.deviceCookie!.split('=')[0], other.deviceCookie!.split('=')[1]];
  browser.deviceCookie = forge(browser.deviceCookie!, `${name}=${value}`);

  await attack(`Eva ${what}`);

  expect((await browser.signIn(`Eva ${what}`)).status).toBe(429);
});

test('behind a trusted proxy, one client does not keep everybody out; a header of nobody trusted counts for nothing', async () => {
  await makeAccount(at.service, 'Gil', 'owner');
  for (let guess = 0; guess < 40; guess += 1) await from('203.0.113.7', `n${guess}`);
  expect((await from('203.0.113.7', 'Gil', PASSWORD)).status).toBe(429);
  expect((await from('203.0.113.8', 'Gil', PASSWORD)).status).toBe(201);

  await using plain = await TestService.start({ store: 'memory' });
  await makeAccount(plain, 'Gil', 'owner');
  for (let guess = 0; guess < 40; guess += 1)
    await from(`198.51.100.${guess}`, `n${guess}`, 'a guess', plain.url);
  expect((await new AdminClient(plain.url).signIn('Gil')).status).toBe(429);
});

test('what is refused is logged: with the account and the route, never with what was typed or sent', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const { id } = await makeAccount(service, 'Ada', 'owner');
  const stranger = new AdminClient(service.url);
  const [wrong, typed, token] = [
    'wrong password',
    'my secret password',
    makeAccessToken(randomBytes),
  ];
  const rest = service.key('rest');
  await stranger.signIn('Ada', wrong);
  await stranger.signIn(typed, 'x');
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const { account } = (await viewer.get('/sessions/current')).json;
  for (const value of [token, rest])
    await stranger.request('GET', '/events?search=hidden', undefined, {
      authorization: `Bearer ${value}`,
    });
  await viewer.post('/keys', { name: 'k', type: 'api', events: 'all' });
  await viewer.request('POST', '/password', {}, { origin: 'https://evil.example' });
  for (let guess = 0; guess < 7; guess += 1)
    await viewer.post('/password', { current: `guess ${guess}`, next: NEXT });
  await stranger.get('/sessions/current');

  const lines = service.logs.split('\n').filter(Boolean);
  const told = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  const failed = { msg: 'a sign-in failed', status: 401, address: '127.0.0.1' };
  expect(told.slice(0, 2)).toMatchObject([
    { ...failed, account: id },
    { ...failed, name: `${typed.length} characters` },
  ]);
  const shown = told.slice(2).map((one) => [one.status, one.route, one.token ?? one.account]);
  expect(shown).toEqual([
    [401, 'GET /admin/v1/events', `${token.length} characters`],
    [401, 'GET /admin/v1/events', `${rest.slice(0, 13)}…`],
    [403, 'POST /admin/v1/keys', account.id],
    [403, 'POST /admin/v1/password', undefined],
    [403, 'POST /admin/v1/password', account.id],
    [429, 'POST /admin/v1/password', account.id],
  ]);
  const secrets = [typed, wrong, PASSWORD, token, rest, viewer.cookie!.split('=')[1]!, 'hidden'];
  for (const secret of secrets) expect(service.logs).not.toContain(secret);
});
