import { expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

test('the log is read in pages, newest first, with conditions', async () => {
  await using service = await TestService.start();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const code = await service.mint({ kind: 'multi', uses: 2 });
  const ticketId = code.split('.')[1];
  for (let index = 0; index < 4; index += 1) await service.rest('consume', code);

  const all = await viewer.get(`/log?ticket=${ticketId}`);
  expect(all.json.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'exhausted',
    'exhausted',
    'consumed',
    'consumed',
  ]);
  const denied = await viewer.get(`/log?ticket=${ticketId}&outcome=denied&limit=1`);
  expect(denied.json.items).toHaveLength(1);
  const older = await viewer.get(`/log?outcome=denied&limit=1&before=${denied.json.next}`);
  expect(older.json.items[0].sequence).toBe(denied.json.items[0].sequence - 1);
  const first = all.json.items.at(-1).sequence;
  const forward = await viewer.get(`/log?after=${first}`);
  expect(forward.json).toMatchObject({ next: null, searchedBackTo: first + 3 });
  expect(forward.json.items[0].sequence).toBe(first + 1);

  const csv = await viewer.get(`/log/export?format=csv&ticket=${ticketId}`);
  expect(csv.text.split('\n')).toHaveLength(6);
  const lines = await viewer.get(`/log/export?format=jsonl&ticket=${ticketId}`);
  expect(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(all.json.items.toReversed());
});

test('an organisation sees who was refused with its keys, and no other request', async () => {
  await using service = await TestService.start();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  expect((await viewer.get('/refusals')).json).toEqual({
    items: [],
    others: null,
    unknownKeys: false,
  });

  await service.post(`/scan/hw/consume?key=${service.key('hardwareDeleted')}`, '{"Serial":"S-1"}');
  await service.post('/scan/hw/consume?key=hunter2', '{"Serial":"S-1"}');
  await service.writeRefusals();

  const { text, json } = await viewer.get('/refusals');
  expect(json.items).toMatchObject([
    { reason: 'deleted_key', keyId: expect.stringMatching(/^key_/), serial: 'S-1', times: 1 },
  ]);
  expect(text).not.toContain(service.key('hardwareDeleted'));
});

test('the owner of the only organisation sees unknown and mistyped keys; with a second organisation the list says that they are missing', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  await service.post('/scan/hw/consume?key=tscn_hw_falsch', '{"Serial":"TOR1"}');
  await service.writeRefusals();

  const alone = (await owner.get('/refusals')).json;
  await service.administration.createOrganisation('Second');
  const oneOfTwo = (await owner.get('/refusals')).json;

  expect(alone).toMatchObject({
    items: [{ reason: 'malformed_key', keyId: null, serial: 'TOR1' }],
    unknownKeys: true,
  });
  expect(oneOfTwo).toEqual({ items: [], others: null, unknownKeys: false });
});

test('devices show what their heartbeat said, whether they are there, and their latest scans', async () => {
  await using service = await TestService.start();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const code = await service.mint();
  const shown = new Date(service.clock.nowMs + 2 * 3_600_000 + 3000);
  const Now = `${shown.toISOString().replace(/\D/g, '').slice(0, 14)}03`;
  const heartbeat = JSON.stringify({ Key: 'k', Serial: 'S-1', Ver: '1.2', IP: '10.0.0.9', Now });
  await service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}`, heartbeat);
  await service.card('consume', code);
  await service.card('consume', code, { Serial: 'S-2' });

  const { json } = await viewer.get('/devices');

  expect(json.items).toMatchObject([
    { serial: 'S-1', firmware: '1.2', address: '10.0.0.9', online: true, clockDriftMs: 3000 },
    { serial: 'S-2', online: false, lastHeartbeatAt: null, clockDriftMs: null },
  ]);
  expect(json.items[0].lastScans).toMatchObject([{ outcome: 'consumed' }]);
  expect(json.items[1].lastScans).toMatchObject([{ outcome: 'exhausted' }]);
  service.clock.advance(31_000);
  expect((await viewer.get('/devices')).json.items[0].online).toBe(false);
});

test('statistics count consume operations by minute, gate and reason, also of what other processes wrote', async () => {
  await using service = await TestService.start();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  await viewer.get('/statistics');
  const before = (await viewer.get('/statistics')).json.today;
  const code = await service.mint();

  await service.card('consume', code);
  service.clock.advance(60_000);
  await service.card('consume', code);
  await service.card('validate', code);
  await service.rest('consume', 'no code');

  const { json } = await viewer.get('/statistics?minutes=2');
  expect(json.complete).toBe(true);
  expect(json.today).toEqual({ admitted: before.admitted + 1, denied: before.denied + 2 });
  expect(json.minutes).toMatchObject([{ denied: 0 }, { admitted: 0, denied: 2 }]);
  expect(json.byGate).toContainEqual(
    expect.objectContaining({ gate: 'S-1', serial: 'S-1', admitted: 1, denied: 1 }),
  );
  expect(json.byReason).toEqual(
    expect.arrayContaining([
      { reason: 'exhausted', count: 1 },
      { reason: 'invalid_ticket', count: 1 },
    ]),
  );
});

test('scans of the future, after the clock was set back, are not counted as the last hour', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const heartbeat = JSON.stringify({ Key: 'k', Serial: 'S-1' });
  await service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}`, heartbeat);
  const code = await service.mint();
  await service.card('consume', code);
  await service.card('consume', code);
  service.clock.nowMs -= 30 * 24 * 60 * 60 * 1000;

  const { json } = await viewer.get('/statistics?minutes=60');
  const [device] = (await viewer.get('/devices')).json.items;

  expect([json.complete, json.byGate, json.byReason]).toEqual([true, [], []]);
  expect(device).toMatchObject({ serial: 'S-1', online: false });
});

test('the trail tells who did what, also on the command line', async () => {
  await using service = await TestService.start({ limits: { keysMax: 20 } });
  const owner = await AdminClient.signedIn(service);
  const { json: key } = await owner.post('/keys', { name: 'Gate', type: 'api', events: 'all' });
  const expiresAt = '2096-10-02T07:06:40.000Z';
  await owner.patch(`/keys/${key.id}`, { active: false, expiresAt });
  await service.administration.deleteKey(key.id);

  const { json, text } = await owner.get('/audit-trail?limit=3');

  const byCommandLine = { by: 'command line', accountId: null };
  expect(json.items).toMatchObject([
    { act: 'key.delete', subject: key.id, ...byCommandLine },
    { act: 'key.change', subject: key.id, details: { active: false, expiresAt } },
    { act: 'key.create', subject: key.id, details: { name: 'Gate', type: 'api' } },
  ]);
  expect(json.items[2].by).toMatch(/^owner /);
  expect(json.next).toBe(json.items[2].sequence);
  expect(text).not.toContain(key.key);
});

test('an owner sees the limits of the organisation and cannot lift them', async () => {
  await using service = await TestService.start({ limits: { burst: 7 } });
  const owner = await AdminClient.signedIn(service);
  const change = { limits: { ratePerSecond: 1e9, quotaPerMonth: 1e12, keysMax: 1e6 } };
  const { json: before } = await owner.get('/organisation');
  expect(before.limits).toMatchObject({ burst: 7, quotaPerMonth: 500_000 });

  for (const method of ['PATCH', 'PUT', 'POST']) {
    const { status } = await owner.request(method, '/organisation', change);
    // PATCH takes the time zone, and nothing else.
    expect([404, 405, 422], method).toContain(status);
  }

  expect((await owner.get('/organisation')).json).toEqual(before);
});

test('a ticket is shown as a QR code and as a page to print', async () => {
  await using service = await TestService.start();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const ticketId = (await service.mint({ lastName: 'Žižka' })).split('.')[1];

  const qr = await viewer.get(`/tickets/${ticketId}/qr.svg`);
  const sheet = await viewer.get(`/tickets/${ticketId}/sheet.pdf?timeZone=Europe/Berlin`);

  expect(qr.headers.get('content-type')).toContain('image/svg+xml');
  expect(qr.text).toMatch(/^<svg .*<\/svg>\n$/s);
  expect(sheet.status).toBe(200);
  expect(sheet.text.startsWith('%PDF-')).toBe(true);
  expect((await viewer.get(`/tickets/${ticketId}/sheet.pdf?layout=none`)).status).toBe(422);
});

test('statistics of a period are those of the own organisation, also as a file', async () => {
  await using service = await TestService.start();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  await service.card('consume', await service.mint());

  const { json } = await viewer.get('/statistics/scans?by=gate&timeZone=Europe/Berlin');
  expect(json).toMatchObject({ to: '2026-07-01', from: '2026-06-25', timeZone: 'Europe/Berlin' });
  expect(json.rows).toContainEqual(expect.objectContaining({ gate: 'S-1', admitted: 1 }));
  const machine = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    const unasked = await viewer.get('/statistics/scans?by=hour');
    expect(unasked.json.timeZone).toBe('UTC');
    expect(unasked.json.rows[0].hour).toMatch(/T00:00\+00:00$/);
    const file = await viewer.get('/statistics/scans/export?by=hour');
    expect(file.text).toMatch(/T00:00\+00:00/);
  } finally {
    process.env['TZ'] = machine ?? 'UTC';
  }
  const csv = await viewer.get('/statistics/scans/export?by=gate');
  expect(csv.text).toMatch(/^S-1,key_\w+,S-1,1,0,0,0,0$/m);
  const own = (await viewer.get('/keys')).json.items.map(({ id }: { id: string }) => id);
  for (const { keyId } of json.rows) expect(own).toContain(keyId);

  for (const query of ['timeZone=Mars', 'from=today', 'by=week', 'event=none'])
    expect((await viewer.get(`/statistics/scans?${query}`)).status).toBeGreaterThanOrEqual(400);
});
