import { describe, expect, test } from 'vitest';
import { loadDeviceFiles, parseDeviceFile } from '../../src/device-files/load.ts';
import type { DeviceFile } from '../../src/device-files/schema.ts';
import { DeviceFiles } from '../../src/scan/devices/device-files.ts';
import { Device } from '../../src/simulate/connect.ts';
import type { DeviceEvent } from '../../src/simulate/device-events.ts';
import { modelFromFile } from '../../src/simulate/models/file-model.ts';
import { aDeviceFile } from '../support/device-files.ts';
import { type Answer, TestService } from '../support/service.ts';
import { ENGINES } from '../support/stores.ts';

const [CONTROL_ID] = loadDeviceFiles('control-id') as [DeviceFile];
const shipped = loadDeviceFiles('fixtures/device-files');

/** A door that reads the status alone, at the Card URL: text in, nothing out. */
const BY_STATUS = parseDeviceFile(
  `deviceFile: 1
name: by-status
title: A door that reads the status alone
proven: nothing
requests:
  - kind: scan
    when: [{ form: door }]
    code: { form: data, decode: [base64] }
    serial: { form: door }
    direction: { form: way, in: [enter], out: [leave] }
  - kind: heartbeat
    when: [{ json: alive }]
    serial: { json: alive }
    firmware: { json: 'versions[1]' }
values:
  door: { form: door }
answers:
  granted: { status: 200, type: text/xml, body: '<open way="{{relay}}" door="{{door}}" n="{{used}}">{{name}}</open>' }
  denied: { status: 403, type: text/xml, body: '<shut>{{note}}</shut>' }
  heartbeat: { type: application/json, body: '{"ok":true}' }
`,
  'by-status.yaml',
);

const files = new DeviceFiles([...shipped, BY_STATUS]);

/** A service with a key that is bound to a device file. */
async function gate(device: string, options: object = {}, terms: object = {}) {
  const service = await TestService.start({ store: 'memory', deviceFiles: files, ...options });
  await service.administration.keys.edit(service.key('hardware'), { device, ...terms });
  return { service, key: service.key('hardware') };
}

async function call(service: TestService, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, init);
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Not every device speaks JSON.
  }
  return { status: response.status, headers: response.headers, text, json };
}

const post = (service: TestService, path: string, body: unknown) =>
  call(service, path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const qrcode = (code: string, more: object = {}) => ({
  device_id: 47,
  identifier_id: 1,
  qrcode_value: code,
  portal_id: 3,
  uuid: 'a',
  time: 1793275200,
  ...more,
});

describe('Control iD', () => {
  test('a ticket opens once, with its holder, the portal of the request and the turnstile’s way', async () => {
    const { service, key } = await gate('control-id');
    await using _ = service;
    const code = await service.mint({ firstName: 'A"da', lastName: 'Lovelace' });
    const granted = await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(`${code}\n`));
    const denied = await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(code));
    expect([granted.status, denied.status]).toEqual([200, 200]);
    expect(granted.headers.get('content-type')).toBe('application/json');
    expect(granted.json.result).toEqual({
      event: 7,
      user_id: 0,
      user_name: 'A"da Lovelace',
      user_image: false,
      portal_id: 3,
      message: 'Ticket gültig (1/1)',
      actions: [{ action: 'catra', parameters: 'allow=clockwise' }],
    });
    expect(denied.json.result).toMatchObject({
      event: 6,
      message: 'Ticket erschöpft',
      actions: [],
    });
  });

  test('numbers may come as texts; a code said twice is denied', async () => {
    const { service, key } = await gate('control-id');
    await using _ = service;
    const code = await service.mint();
    const twice = JSON.stringify(qrcode(code)).replace('{', `{"qrcode_value":"${code}",`);
    const ambiguous = await post(service, `/devices/${key}/new_qrcode.fcgi`, twice);
    expect(ambiguous.json.result).toMatchObject({ event: 6, message: 'Ungültiges Ticket' });
    const texts = qrcode(code, { device_id: '47', portal_id: '3' });
    expect(
      (await post(service, `/devices/${key}/new_qrcode.fcgi`, texts)).json.result,
    ).toMatchObject({ event: 7, portal_id: 3 });
    const [entry] = await service.store.readLog({ limit: 1 });
    expect(entry).toMatchObject({ serial: '47', reader: '3' });
  });

  test('a relay and directions of the key hold', async () => {
    const { service, key } = await gate(
      'control-id',
      {},
      { readers: { '3': 'out' }, onExit: 'open' },
    );
    await using _ = service;
    const code = await service.mint();
    const unused = await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(code));
    expect(unused.json.result.message).toBe('Noch nicht benutzt');
    await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(code, { portal_id: 1 }));
    const left = await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(code));
    expect(left.json.result.actions[0].parameters).toBe('allow=anticlockwise');
  });

  test('its question whether the server is back is answered with 200 and nothing, and shows it online', async () => {
    const { service, key } = await gate('control-id');
    await using _ = service;
    const alive = { access_logs: 0, device_id: 47 };
    const answer = await post(service, `/devices/${key}/device_is_alive.fcgi`, alive);
    expect([answer.status, answer.text]).toEqual([200, '']);
    const [organisation] = await service.store.list('organisation');
    const devices = await service.store.listDevices(organisation?.id ?? '');
    expect(devices).toMatchObject([{ model: 'control-id', serial: '47' }]);
  });
});

test('Akuvox: the code in the query of a GET', async () => {
  const { service, key } = await gate('akuvox');
  await using _ = service;
  const code = await service.mint();
  const path = `/devices/${key}/scan?codeKey=${encodeURIComponent(code)}&deviceId=0C11`;
  const granted = await call(service, path);
  const denied = await call(service, path);
  expect([granted.status, granted.json.granted]).toEqual([200, true]);
  expect([denied.status, denied.json.granted]).toEqual([403, false]);
  const twice = await call(service, `${path}&codeKey=x`);
  expect([twice.status, twice.json.message]).toEqual([403, 'Ungültiges Ticket']);
});

describe('at the Card URL', () => {
  test('the file is asked first, then the three models', async () => {
    const { service, key } = await gate('by-status');
    await using _ = service;
    const code = await service.mint({ firstName: '<b>', lastName: '&' });
    const card = Buffer.from(code).toString('base64url');
    const body = `door=7%22&way=leave&data=${card}`;
    const granted = await post(service, `/scan/hw/consume?key=${key}`, body);
    expect(granted.status).toBe(200);
    expect(granted.text).toBe('<open way="out" door="7&quot;" n="1">&lt;b&gt; &amp;</open>');
    const denied = await post(service, `/scan/hw/validate?key=${key}`, body);
    expect([denied.status, denied.text]).toEqual([403, '<shut>Ticket erschöpft</shut>']);
    const controller = await service.card('consume', await service.mint());
    expect(controller.json).toMatchObject({ AcsRes: '1' });
    const unreadable = await post(service, `/scan/hw/consume?key=${key}`, 'what=ever');
    expect(unreadable).toMatchObject({ status: 403, text: '<shut>Ungültiges Ticket</shut>' });
  });

  test('a heartbeat of the file is answered by it, any other as always', async () => {
    const { service, key } = await gate('by-status');
    await using _ = service;
    const own = await post(service, `/scan/hw/heartbeat?key=${key}`, {
      alive: 'D1',
      versions: ['x', '1.2'],
    });
    expect(own.json).toEqual({ ok: true });
    const other = await post(service, `/scan/hw/heartbeat?key=${key}`, { Key: 'abc', Serial: 'S' });
    expect(other.json).toEqual({ Key: 'abc' });
    const [organisation] = await service.store.list('organisation');
    const devices = await service.store.listDevices(organisation?.id ?? '');
    expect(devices).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ model: 'by-status', serial: 'D1', firmware: '1.2' }),
      ]),
    );
  });

  test('a setting for other controllers does not turn the status of a file into a grant', async () => {
    const { service, key } = await gate('by-status', { hardwareAlways200: true });
    await using _ = service;
    const answer = await post(service, `/scan/hw/consume?key=${key}`, 'door=7&data=eA');
    expect(answer.status).toBe(403);
    const bodies = ['', 'what=ever', '{"Card":', 'x'.repeat(9000), '{"Card":"a","Card":"b"}'];
    for (const body of bodies) {
      const unreadable = await post(service, `/scan/hw/consume?key=${key}`, body);
      expect([unreadable.status, unreadable.text]).toEqual([403, '<shut>Ungültiges Ticket</shut>']);
    }
    const controller = await post(service, `/scan/hw/consume?key=${key}`, { Card: 'eA==' });
    expect(controller).toMatchObject({ status: 200, json: { AcsRes: '0' } });
  });
});

describe('refused', () => {
  test('401 in the format of the path, the same for every key that is not good', async () => {
    const { service } = await gate('control-id');
    await using _ = service;
    const answers = await Promise.all(
      ['rest', 'hardwareDisabled', 'hardwareDeleted'].map((name) =>
        post(service, `/devices/${service.key(name)}/new_qrcode.fcgi`, qrcode('x')),
      ),
    );
    const unknown = await post(service, '/devices/x/new_qrcode.fcgi', qrcode('x'));
    expect(unknown.json.result).toMatchObject({ event: 6, portal_id: 3, message: 'Kein Zugriff' });
    for (const answer of answers) expect(answer.text).toBe(unknown.text);
    const byBody = await post(service, '/scan/hw/consume?key=x', 'door=7&data=eA');
    expect([byBody.status, byBody.text]).toEqual([403, '<shut>Kein Zugriff</shut>']);
    const controller = await post(service, '/scan/hw/consume?key=x', { Card: 'eA==' });
    expect(controller).toMatchObject({ status: 401, json: { AcsRes: '0', Note: 'Kein Zugriff' } });
  });

  test('a key without the file of the path, other methods, unknown paths', async () => {
    const { service, key } = await gate('akuvox');
    await using _ = service;
    const code = await service.mint();
    const unbound = await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(code));
    expect(unbound.json.result).toMatchObject({ event: 6, message: 'Ungültiges Ticket' });
    const method = await call(service, `/devices/${key}/new_qrcode.fcgi`);
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST']);
    expect(method.json.result.event).toBe(6);
    const path = await post(service, `/devices/${key}/unknown`, qrcode(code));
    expect([path.status, path.json]).toEqual([404, { message: 'Not Found' }]);
  });

  test('of two files with one path, no denial of one opens a door of the other', async () => {
    const words = aDeviceFile(
      'words',
      `  granted: { type: application/json, body: '{"relay":1}' }
  denied: { status: 200, type: application/json, body: '{"relay":0}' }
opensWhen: [{ json: relay, equals: 1 }]`,
    );
    const byStatus = aDeviceFile('status', '  granted: { status: 200 }\n  denied: { status: 403 }');
    const shared = { deviceFiles: new DeviceFiles([words, byStatus]) };
    const { service, key } = await gate('status', shared);
    await using _ = service;
    const bodies = [{ words: 'x' }, {}, '', '{', 'x'.repeat(9000), '{"status":"x","status":"x"}'];
    const none = service.key('hardwareScoped');
    for (const sent of [key, none, 'unknown', service.key('hardwareDisabled')]) {
      for (const body of bodies) {
        expect((await post(service, `/devices/${sent}/scan`, body)).status).toBe(403);
      }
    }
    const other = await gate('words', shared);
    await using _other = other.service;
    for (const body of [{ status: 'x' }, '']) {
      const own = await post(other.service, `/devices/${other.key}/scan`, body);
      expect([own.status, own.text]).toEqual([200, '{"relay":0}']);
    }
  });

  test('429 and 403 as the file says, and the limit of the key holds', async () => {
    const { service, key } = await gate('by-status', {
      limits: { ratePerSecond: 1, burst: 1 },
    });
    await using _ = service;
    const path = `/scan/hw/consume?key=${key}`;
    await post(service, path, 'door=7&data=eA');
    const limited = await post(service, path, 'door=7&data=eA');
    expect([limited.status, limited.text]).toEqual([403, '<shut>Zu viele Anfragen</shut>']);
    expect(limited.headers.get('retry-after')).toBe('1');
  });

  test('a body that is too long or no UTF-8 is denied by the file', async () => {
    const { service, key } = await gate('control-id');
    await using _ = service;
    const long = await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode('x'.repeat(9000)));
    expect(long.json.result).toMatchObject({
      event: 6,
      portal_id: 1,
      message: 'Ungültiges Ticket',
    });
  });

  test('neither the key nor the code is in the log', async () => {
    const { service, key } = await gate('akuvox');
    await using _ = service;
    const code = await service.mint();
    await call(service, `/devices/${key}/scan?codeKey=${code}&deviceId=0C11`);
    await call(service, `/devices/${key}x/scan?codeKey=${code}`);
    await call(service, `/devices/${key}/nothing?codeKey=${code}`);
    const logs = service.logs;
    expect(logs).toContain('/devices/…');
    expect(logs).not.toContain(key.slice(-20));
    expect(logs).not.toContain(code.slice(-20));
  });
});

describe.each(ENGINES)('a key that gets another file, on %s', (store) => {
  const byJson = `  granted: { type: application/json, body: '{"relay":1}' }
  denied: { type: application/json, body: '{"relay":0}' }
opensWhen: [{ json: relay, equals: 1 }]`;
  const byStatus = '  granted: { status: 200 }\n  denied: { status: 403 }';
  const at = (path: string) => ({
    store,
    deviceFiles: new DeviceFiles([
      aDeviceFile('words', byStatus, path),
      aDeviceFile('other', byJson, path),
    ]),
  });
  const shared = at('/scan');

  test.each([
    ['', (key: string) => `/scan/hw/consume?key=${key}`],
    ['/scan', (key: string) => `/devices/${key}/scan`],
  ])('the next request is read by the new one, at its path %j', async (own, pathOf) => {
    const { service, key } = await gate('words', at(own));
    await using _ = service;
    const bindTo = (device: string) =>
      service.administration.keys.edit(service.key('hardware'), { device });
    await post(service, pathOf(key), { words: 'x' });
    await bindTo('other');
    const code = await service.mint();
    expect((await post(service, pathOf(key), { other: code })).json).toEqual({ relay: 1 });
    await bindTo('');
    const card = { Card: Buffer.from(await service.mint()).toString('base64'), Reader: 0 };
    const controller = await post(service, `/scan/hw/consume?key=${key}`, card);
    expect(controller.json).toMatchObject({ ActIndex: '0' });
  });

  test('nothing is logged, counted or used before it is read by the new one', async () => {
    const { service, key } = await gate('words', shared);
    await using _ = service;
    await post(service, `/devices/${key}/scan`, { words: await service.mint() });
    await service.administration.keys.edit(service.key('hardware'), { device: 'other' });
    const [before] = (await service.store.readLog({ limit: 99 })).slice(-1);
    expect(before?.status).toBe('consumed');
    await post(service, `/devices/${key}/scan`, { words: await service.mint() });
    const after = await service.store.readLog({ afterSequence: before?.sequence ?? 0, limit: 99 });
    expect(after.map(({ reason }) => reason)).toEqual(['missing_ticket_code']);
  });
});

describe('nobody passed', () => {
  const uses = async (service: TestService, code: string) => {
    const id = code.split('.')[1] ?? '';
    return (await service.store.findTicket(id))?.usesConsumed;
  };
  const statuses = async (service: TestService) =>
    (await service.store.readLog({ limit: 10 })).map(({ status }) => status);

  test.each(['GIVE UP', 'TURN LEFT'])(
    'the report %s is answered and changes nothing',
    async (name) => {
      const { service, key } = await gate('control-id');
      await using _ = service;
      const code = await service.mint();
      await post(service, `/devices/${key}/new_qrcode.fcgi`, qrcode(code));
      const before = await statuses(service);
      const event = { event: { type: 8, name, time: 1793275200, uuid: 'b' }, device_id: 47 };
      const tell = (value: string) =>
        post(service, `/devices/${value}/api/notifications/catra_event`, event);
      expect(await tell(key)).toMatchObject({ status: 200, text: '' });
      expect((await tell(service.key('hardwareDisabled'))).json.result.event).toBe(6);
      expect(await uses(service, code)).toBe(1);
      expect(await statuses(service)).toEqual(before);
    },
  );

  test('a simulated turnstile tells who turned and who gave up', async () => {
    const { service, key } = await gate('control-id');
    await using _ = service;
    const code = await service.mint({ kind: 'multi', uses: 2 });
    const play = async (turnBack: 0 | 1) => {
      const { promise, resolve } = Promise.withResolvers<DeviceEvent>();
      await using device = Device.connect(service.url, {
        key,
        model: modelFromFile(CONTROL_ID),
        heartbeatMs: 0,
        passMs: 10,
        turnBack,
        onEvent: (event) => event.event === 'passage' && resolve(event),
      });
      await device.scan(code);
      return await promise;
    };
    expect(await play(1)).toMatchObject({ turnedBack: true, ok: true, status: 200 });
    expect(await play(0)).toMatchObject({ turnedBack: false, ok: true, status: 200 });
    expect(await uses(service, code)).toBe(2);
  });
});
