import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { SESSION_MS } from '../../src/features/accounts/access.ts';
import { PAIRING_MS } from '../../src/features/phones/rules.ts';
import { TestService } from '../support/service.ts';
import {
  AdminClient,
  beginPhoneSession,
  makeAccount,
  pairedPhone,
  redeemAsPhone,
} from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();
let service: TestService;
let operator: AdminClient;
beforeEach(async () => {
  ({ service } = at);
  operator = await AdminClient.signedIn(service, 'operator');
});

const begin = async (client = operator, body: object = {}) =>
  (await client.post('/pairings', body)).json as { id: string; token: string };
const redeem = (token: string, name?: string) => redeemAsPhone(service.url, token, name);
const scanOf = (ticketCode: string) => ({
  operation: 'consume',
  ticketCode,
  requestId: randomUUID(),
});
const stateOf = async (phone: AdminClient) =>
  (await phone.get('/redemptions/current')).json.state as string;

describe('a phone', () => {
  test('scans once the dashboard has confirmed the code that it shows, and may do nothing else', async () => {
    const { id, token } = await begin();
    expect(token).toMatch(/^[0-9A-Za-z]{22}$/);
    expect((await operator.get(`/pairings/${id}`)).json).toEqual({
      state: 'open',
      phone: null,
      code: null,
    });
    const early = await operator.post(`/pairings/${id}/confirm`);
    expect(early.status).toBe(409);
    const { phone, answer } = await redeem(token, 'North gate');
    const { code } = answer.json;
    expect(code).toMatch(/^\d{4}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^ticketscan-pairing=\w{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await operator.get(`/pairings/${id}`)).json).toEqual({
      state: 'asked',
      phone: 'North gate',
      code,
    });
    // What it holds opens nothing yet.
    const ticket = await service.mint({ kind: 'multi', uses: 5 });
    expect(await stateOf(phone)).toBe('waiting');
    expect((await phone.get('/sessions/current')).status).toBe(401);
    expect((await phone.post('/scans', scanOf(ticket))).status).toBe(401);
    expect((await beginPhoneSession(phone)).json.code).toBe('pairing_unconfirmed');

    expect((await operator.post(`/pairings/${id}/confirm`)).status).toBe(200);
    expect((await operator.post(`/pairings/${id}/confirm`)).status).toBe(404);
    expect(await stateOf(phone)).toBe('paired');
    const begun = await beginPhoneSession(phone);
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^ticketscan=\w{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
      expect.stringMatching(
        /^__Host-ticketscan-pairing=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/,
      ),
      expect.stringMatching(/^ticketscan-pairing=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/),
    ]);
    expect((await phone.get('/sessions/current')).json).toMatchObject({
      account: { role: 'scanner' },
      phone: 'North gate',
    });
    expect((await phone.post('/scans', scanOf(ticket))).json.status).toBe('consumed');
    const { items } = (await operator.get('/log?limit=1')).json;
    expect(items).toMatchObject([{ serial: 'North gate', outcome: 'consumed' }]);
    for (const [method, path] of [
      ['GET', '/tickets'],
      ['POST', '/pairings'],
      ['POST', '/password'],
    ] as const)
      expect((await phone.request(method, path)).status).toBe(403);
    const auditLog = await service.store.readAuditLog({ limit: 5 });
    expect(auditLog).toContainEqual(
      expect.objectContaining({
        act: 'phone.pair',
        details: expect.objectContaining({ name: 'North gate' }),
      }),
    );
  });

  test('that was refused, was too slow, or came second gets nothing', async () => {
    const one = await begin();
    const racers = await Promise.all([1, 2, 3, 4, 5].map(() => redeem(one.token)));
    const statuses = racers.map(({ answer }) => answer.status).sort();
    expect(statuses).toEqual([201, 404, 404, 404, 404]);
    expect((await redeem(one.token)).answer.status).toBe(404);
    const winner = racers.find(({ answer }) => answer.status === 201)?.phone;
    expect((await operator.delete(`/pairings/${one.id}`)).status).toBe(200);
    expect(await stateOf(winner as AdminClient)).toBe('ended');
    expect((await operator.post(`/pairings/${one.id}/confirm`)).status).toBe(404);
    expect((await winner?.get('/sessions/current'))?.status).toBe(401);

    const two = await begin();
    service.clock.advance(PAIRING_MS);
    expect((await redeem(two.token)).answer.status).toBe(404);
    const three = await begin();
    const slow = await redeem(three.token);
    service.clock.advance(PAIRING_MS);
    expect((await operator.post(`/pairings/${three.id}/confirm`)).status).toBe(404);
    expect(await stateOf(slow.phone)).toBe('ended');
  });

  test('confirmed twice at once becomes one session', async () => {
    const { id, token } = await begin();
    await redeem(token);
    const answers = await Promise.all(
      [1, 2, 3].map(() => operator.post(`/pairings/${id}/confirm`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await operator.get('/phones')).json.items).toHaveLength(1);
  });

  test('is removed at once, and ends after twelve hours though it is quiet until then', async () => {
    const ticket = await service.mint({ kind: 'permanent' });
    const first = await pairedPhone(operator, service.url, 'One');
    const second = await pairedPhone(operator, service.url, 'Two');
    const phones: { id: string; name: string }[] = (await operator.get('/phones')).json.items;
    const id = phones.find(({ name }) => name === 'One')?.id;
    const stranger = await AdminClient.signedIn(service, 'operator');
    expect((await stranger.delete(`/phones/${id}`)).status).toBe(404);
    const scans = [1, 2, 3].map(() => first.post('/scans', scanOf(ticket)));
    expect((await operator.delete(`/phones/${id}`)).status).toBe(200);
    expect((await first.post('/scans', scanOf(ticket))).status).toBe(401);
    // What was under way was either decided or refused.
    for (const { status } of await Promise.all(scans)) expect([200, 401]).toContain(status);

    service.clock.advance(SESSION_MS - 1);
    expect((await second.post('/scans', scanOf(ticket))).status).toBe(200);
    service.clock.advance(1);
    expect((await second.post('/scans', scanOf(ticket))).status).toBe(401);
  });

  test('says where it stands, and the desk sees it; no other session stands anywhere', async () => {
    const phone = await pairedPhone(operator, service.url, 'Exit phone');
    const listed = async () =>
      (await operator.get('/phones')).json.items.find(
        ({ name }: { name: string }) => name === 'Exit phone',
      );
    const way = async () => (await listed()).way;
    expect(await way()).toBeNull();
    expect((await phone.post('/phones/way', { way: 'out' })).status).toBe(200);
    expect(await way()).toBe('out');
    await phone.post('/phones/way', { way: 'in' });
    expect(await way()).toBe('in');
    expect((await phone.post('/phones/way', { way: 'up' })).status).toBe(422);
    expect((await operator.post('/phones/way', { way: 'out' })).status).toBe(404);
    await operator.delete(`/phones/${(await listed()).id}`);
  });

  test('ends with the role, the password and the account that it scans for', async () => {
    const owner = await AdminClient.signedIn(service);
    const account = await makeAccount(service, `north ${randomUUID()}`, 'operator');
    const client = new AdminClient(service.url);
    const endings = [
      () => owner.patch(`/accounts/${account.id}`, { role: 'viewer' }),
      () => owner.patch(`/accounts/${account.id}`, { password: 'correct horse battery' }),
      () => owner.delete(`/accounts/${account.id}`),
    ];
    for (const end of endings) {
      await owner.patch(`/accounts/${account.id}`, { role: 'operator' });
      await client.signIn(account.name);
      const phone = await pairedPhone(client, service.url);
      expect((await phone.get('/sessions/current')).status).toBe(200);
      expect((await end()).status).toBe(200);
      expect((await phone.post('/scans', scanOf('x'))).status).toBe(401);
      // A phone that is lost does not come back with the role.
      await owner.patch(`/accounts/${account.id}`, { role: 'operator' });
      expect((await phone.post('/scans', scanOf('x'))).status).toBe(401);
    }
  });

  test('scans for a scanner whom an owner chose, within the events of that account', async () => {
    const owner = await AdminClient.signedIn(service);
    const { main = '', other = '' } = service.seeded.events as Record<string, string>;
    const name = `south ${randomUUID()}`;
    const { id: account } = await makeAccount(service, name, 'scanner', undefined, [other]);
    expect((await operator.post('/pairings', { account })).status).toBe(403);
    const { id, token } = await begin(owner, { account });
    const { phone } = await redeem(token);
    await owner.post(`/pairings/${id}/confirm`);
    await beginPhoneSession(phone);
    const denied = await phone.post('/scans', scanOf(await service.mint({}, main)));
    expect(denied.json.reason).toBe('event_not_allowed');
    expect((await owner.get('/phones')).json.items).toMatchObject([{ account: { name } }]);
  });
});

describe('a phone that works already', () => {
  const scans = async (phone: AdminClient) => {
    const ticket = await service.mint({ kind: 'permanent' });
    return (await phone.post('/scans', scanOf(ticket))).status;
  };
  const namesOf = async (client: AdminClient) => {
    const { items } = (await client.get('/phones')).json;
    return items.map(({ name }: { name: string }) => name);
  };

  test('goes on while a new pairing waits, and whatever ends it', async () => {
    const phone = await pairedPhone(operator, service.url, 'Old');
    const endings = [
      (id: string) => operator.delete(`/pairings/${id}`),
      async () => service.clock.advance(PAIRING_MS),
      // The browser drops the cookie of a pairing that nobody answered, as one that is given up.
      async () => {
        phone.pairingCookie = undefined;
      },
    ];
    for (const end of endings) {
      const { id, token } = await begin();
      const { answer } = await redeemAsPhone(service.url, token, 'New', phone);
      // No answer about a pairing that waits sets or clears the cookie of the session.
      const names = answer.headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0]);
      expect(names).toEqual(['ticketscan-pairing']);
      expect((await phone.get('/redemptions/current')).json).toEqual({
        state: 'waiting',
        signedIn: true,
      });
      expect(await scans(phone)).toBe(200);
      expect((await beginPhoneSession(phone)).status).toBe(404);
      expect(await scans(phone)).toBe(200);
      await end(id);
      expect((await phone.get('/redemptions/current')).json).toEqual({
        state: 'ended',
        signedIn: true,
      });
      const late = await phone.post('/redemptions/current');
      expect([late.status, late.headers.getSetCookie()]).toEqual([404, []]);
      expect(await scans(phone)).toBe(200);
      expect(await namesOf(operator)).toEqual(['Old']);
    }
  });

  test('gets the new session when the desk has confirmed, and only then its old one ends', async () => {
    const phone = await pairedPhone(operator, service.url, 'Old');
    const old = phone.cookie;
    const { id, token } = await begin();
    await redeemAsPhone(service.url, token, 'New', phone);
    expect((await operator.post(`/pairings/${id}/confirm`)).status).toBe(200);
    // The page has not asked yet.
    expect(await scans(phone)).toBe(200);
    const lost = await phone.post('/redemptions/current');
    expect(lost.status).toBe(200);
    // Its answer was lost on the way: the phone asks again.
    expect(await scans(phone)).toBe(401);
    expect((await phone.get('/redemptions/current')).json.state).toBe('paired');
    expect((await beginPhoneSession(phone)).status).toBe(200);
    expect(phone.cookie).not.toBe(old);
    expect(await scans(phone)).toBe(200);
    expect(await namesOf(operator)).toEqual(['New']);
    const stolen = new AdminClient(service.url);
    stolen.cookie = old;
    expect(await scans(stolen)).toBe(401);
  });

  test('stays signed in when it asks again with the session that it has', async () => {
    const phone = await pairedPhone(operator, service.url);
    phone.pairingCookie = phone.cookie?.replace('ticketscan=', 'ticketscan-pairing=');
    expect((await beginPhoneSession(phone)).status).toBe(200);
    expect(await scans(phone)).toBe(200);
  });

  test('is not moved by another site', async () => {
    const phone = await pairedPhone(operator, service.url);
    const { id, token } = await begin();
    await redeemAsPhone(service.url, token, 'New', phone);
    await operator.post(`/pairings/${id}/confirm`);
    for (const origin of ['https://evil.example', undefined]) {
      const answer = await phone.request('POST', '/redemptions/current', undefined, { origin });
      expect(answer.status).toBe(403);
    }
    expect(await scans(phone)).toBe(200);
  });
});

test('tokens are kept as hashes only, and another site cannot redeem one', async () => {
  const { token } = await begin();
  const administrative = JSON.stringify(await service.store.list('pairing'));
  expect(administrative).not.toContain(token);
  const stranger = new AdminClient(service.url);
  for (const origin of ['https://evil.example', undefined]) {
    const body = { token, name: 'x' };
    const answer = await stranger.request('POST', '/redemptions', body, { origin });
    expect(answer.status).toBe(403);
  }
  const { phone } = await redeem(token);
  const held = phone.pairingCookie?.split('=')[1] ?? '';
  const kept = await Promise.all(
    (['pairing', 'session'] as const).map((kind) => service.store.list(kind)),
  );
  expect(held).toHaveLength(43);
  expect(JSON.stringify(kept)).not.toContain(held);
  expect(service.logs).not.toContain(token);
});

test('who guesses must wait, and an account has a few codes open at most', async () => {
  await using own = await TestService.start({ store: 'memory', ticketsPerState: 0 });
  const client = await AdminClient.signedIn(own, 'operator');
  for (let codes = 0; codes < 5; codes += 1) await client.post('/pairings', {});
  expect((await client.post('/pairings', {})).status).toBe(409);
  own.clock.advance(PAIRING_MS);
  expect((await client.post('/pairings', {})).status).toBe(201);
  const statuses: number[] = [];
  for (let guesses = 0; guesses < 32; guesses += 1) {
    statuses.push((await redeemAsPhone(own.url, `guess${guesses}`)).answer.status);
  }
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(404));
  expect(statuses.at(-1)).toBe(429);
  // An honest phone of the same network is paired all the same.
  own.clock.advance(PAIRING_MS);
  const { token } = (await client.post('/pairings', {})).json;
  for (let guesses = 0; guesses < 10; guesses += 1) await redeemAsPhone(own.url, `more${guesses}`);
  expect((await redeemAsPhone(own.url, 'another')).answer.status).toBe(429);
  expect((await redeemAsPhone(own.url, token)).answer.status).toBe(201);
});
