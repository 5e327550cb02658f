import { expect, test } from 'vitest';
import { DEVICE_DAYS } from '../../src/features/accounts/known-device.ts';
import { TestService, type TestServiceOptions } from '../support/service.ts';
import { AdminClient, makeAccount, PASSWORD } from './support/client.ts';

const NEXT = 'a wholly new password';
const start = (options: TestServiceOptions = {}) =>
  TestService.start({ store: 'memory', ...options });

/** Guesses from many places, which come through a proxy that the server trusts. */
async function attack(service: TestService, name: string, guesses: number): Promise<void> {
  const attacker = new AdminClient(service.url);
  for (let guess = 0; guess < guesses; guess += 1) {
    const headers = { 'x-forwarded-for': `198.51.100.${guess % 250}` };
    await attacker.request('POST', '/sessions', { name, password: 'a guess' }, headers);
  }
}

test('guesses by others keep a stranger out for a moment, and a browser that has signed in before not at all', async () => {
  await using service = await start({ trustedProxy: '127.0.0.1' });
  await makeAccount(service, 'Ada', 'owner');
  const browser = new AdminClient(service.url);
  await browser.signIn('Ada');
  browser.cookie = undefined;

  await attack(service, 'Ada', 60);

  const stranger = new AdminClient(service.url);
  expect((await stranger.signIn('Ada')).status).toBe(429);
  expect((await browser.signIn('Ada')).status).toBe(201);
});

test('the cookie is HttpOnly, Secure, SameSite=Strict, and for this host', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');

  const { headers } = await new AdminClient(service.url).signIn('Ada');

  expect(headers.getSetCookie()[1]).toMatch(
    /^__Host-ticketscan-device-acc_\w{10}=\d+\.\w{22}\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

test('a cookie has a bound of its own', async () => {
  await using service = await start();
  await makeAccount(service, 'Ada', 'owner');
  const [stolen, laptop] = [new AdminClient(service.url), new AdminClient(service.url)];
  await stolen.signIn('Ada');
  await laptop.signIn('Ada');
  for (let guess = 0; guess < 5; guess += 1) {
    expect((await stolen.signIn('Ada', 'a guess')).status).toBe(401);
  }

  expect((await stolen.signIn('Ada')).status).toBe(429);
  expect((await laptop.signIn('Ada')).status).toBe(201);
});

test.each([
  ['of another account', (other: string) => other],
  ['with another time', (_other: string, own: string) => own.replace(/=\d+/, '=99999999999999')],
  [
    'with another device',
    (_other: string, own: string) => own.replace(/\.\w{22}\./, `.${'a'.repeat(22)}.`),
  ],
  ['without a signature', (_other: string, own: string) => own.replace(/\.[^.]*$/, '.')],
  ['that is nonsense', (_other: string, own: string) => `${own.split('=')[0]}=x`],
])('a cookie %s is none', async (_what, forge) => {
  await using service = await start({ trustedProxy: '127.0.0.1' });
  for (const name of ['Ada', 'Bob']) await makeAccount(service, name, 'owner');
  const [browser, other] = [new AdminClient(service.url), new AdminClient(service.url)];
  await browser.signIn('Ada');
  await other.signIn('Bob');
  const ownName = browser.deviceCookie!.split('=')[0];
  const bobs = `${ownName}=${other.deviceCookie!.split('=')[1]}`;
  browser.deviceCookie = forge(bobs, browser.deviceCookie!);

  await attack(service, 'Ada', 60);

  expect((await browser.signIn('Ada')).status).toBe(429);
});

test('a browser stays known after a new password and a restart, and not longer than it should', async () => {
  await using service = await start({ trustedProxy: '127.0.0.1' });
  await makeAccount(service, 'Ada', 'owner');
  const browser = new AdminClient(service.url);
  await browser.signIn('Ada');
  await browser.post('/password', { current: PASSWORD, next: NEXT });
  await attack(service, 'Ada', 60);
  expect((await browser.signIn('Ada', NEXT)).status).toBe(201);

  service.clock.advance(DEVICE_DAYS * 24 * 60 * 60_000);
  await attack(service, 'Ada', 60);
  expect((await browser.signIn('Ada', NEXT)).status).toBe(429);
});

test('nothing of the key of a cookie gets out', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  const [document] = await service.store.list('account');
  const { deviceKey } = document!.value as { deviceKey: string };
  expect(deviceKey).toHaveLength(44);

  for (const path of ['/accounts', '/sessions/current', '/audit-trail']) {
    expect((await owner.get(path)).text).not.toContain(deviceKey);
  }
  expect(service.logs).not.toContain(deviceKey);
});

test('wrong passwords before a sign-in are counted in the audit log', async () => {
  await using service = await start();
  const owner = await AdminClient.signedIn(service);
  await makeAccount(service, 'Ada', 'owner');
  const ada = new AdminClient(service.url);
  for (let guess = 0; guess < 4; guess += 1) await ada.signIn('Ada', 'a guess');
  await ada.signIn('Ada');

  const [entry] = (await owner.get('/audit-trail')).json.items;

  expect(entry).toMatchObject({ act: 'session.start', details: { wrongPasswordsBefore: 4 } });
});

test('behind a trusted proxy, one client does not keep everybody out; a header of nobody trusted counts for nothing', async () => {
  await using service = await start({ trustedProxy: '127.0.0.0/8' });
  await makeAccount(service, 'Ada', 'owner');
  const from = (address: string, name: string, password: string) =>
    new AdminClient(service.url).request(
      'POST',
      '/sessions',
      { name, password },
      { 'x-forwarded-for': `10.9.9.9, ${address}` },
    );
  for (let guess = 0; guess < 40; guess += 1) await from('198.51.100.7', `n${guess}`, 'a guess');

  expect((await from('198.51.100.7', 'Ada', PASSWORD)).status).toBe(429);
  expect((await from('198.51.100.8', 'Ada', PASSWORD)).status).toBe(201);

  await using plain = await start();
  await makeAccount(plain, 'Ada', 'owner');
  for (let guess = 0; guess < 40; guess += 1) {
    const headers = { 'x-forwarded-for': `198.51.100.${guess}` };
    const body = { name: `n${guess}`, password: 'a guess' };
    await new AdminClient(plain.url).request('POST', '/sessions', body, headers);
  }
  expect((await new AdminClient(plain.url).signIn('Ada')).status).toBe(429);
});
