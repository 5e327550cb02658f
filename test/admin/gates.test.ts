import { expect, onTestFinished, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient, idOf } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();

async function beat(service: TestService, fields: object = {}): Promise<void> {
  const body = JSON.stringify({ Key: 'k', Serial: 'S-1', ...fields });
  await service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}`, body);
}

test('the log is read in pages, newest first, with conditions', async () => {
  const { service, owner } = at;
  const code = await service.mint({ kind: 'multi', uses: 2 });
  const log = `/log?ticket=${idOf(code)}`;
  for (let index = 0; index < 4; index += 1) await service.rest('consume', code);

  const all = (await owner.get(log)).json.items;
  const outcomes = all.map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomes).toEqual(['exhausted', 'exhausted', 'consumed', 'consumed']);
  const denied = (await owner.get(`${log}&outcome=denied&limit=1`)).json;
  expect(denied.items).toHaveLength(1);
  const older = (await owner.get(`/log?outcome=denied&limit=1&before=${denied.next}`)).json;
  expect(older.items[0].sequence).toBe(denied.items[0].sequence - 1);
  const first = all.at(-1).sequence;
  const forward = (await owner.get(`/log?after=${first}`)).json;
  expect(forward).toMatchObject({ next: null, searchedBackTo: first + 3 });
  expect(forward.items[0].sequence).toBe(first + 1);

  const exported = (format: string) =>
    owner.get(`/log/export?format=${format}&ticket=${idOf(code)}`);
  expect((await exported('csv')).text.split('\n')).toHaveLength(6);
  const lines = (await exported('jsonl')).text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(all.toReversed());
});

test('an organisation sees who was refused with its keys; unknown keys are shown to the only one', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const nothing = { items: [], others: null };
  expect((await owner.get('/refusals')).json).toEqual({ ...nothing, unknownKeys: true });
  const { id } = await service.administration.organisations.create('Second');
  const second = await AdminClient.signedIn(service, 'owner', id);
  for (const key of [service.key('hardwareDeleted'), 'tscn_hw_falsch', 'hunter2'])
    await service.post(`/scan/hw/consume?key=${key}`, '{"Serial":"S-1"}');
  await service.writeRefusals();

  const { text, json } = await owner.get('/refusals');

  expect(json).toMatchObject({ others: null, unknownKeys: false });
  expect(json.items).toMatchObject([
    { reason: 'deleted_key', keyId: expect.stringMatching(/^key_/), serial: 'S-1', times: 1 },
  ]);
  expect(text).not.toContain(service.key('hardwareDeleted'));
  expect((await second.get('/refusals')).json).toEqual({ ...nothing, unknownKeys: false });
  // As an organisation that never had a neighbour.
  await using alone = await TestService.start({ store: 'memory' });
  await alone.post('/scan/hw/consume?key=tscn_hw_falsch', '{"Serial":"TOR1"}');
  await alone.writeRefusals();
  expect((await (await AdminClient.signedIn(alone)).get('/refusals')).json).toMatchObject({
    items: [{ reason: 'malformed_key', keyId: null, serial: 'TOR1' }],
    unknownKeys: true,
  });
});

test('devices show what their heartbeat said, whether they are there, and their latest scans', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const code = await service.mint();
  const shown = new Date(service.clock.nowMs + 2 * 3_600_000 + 3000);
  const Now = `${shown.toISOString().replace(/\D/g, '').slice(0, 14)}03`;
  await beat(service, { Ver: '1.2', IP: '10.0.0.9', Now });
  await service.card('consume', code);
  await service.card('consume', code, { Serial: 'S-2' });

  const { items } = (await viewer.get('/devices')).json;

  expect(items).toMatchObject([
    { serial: 'S-1', firmware: '1.2', address: '10.0.0.9', online: true, clockDriftMs: 3000 },
    { serial: 'S-2', online: true, lastHeartbeatAt: null, clockDriftMs: null },
  ]);
  expect(items.map(({ today }: { today: unknown }) => today)).toEqual([
    [{ outcome: 'consumed', scans: 1 }],
    [{ outcome: 'exhausted', scans: 1 }],
  ]);
  expect(items[0].lastScans).toMatchObject([{ outcome: 'consumed' }]);
  expect(items[1].lastScans).toMatchObject([{ outcome: 'exhausted' }]);
  service.clock.advance(31_000);
  const online = async () =>
    (await viewer.get('/devices')).json.items.map(({ online: is }: { online: boolean }) => is);
  expect(await online()).toEqual([false, false]);
  // A device that sends heartbeats is missed although it scans.
  for (const Serial of ['S-1', 'S-2']) await service.card('consume', code, { Serial });
  expect(await online()).toEqual([false, true]);
});

test('the first contact and the last scan of a device are known however many came since', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  await beat(service, {});
  const shown = async () => (await viewer.get('/devices')).json.items[0];
  const knownSince = new Date(service.clock.now()).toISOString();
  expect(await shown()).toMatchObject({ lastScanAt: null, knownSince });
  const code = await service.mint();
  await service.card('consume', code);
  const { lastScanAt } = await shown();
  expect(lastScanAt).toMatch(/Z$/);
  service.clock.advance(60_000);
  await beat(service, {});
  // A thousand connections at once may wait longer for their turn than a server waits for a request.
  for (let sent = 0; sent < 1001; sent += 77) {
    const some = Array.from({ length: 77 }, () => service.card('consume', code, { Serial: 'S-2' }));
    await Promise.all(some);
  }

  expect(await shown()).toMatchObject({
    serial: 'S-1',
    knownSince,
    lastScanAt: lastScanAt.replace(/:\d\d\.\d+Z$/, ':00.000Z'),
    lastScans: [],
  });
});

// On a store that several processes share: statistics also count what others wrote.
test.each(['memory', 'sqlite'] as const)(
  '%s: statistics count consume operations by minute, gate and reason, and none of the future',
  async (store) => {
    await using service = await TestService.start({ store });
    const viewer = await AdminClient.signedIn(service, 'viewer');
    await viewer.get('/statistics');
    const before = (await viewer.get('/statistics')).json.today;
    const code = await service.mint();

    await beat(service);
    await service.card('consume', code);
    service.clock.advance(60_000);
    await service.card('consume', code);
    await service.card('validate', code);
    await service.rest('consume', 'no code');

    const { json } = await viewer.get('/statistics?minutes=2');
    expect(json.complete).toBe(true);
    expect(json.today).toEqual({ admitted: before.admitted + 1, denied: before.denied + 2 });
    expect(json.minutes).toMatchObject([{ denied: 0 }, { admitted: 0, denied: 2 }]);
    const gate = { gate: 'Gates (S-1)', serial: 'S-1', admitted: 1, denied: 1 };
    expect(json.byGate).toContainEqual(expect.objectContaining(gate));
    for (const reason of ['exhausted', 'invalid_ticket'])
      expect(json.byReason).toContainEqual({ reason, count: 1 });

    // The clock was set back.
    service.clock.nowMs -= 30 * 24 * 60 * 60 * 1000;
    const { complete, byGate, byReason } = (await viewer.get('/statistics?minutes=60')).json;
    expect([complete, byGate, byReason]).toEqual([true, [], []]);
    const [device] = (await viewer.get('/devices')).json.items;
    expect(device).toMatchObject({ serial: 'S-1', online: false });
  },
);

test('statistics of a period are those of the own organisation, in the zone that is asked for, also as a file', async () => {
  const { service, owner } = at;
  await service.card('consume', await service.mint());

  const { json } = await owner.get('/statistics/scans?by=gate&timeZone=Europe/Berlin');
  expect(json).toMatchObject({ to: '2026-07-01', from: '2026-06-25', timeZone: 'Europe/Berlin' });
  expect(json.rows).toContainEqual(expect.objectContaining({ gate: 'Gates (S-1)', admitted: 1 }));
  const own = (await owner.get('/keys')).json.items.map(({ id }: { id: string }) => id);
  for (const { keyId } of json.rows) expect(own).toContain(keyId);
  const csv = await owner.get('/statistics/scans/export?by=gate');
  expect(csv.text).toMatch(/^Gates \(S-1\),key_\w+,S-1,1,0,0,0,0$/m);

  const machine = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  onTestFinished(() => {
    process.env['TZ'] = machine ?? 'UTC';
  });
  const unasked = (await owner.get('/statistics/scans?by=hour')).json;
  expect(unasked.timeZone).toBe('UTC');
  expect(unasked.rows[0].hour).toMatch(/T00:00\+00:00$/);
  expect((await owner.get('/statistics/scans/export?by=hour')).text).toMatch(/T00:00\+00:00/);

  for (const query of ['timeZone=Mars', 'from=today', 'by=week', 'event=none'])
    expect([404, 422]).toContain((await owner.get(`/statistics/scans?${query}`)).status);
});
