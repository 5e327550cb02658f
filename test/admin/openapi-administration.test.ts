import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Document } from '../support/document-problems.ts';
import { AdminClient, PASSWORD, pairedPhone } from './support/client.ts';
import { startHeard } from './support/heard-service.ts';
import { LOGO } from './support/logo.ts';

test('allows what every operation of the administration is answered', async () => {
  const { service, document, problems, succeeded } = await startHeard({ limits: { keysMax: 9 } });
  const owner = await AdminClient.signedIn(service);
  const ids = await makeOneOfEach(owner);
  await service.rest('consume', 'forged');
  await service.rest('consume', await service.mint());
  await readAll(owner, service.url, ids);
  await scanAndPair(owner, service.url, ids);
  await useWebhook(owner);
  await changeAll(owner, ids);

  const operations = administrationOf(document).flatMap(([, item]) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(operations.filter((id) => !succeeded().has(id))).toEqual([]);
  expect(problems()).toEqual([]);
});

test('allows what is refused there', async () => {
  const { service, document, problems, kinds } = await startHeard({ limits: { keysMax: 9 } });
  const owner = await AdminClient.signedIn(service);
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const stranger = new AdminClient(service.url);
  for (const [path, item] of administrationOf(document)) {
    // Signing out would end the rest.
    if (path.endsWith('/current')) continue;
    const below = path.replace('/admin/v1', '').replace(/\{\w+\}/, 'none');
    for (const method of Object.keys(item).map((name) => name.toUpperCase())) {
      await stranger.request(method, below);
      const query = '?limit=x&minutes=x&format=x&event=none&outcome=x';
      await viewer.request(method, `${below}${query}`, method === 'GET' ? undefined : {});
      await owner.request(method, `${below}${query}`);
      if (method !== 'GET') await sendBadBodies(owner, method, below);
    }
  }
  await tryTooOften(owner, viewer);

  for (const status of [400, 401, 403, 404, 409, 413, 415, 422, 429])
    expect([...kinds()].join()).toContain(` ${status}`);
  expect(problems()).toEqual([]);
});

async function sendBadBodies(owner: AdminClient, method: string, path: string): Promise<void> {
  await owner.request(method, path, []);
  await owner.request(method, path, '{');
  await owner.request(method, path, 'x', { 'content-type': 'text/x' });
  await owner.request(method, path, `"${'x'.repeat(1_100_000)}"`);
}

async function tryTooOften(owner: AdminClient, viewer: AdminClient): Promise<void> {
  const person = { name: 'Grace', role: 'viewer', password: PASSWORD };
  for (let count = 0; count < 40; count += 1) {
    await owner.post('/accounts', person);
    await owner.post('/keys', { name: `${count}`, type: 'api', events: 'all' });
    await viewer.signIn('Grace', 'not the password');
    await viewer.post('/password', { current: 'not the password', next: PASSWORD });
  }
}

function administrationOf({ paths }: Document): [string, Document['paths'][string]][] {
  return Object.entries(paths).filter(([path]) => path.startsWith('/admin/'));
}

type Ids = Record<'event' | 'ticket' | 'key' | 'hash' | 'account' | 'token' | 'token2', string>;

async function makeOneOfEach(owner: AdminClient): Promise<Ids> {
  const event = (await owner.post('/events', { name: 'Opera' })).json.id;
  const holder = { firstName: 'Ada', lastName: 'Byron' };
  const options = { event, type: 'multi', uses: 3, holder, validUntil: '2030-01-01T00:00:00Z' };
  const ticket = (await owner.post('/tickets', options)).json.items[0].ticketId;
  const key = (await owner.post('/keys', { name: 'Gate', type: 'hardware', events: [event] })).json;
  const person = { name: 'Alan', role: 'viewer', password: PASSWORD };
  const account = (await owner.post('/accounts', person)).json.id;
  const tokens = ['one', 'two'].map((name) =>
    owner.post('/access-tokens', { name, role: 'viewer' }),
  );
  const [token, token2] = (await Promise.all(tokens)).map(({ json }) => json.id);
  const hash = createHash('sha256').update(key.key).digest('hex');
  return { event, ticket, key: key.id, hash, account, token, token2 };
}

async function readAll(owner: AdminClient, url: string, { ticket, hash }: Ids): Promise<void> {
  const paths = [
    '/sessions/current',
    '/accounts',
    '/access-tokens',
    '/organisation/access-tokens',
    '/organisation',
    '/organisation/sheets',
    '/organisation/logo.png',
    '/events',
    '/keys',
    `/keys/by-hash/${hash}`,
    '/tickets',
    `/tickets/${ticket}`,
    `/tickets/${ticket}/last-use`,
    `/tickets/${ticket}/qr.svg`,
    `/tickets/${ticket}/sheet.pdf`,
    '/tickets/export?format=jsonl',
    '/tickets/export',
    '/log',
    '/refusals',
    '/log/export?format=jsonl',
    '/log/export',
    '/devices',
    '/statistics',
    '/statistics/scans?by=gate',
    '/statistics/scans/export?by=event',
    '/audit-trail',
    '/server',
  ];
  await owner.patch('/organisation/sheets', { language: 'de', lines: ['Hello'], logo: LOGO });
  for (const path of paths) await owner.get(path);
  const stop = new AbortController();
  const live = await fetch(`${url}/admin/v1/log/live`, {
    headers: { cookie: owner.cookie ?? '' },
    signal: stop.signal,
  });
  await live.body?.getReader().read();
  stop.abort();
}

async function scanAndPair(owner: AdminClient, url: string, { ticket }: Ids): Promise<void> {
  const scan = { operation: 'validate', ticketCode: ticket, requestId: 'the-only-one' };
  await owner.post('/scans', scan);
  await owner.post('/scans', { ...scan, ticketCode: 'forged', requestId: 'another-one' });
  await owner.get('/scanners');
  const { id } = (await owner.post('/pairings', {})).json;
  await owner.get(`/pairings/${id}`);
  await owner.delete(`/pairings/${id}`);
  const phone = await pairedPhone(owner, url);
  await phone.get('/redemptions/current');
  const [{ id: phoneId }] = (await owner.get('/phones')).json.items;
  await owner.delete(`/phones/${phoneId}`);
}

async function useWebhook(owner: AdminClient): Promise<void> {
  const endpoint = { name: 'ERP', url: 'https://nowhere.invalid/' };
  const { id } = (await owner.post('/webhooks', endpoint)).json;
  await owner.get('/webhooks');
  await owner.patch(`/webhooks/${id}`, { newSecret: true, active: false });
  await owner.post(`/webhooks/${id}/test`);
  await owner.get(`/webhooks/${id}/deliveries`);
  await owner.delete(`/webhooks/${id}`);
}

async function changeAll(owner: AdminClient, ids: Ids): Promise<void> {
  await owner.patch('/organisation', { timeZone: 'Europe/Berlin' });
  const { event, ticket, key, account, token, token2 } = ids;
  await owner.patch(`/events/${event}`, { name: 'Ballet' });
  await owner.post(`/events/${event}/reset-inside`);
  await owner.patch(`/keys/${key}`, { active: false, readers: { 1: 'out' }, onExit: 'open' });
  await owner.post(`/key-rotations/${key}`, { overlapSeconds: 60 });
  await owner.patch(`/accounts/${account}`, { role: 'operator' });
  await owner.post('/tickets/cancel', { ids: [ticket] });
  await owner.post('/tickets/reinstate', { ids: [ticket] });
  const lost = (await owner.post('/tickets', { event, type: 'single' })).json.items[0].ticketId;
  await owner.post(`/tickets/${lost}/replace`, {});
  const [use] = (await owner.get('/log?outcome=consumed&limit=1')).json.items;
  await owner.post(`/log/${use.sequence}/undo`, { reason: 'a test' });
  await owner.patch(`/tickets/${ticket}`, { uses: 4 });
  await owner.post('/tickets/cancel', { event });
  await owner.post('/tickets/delete', { batch: 'bat_0123456789' });
  const list = (await owner.get('/tickets/export')).text;
  const csv = { 'content-type': 'text/csv' };
  await owner.post('/tickets/sheet.pdf', { ids: [ticket] });
  const fresh = await owner.post('/events', { name: 'Swimming' });
  const names = '/tickets/from-list?event=';
  await owner.request('POST', `${names}${fresh.json.id}`, 'Vorname\nAda\n', csv);
  await owner.request('POST', `${names}${fresh.json.id}`, 'Rufname\nAda\n', csv);
  await owner.request('POST', '/tickets/import?skipExisting=true', list, csv);
  await owner.request('POST', '/tickets/import', list, csv);
  await owner.request('POST', '/tickets/import', `${list}nonsense`, csv);
  await owner.delete(`/tickets/${ticket}`);
  const never = (await owner.post('/tickets', { event, type: 'single' })).json.items[0];
  await owner.post('/tickets/erase-holders', { ids: [never.ticketId] });
  await owner.delete(`/tickets/${never.ticketId}`);
  const { id: empty } = (await owner.post('/events', { name: 'Nothing' })).json;
  for (const act of ['archive', 'unarchive']) await owner.post(`/events/${empty}/${act}`);
  await owner.get(`/events/${empty}/deletion`);
  await owner.delete(`/events/${empty}`);
  await owner.delete(`/access-tokens/${token}`);
  await owner.delete(`/organisation/access-tokens/${token2}`);
  await owner.delete(`/accounts/${account}`);
  await owner.delete(`/keys/${key}`);
  await owner.post('/password', { current: PASSWORD, next: PASSWORD });
  await owner.delete('/sessions/current');
}

interface Described {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { additionalProperties?: unknown } }>
    >;
  };
}

test('every body has the members that it is said to have, and no other', async () => {
  const { document } = await startHeard({});
  const bodies = administrationOf(document).flatMap(([path, item]) =>
    Object.values(item as Readonly<Record<string, Described>>).flatMap(({ requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema ? [[path, schema.additionalProperties] as const] : [];
    }),
  );
  expect(bodies.length).toBeGreaterThan(20);
  expect(bodies.filter(([, others]) => others !== false)).toEqual([]);
});
