import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAccessToken } from '../../src/core/api-key.ts';
import { TestService } from '../support/service.ts';
import { AdminClient, makeAccount, PASSWORD } from './support/client.ts';

function linesOf(service: TestService): Record<string, unknown>[] {
  return service.logs
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 40);
}

test('failed sign-ins are told, with the account where there is one and never with what was typed', async () => {
  await using service = await TestService.start({ store: 'memory' });
  await makeAccount(service, 'Ada', 'owner');
  const client = new AdminClient(service.url);
  const typedByMistake = 'my secret password';

  await client.signIn('Ada', 'wrong password');
  await client.signIn(typedByMistake, 'x');

  const [document] = await service.store.list('account');
  const failed = { msg: 'a sign-in failed', status: 401, address: '127.0.0.1' };
  expect(linesOf(service)).toMatchObject([
    { ...failed, account: (document!.value as { id: string }).id },
    { ...failed, name: `${typedByMistake.length} characters` },
  ]);
  for (const secret of [typedByMistake, 'wrong password', PASSWORD]) {
    expect(service.logs).not.toContain(secret);
  }
});

test('401, 403 and 429 of the admin API are told, without keys, tokens, cookies and queries', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const { account } = (await viewer.get('/sessions/current')).json;
  const stranger = new AdminClient(service.url);
  const bearer = (value: string) =>
    stranger.request('GET', '/events?search=hidden', undefined, {
      authorization: `Bearer ${value}`,
    });
  const token = makeAccessToken(randomBytes);

  await bearer(token);
  await bearer(service.key('rest'));
  await viewer.post('/keys', { name: 'k', type: 'api', events: 'all' });
  await viewer.request('POST', '/password', {}, { origin: 'https://evil.example' });
  for (let guess = 0; guess < 7; guess += 1) {
    await viewer.post('/password', { current: `guess ${guess}`, next: 'a wholly new password' });
  }
  await stranger.get('/sessions/current');

  expect(
    linesOf(service).map(({ status, route, token: shown, account: who }) => [
      status,
      route,
      shown ?? who,
    ]),
  ).toEqual([
    [401, 'GET /admin/v1/events', `${token.length} characters`],
    [401, 'GET /admin/v1/events', `${service.key('rest').slice(0, 13)}…`],
    [403, 'POST /admin/v1/keys', account.id],
    [403, 'POST /admin/v1/password', undefined],
    [403, 'POST /admin/v1/password', account.id],
    [429, 'POST /admin/v1/password', account.id],
  ]);
  for (const secret of [token, service.key('rest'), viewer.cookie!.split('=')[1]!, 'hidden']) {
    expect(service.logs).not.toContain(secret);
  }
});
