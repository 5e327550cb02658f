import { expect, test } from 'vitest';
import { createEvent } from '../../src/features/events/operations.ts';
import { changeKey, createKey } from '../../src/features/keys/operations.ts';
import { callWithToken } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService({ store: 'memory', limits: { keysMax: 20 } });

test('a key created here scans a ticket created here, and is refused at once when it is deleted', async () => {
  const { service, owner } = at;
  const event = (await owner.post('/events', { name: 'Night swim' })).json.id;
  const key = (await owner.post('/keys', { name: 'Gate', type: 'api', events: [event] })).json;
  const tickets = await owner.post('/tickets', { event, type: 'single', count: 2 });
  const [first, second] = tickets.json.items;
  const headers = { 'x-api-key': key.key };

  expect((await service.rest('consume', first.code, headers)).json.status).toBe('consumed');
  expect((await owner.get(`/tickets/${first.ticketId}`)).json).toMatchObject({
    state: 'exhausted',
    code: first.code,
  });
  expect((await owner.get('/keys')).text).not.toContain(key.key);
  expect((await owner.delete(`/keys/${key.id}`)).status).toBe(200);
  expect((await service.rest('consume', second.code, headers)).status).toBe(401);
});

test('a hardware key comes with the URLs of its devices', async () => {
  const order = { name: 'Turnstile', type: 'hardware', events: 'all' };
  const { json } = await at.owner.post('/keys', order);

  expect(json.cardUrl).toBe(`${at.service.url}/scan/hw/consume?key=${json.key}`);
  expect(json.heartUrl).toBe(`${at.service.url}/scan/hw/heartbeat?key=${json.key}`);
});

test('the audit log tells who did what, also on the command line, and no key', async () => {
  const { service, owner } = at;
  const { json: key } = await owner.post('/keys', { name: 'Gate', type: 'api', events: 'all' });
  const expiresAt = '2096-10-02T07:06:40.000Z';
  await owner.patch(`/keys/${key.id}`, { active: false, expiresAt });
  await service.administration.keys.delete(key.id);

  const { json, text } = await owner.get('/audit-log?limit=3');

  expect(json.items).toMatchObject([
    { act: 'key.delete', subject: key.id, by: 'command line', accountId: null },
    { act: 'key.change', subject: key.id, details: { active: false, expiresAt } },
    { act: 'key.create', subject: key.id, details: { name: 'Gate', type: 'api' } },
  ]);
  expect(json.items[2].by).toMatch(/^owner /);
  expect(json.next).toBe(json.items[2].sequence);
  expect(text).not.toContain(key.key);
});

test('a client and its server refuse bad input as a usage error', async () => {
  const call = await callWithToken(at);
  await expect(call(createEvent, { name: '' })).rejects.toMatchObject({
    code: 'usage',
    message: 'name: must not be empty',
  });
  const gate = { name: 'Gate', type: 'hardware', events: 'all' } as const;
  const refused = 'This server has no device file "nope"';
  await expect(call(createKey, { ...gate, device: 'nope' })).rejects.toThrow(refused);
  const { id } = await call(createKey, gate);
  await expect(call(changeKey, { id, device: 'nope' })).rejects.toThrow(refused);
});

test('a member that cannot be given is refused by name, and nothing is changed', async () => {
  const { service, owner } = at;
  const ids = [(await service.mint({})).split('.')[1]];
  const [{ id: event }] = (await owner.get('/events')).json.items;
  const key = (await owner.post('/keys', { name: 'Till', type: 'api', events: 'all' })).json;
  const seen = async () => [
    (await owner.get('/tickets')).json.items,
    (await owner.get('/accounts')).json.items,
    (await owner.get('/keys')).json.items,
    (await owner.get('/organisation')).json,
  ];
  const before = await seen();

  for (const [method, path, body, member] of [
    ['POST', '/tickets/delete', { ids, event }, 'ids'],
    [
      'POST',
      `/key-rotations/${key.id}`,
      { overlap: 0 },
      'overlap (did you mean "overlapSeconds"?)',
    ],
    [
      'POST',
      '/accounts',
      { name: 'd', role: 'scanner', password: 'a long password', event },
      'event (did you mean "events"?)',
    ],
    ['PATCH', `/keys/${key.id}`, { type: 'hardware' }, 'type'],
    ['PATCH', '/organisation', { limits: { ratePerSecond: 1e9, keysMax: 1e6 } }, 'limits'],
  ] as const) {
    const { status, json } = await owner.request(method, path, body);
    const message = `The request has a member that cannot be given here: ${member}.`;
    expect([status, json.message], path).toEqual([422, message]);
  }
  expect(await seen()).toEqual(before);
});

test('what is wrong with a request is said, with the member, and nothing of the program', async () => {
  const { owner } = at;
  const event = at.service.seeded.events.main;
  const cases: [path: string, body: unknown, status: number, field: string | undefined][] = [
    ['/events', { name: '' }, 422, 'name'],
    ['/events', { name: 'line\nbreak' }, 422, undefined],
    ['/events', { name: 'x'.repeat(300) }, 422, 'name'],
    ['/events', { name: '\u202Egnp.exe' }, 422, undefined],
    ['/events', '{', 400, undefined],
    ['/keys', { name: 'k', type: 'telepathy', events: 'all' }, 422, 'type'],
    ['/keys', { name: 'k', type: 'api', events: [] }, 422, 'events'],
    ['/keys', '', 422, undefined],
    ['/tickets', { event, type: 'multi', uses: 1 }, 422, undefined],
    ['/tickets', { event: 'nosuch', type: 'single' }, 404, undefined],
    ['/accounts', { name: 'x', role: 'owner', password: 'short' }, 422, 'password'],
  ];
  for (const [path, body, status, field] of cases) {
    const answer = await owner.request('POST', path, body, { 'content-type': 'application/json' });
    const { json, text } = answer;
    expect([answer.status, json.field], `${path} ${JSON.stringify(body)}`).toEqual([status, field]);
    expect(json.message.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/node_modules|\.ts:\d/);
  }
  expect((await owner.get('/log?limit=0')).json.field).toBe('limit');
  expect((await owner.get('/nowhere')).status).toBe(404);
  // Where none is needed, a content type without a body is none.
  const { id } = (await owner.post('/keys', { name: 'Till', type: 'api', events: 'all' })).json;
  const json = { 'content-type': 'application/json' };
  expect((await owner.request('DELETE', `/keys/${id}`, '', json)).status).toBe(200);
});

test('hostile names come back as they are and harm nothing', async () => {
  const { owner } = at;
  const event = at.service.seeded.events.main;
  for (const name of [
    '<img src=x onerror=alert(1)>',
    '🎟️👩‍👩‍👧',
    "Robert'); DROP TABLE ticket;--",
  ]) {
    expect((await owner.post('/events', { name })).json.name).toBe(name);
    const holder = { firstName: name, lastName: 'x'.repeat(200) };
    const [ticket] = (await owner.post('/tickets', { event, type: 'single', holder })).json.items;
    expect(ticket.holder).toEqual(holder);
    const found = await owner.get(`/tickets?search=${encodeURIComponent(name)}`);
    expect(found.json.items[0].ticketId).toBe(ticket.ticketId);
  }
});
