import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { WORKBOOK_TYPE } from '../../src/kit/workbooks.ts';
import type { Document } from '../support/document-problems.ts';
import { FIRST_QUESTION } from '../support/site-question.ts';
import { workbookOf } from '../support/workbooks.ts';
import { AdminClient, PASSWORD, pairedPhone } from './support/client.ts';
import { startHeard } from './support/heard-service.ts';
import { LOGO } from './support/logo.ts';

const BODY_MAX = 64 * 1024;
const WRONG_BODIES: readonly [body: unknown, headers?: Record<string, string>][] = [
  [[]],
  ['{'],
  ['x', { 'content-type': 'text/x' }],
  [`"${'x'.repeat(BODY_MAX)}"`],
];

test('allows what every operation of the administration is answered', async () => {
  const { service, document, problems, succeeded } = await startHeard({ limits: { keysMax: 9 } });
  const owner = await AdminClient.signedIn(service);
  const ids = await makeOneOfEach(owner);
  await service.rest('consume', 'forged');
  await service.rest('consume', await service.mint());
  await owner.patch('/organisation/sheets', { language: 'de', lines: ['Hello'], logo: LOGO });
  await readAll(document, owner, service.url, ids);
  await scanAndPair(owner, service.url, ids);
  await readWorkbook(owner);
  await followSite(owner, service.url, ids);
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
    const query = '?limit=x&minutes=x&format=x&event=none&outcome=x';
    for (const method of Object.keys(item).map((name) => name.toUpperCase())) {
      await stranger.request(method, below);
      await viewer.request(method, `${below}${query}`, method === 'GET' ? undefined : {});
      await owner.request(method, `${below}${query}`);
      await sendWrongBodies(owner, method, below);
    }
  }
  await tryTooOften(owner, viewer);

  for (const status of [400, 401, 403, 404, 409, 413, 415, 422, 429])
    expect([...kinds()].join()).toContain(` ${status}`);
  expect(problems()).toEqual([]);
});

async function sendWrongBodies(owner: AdminClient, method: string, path: string): Promise<void> {
  if (method === 'GET') return;
  for (const wrong of WRONG_BODIES) await owner.request(method, path, ...wrong);
}

async function tryTooOften(owner: AdminClient, viewer: AdminClient): Promise<void> {
  const person = { name: 'Grace', role: 'viewer', password: PASSWORD };
  for (let count = 0; count < 12; count += 1) {
    await owner.post('/accounts', person);
    await owner.post('/keys', { name: `${count}`, type: 'api', events: 'all' });
    await viewer.signIn('Grace', 'not the password');
    await viewer.post('/password', { current: 'not the password', next: PASSWORD });
  }
}

function administrationOf({ paths }: Document): [string, Document['paths'][string]][] {
  return Object.entries(paths).filter(([path]) => path.startsWith('/admin/'));
}

/** The ids by the first part of the path in which they are named. */
type Ids = Record<'events' | 'tickets' | 'keys' | 'accounts' | 'webhooks' | 'hash', string>;

async function makeOneOfEach(owner: AdminClient): Promise<Ids> {
  const events = (await owner.post('/events', { name: 'Opera' })).json.id;
  const holder = { firstName: 'Ada', lastName: 'Byron' };
  const window = { validUntil: '2030-01-01T00:00:00Z' };
  const order = { event: events, type: 'multi', uses: 3, holder, ...window };
  const tickets = (await owner.post('/tickets', order)).json.items[0].ticketId;
  const key = (await owner.post('/keys', { name: 'Gate', type: 'hardware', events: [events] }))
    .json;
  const person = { name: 'Alan', role: 'viewer', password: PASSWORD };
  const accounts = (await owner.post('/accounts', person)).json.id;
  const endpoint = { name: 'ERP', url: 'https://nowhere.invalid/' };
  const webhooks = (await owner.post('/webhooks', endpoint)).json.id;
  const hash = createHash('sha256').update(key.key).digest('hex');
  return { events, tickets, keys: key.id, accounts, webhooks, hash };
}

/** The queries without which a path answers nothing, by how it begins. */
const QUERIES = [
  ['/statistics/scans', '?by=gate'],
  ['/guests', '?search=Ada'],
] as const;

/** Every GET of the document, those of an object with the object that was made. */
async function readAll(document: Document, owner: AdminClient, url: string, ids: Ids) {
  for (const [path, item] of administrationOf(document)) {
    if (!item['get'] || path.endsWith('/live')) continue;
    const below = path.replace('/admin/v1', '').replace('{hash}', ids.hash);
    const id = ids[below.split('/')[1] as keyof Ids];
    const [, query = ''] = QUERIES.find(([start]) => below.startsWith(start)) ?? [];
    await owner.get(`${below.replace('{id}', id)}${query}`);
  }
  for (const what of ['tickets', 'log']) await owner.get(`/${what}/export?format=jsonl`);
  const stop = new AbortController();
  const live = await fetch(`${url}/admin/v1/log/live`, {
    headers: { cookie: owner.cookie ?? '' },
    signal: stop.signal,
  });
  await live.body?.getReader().read();
  stop.abort();
}

async function scanAndPair(owner: AdminClient, url: string, { tickets }: Ids): Promise<void> {
  const scan = { operation: 'validate', ticketCode: tickets, requestId: 'the-only-one' };
  await owner.post('/scans', scan);
  await owner.post('/scans', { ...scan, ticketCode: 'forged', requestId: 'another-one' });
  const { id } = (await owner.post('/pairings', {})).json;
  await owner.get(`/pairings/${id}`);
  await owner.delete(`/pairings/${id}`);
  const phone = await pairedPhone(owner, url);
  await phone.get('/redemptions/current');
  await phone.post('/phones/way', { way: 'out' });
  const [{ id: phoneId }] = (await owner.get('/phones')).json.items;
  await owner.delete(`/phones/${phoneId}`);
}

async function readWorkbook(owner: AdminClient): Promise<void> {
  const workbook = workbookOf([{ name: 'July', rows: [['firstName'], ['Ada']] }]);
  const type = {
    'content-type': WORKBOOK_TYPE,
  };
  const bytes = new Blob([new Uint8Array(workbook)]);
  const answer = await owner.request('POST', '/tickets/list-from-workbook', bytes, type);
  expect(answer).toMatchObject({ status: 200 });
}

/** A site is made, gets an event, asks as a site does, and is retired. */
async function followSite(owner: AdminClient, url: string, { events }: Ids): Promise<void> {
  const { site, token } = (await owner.post('/sites', { name: 'North' })).json;
  await owner.get(`/sites/${site.id}`);
  const incarnation = 'a'.repeat(16);
  const asked = async (path: string, body?: object) =>
    fetch(`${url}/admin/v1/site/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        // The record of what was answered holds text, so the feed may not come packed.
        'accept-encoding': 'identity',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const question = { ...FIRST_QUESTION, incarnation };
  await asked('feed', question);
  await owner.post(`/events/${events}/move`, { to: site.id });
  await asked(`tickets?incarnation=${incarnation}&event=${events}&epoch=1`);
  const [{ id: keyId }] = (await owner.get('/keys')).json.items;
  const entry = {
    sequence: 1,
    at: new Date().toISOString(),
    keyId,
    serial: null,
    reader: null,
    operation: 'consume',
    outcome: 'rejected',
    reason: 'invalid_ticket',
    ticketId: null,
    excerpt: 'x',
    usesConsumed: null,
    replayed: false,
  };
  await asked('rows', {
    incarnation,
    rows: [{ after: 0, epoch: 0, entry }],
    waiting: 0,
    scanners: [],
  });
  await owner.get(`/sites/${site.id}/freeing`);
  await owner.post(`/sites/${site.id}/free`);
  await owner.post(`/sites/${site.id}/retire`);
}

async function changeAll(owner: AdminClient, ids: Ids): Promise<void> {
  const { events: event, tickets: ticket, keys, accounts, webhooks } = ids;
  const single = { event, type: 'single' };
  const newTicket = async () => (await owner.post('/tickets', single)).json.items[0].ticketId;
  const newEvent = async (name: string) => (await owner.post('/events', { name })).json.id;
  const newToken = async () =>
    (await owner.post('/access-tokens', { name: 'one', role: 'viewer' })).json.id;
  const [lost, never] = [await newTicket(), await newTicket()];
  const [fresh, empty] = [await newEvent('Swimming'), await newEvent('Nothing')];
  const [{ sequence }] = (await owner.get('/log?outcome=consumed&limit=1')).json.items;
  const list = (await owner.get('/tickets/export')).text;
  const steps: [method: string, path: string, body?: unknown][] = [
    ['PATCH', `/webhooks/${webhooks}`, { newSecret: true, active: false }],
    ['POST', `/webhooks/${webhooks}/test`],
    ['DELETE', `/webhooks/${webhooks}`],
    ['PATCH', '/organisation', { timeZone: 'Europe/Berlin', insideFrom: '05:30' }],
    ['PATCH', `/events/${event}`, { name: 'Ballet' }],
    ['POST', `/events/${event}/reset-inside`],
    ['PATCH', `/keys/${keys}`, { active: false, readers: { 1: 'out' }, onExit: 'open' }],
    ['POST', `/key-rotations/${keys}`, { overlapSeconds: 60 }],
    ['GET', `/key-answers/${keys}`],
    ['POST', '/device-names', { key: keys, serial: 'S-1', name: 'North' }],
    ['PATCH', `/accounts/${accounts}`, { role: 'operator' }],
    ['POST', '/tickets/cancel', { ids: [ticket] }],
    ['POST', '/tickets/reinstate', { ids: [ticket] }],
    ['POST', `/tickets/${lost}/replace`, {}],
    ['POST', `/log/${sequence}/undo`, { reason: 'a test' }],
    ['PATCH', `/tickets/${ticket}`, { uses: 4 }],
    ['POST', '/tickets/cancel', { event }],
    ['POST', '/tickets/delete', { batch: 'bat_0123456789' }],
    ['POST', '/tickets/sheet.pdf', { ids: [ticket] }],
    ['POST', `/tickets/from-list?event=${fresh}`, 'Vorname\nAda\n'],
    ['POST', `/tickets/from-list?event=${fresh}`, 'Rufname\nAda\n'],
    ['POST', '/tickets/import?skipExisting=true', list],
    ['POST', '/tickets/import', list],
    ['POST', '/tickets/import', `${list}nonsense`],
    ['DELETE', `/tickets/${ticket}`],
    ['POST', '/tickets/erase-holders', { ids: [never] }],
    ['DELETE', `/tickets/${never}`],
    ['POST', `/events/${empty}/archive`],
    ['POST', `/events/${empty}/unarchive`],
    ['DELETE', `/events/${empty}`],
    ['DELETE', `/access-tokens/${await newToken()}`],
    ['DELETE', `/organisation/access-tokens/${await newToken()}`],
    ['DELETE', `/accounts/${accounts}`],
    ['DELETE', `/keys/${keys}`],
    ['POST', '/password', { current: PASSWORD, next: PASSWORD }],
    ['DELETE', '/sessions/current'],
  ];
  for (const [method, path, body] of steps) {
    const type = typeof body === 'string' ? { 'content-type': 'text/csv' } : {};
    await owner.request(method, path, body, type);
  }
}
