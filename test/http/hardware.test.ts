import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { TestService } from '../support/service.ts';
import { everyDevice } from '../support/stores.ts';

/** For the tests that change no setting and read nothing that another test may have left. */
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service[Symbol.asyncDispose]());

const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' };
const bytes = (text: string) => Buffer.byteLength(text);

test('the documented controller: granted and denied exactly as section 2.4 shows', async () => {
  const code = await service.mint({ firstName: 'Ada', lastName: 'Lovelace' });
  const checked = await service.card('validate', code);
  const granted = await service.card('consume', code);
  const denied = await service.card('consume', code);
  const shown = { AcsRes: '1', ActIndex: '0', Time: '5', Name: 'Ada Lovelace' };
  expect(checked.json).toEqual({ ...shown, Note: 'Ticket gültig (0/1)' });
  expect(granted.json).toEqual({ ...shown, Note: 'Ticket gültig (1/1)' });
  expect(granted.headers.get('content-type')).toMatch(/^application\/json/);
  expect(denied.json).toEqual({ ...DENIED, Note: 'Ticket erschöpft' });
  expect([granted.status, denied.status]).toEqual([200, 200]);
});

test.each([
  ['exhausted', 'Ticket erschöpft', 200],
  ['expired', 'Ticket abgelaufen', 200],
  ['notYetValid', 'Noch nicht gültig', 200],
  ['cancelled', 'Ticket storniert', 200],
  ['unknown', 'Ticket nicht gefunden', 200],
] as const)('%s is denied with "%s"', async (state, Note, status) => {
  const answer = await service.card('consume', service.seeded.tickets[state][0] ?? '');
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ ...DENIED, Note });
});

test('forged, out of scope, wrong key, unreadable', async () => {
  const code = await service.mint();
  const forged = await service.card('consume', `${code}x`);
  const Card = Buffer.from(service.seeded.tickets.otherEvent[0] ?? '').toString('base64');
  const scoped = await service.post(
    `/scan/hw/consume?key=${service.key('hardwareScoped')}`,
    JSON.stringify({ Card }),
  );
  expect(forged.json).toEqual({ ...DENIED, Note: 'Ungültiges Ticket' });
  expect(scoped.status).toBe(403);
  expect(scoped.json).toEqual({ ...DENIED, Note: 'Kein Zugriff' });
  for (const key of ['rest', 'hardwareDisabled', 'hardwareDeleted']) {
    const refused = await service.post(
      `/scan/hw/consume?key=${service.key(key)}`,
      JSON.stringify({ Card }),
    );
    expect(refused).toMatchObject({
      status: 401,
      text: JSON.stringify({ ...DENIED, Note: 'Kein Zugriff' }),
    });
  }
  const { key } = { key: service.key('hardware') };
  for (const query of ['', `?key=${key}&key=${key}`, `?Key=${key}`, '?key=']) {
    expect((await service.post(`/scan/hw/consume${query}`, JSON.stringify({ Card }))).status).toBe(
      401,
    );
  }
  const inHeader = await service.post('/scan/hw/consume', JSON.stringify({ Card }), {
    'x-api-key': key,
  });
  expect(inHeader.status).toBe(401);
});

describe('a genuine code of an event that nobody has', () => {
  const denial = (Note: string) => ({ ...DENIED, Note });

  test('is not found for a key of all events, on REST and at a device', async () => {
    const code = makeTicketCode(`tkt_nosuchev_${'0'.repeat(20)}`, service.keyring, 'TS1');
    const card = await service.card('consume', code);
    const scoped = await service.post(
      `/scan/hw/consume?key=${service.key('hardwareScoped')}`,
      JSON.stringify({ Card: btoa(code) }),
    );
    const rest = await service.rest('consume', code);
    const restScoped = await service.rest('consume', code, {
      'x-api-key': service.key('restScoped'),
    });
    expect([card.status, card.json]).toEqual([200, denial('Ticket nicht gefunden')]);
    expect([scoped.status, scoped.json]).toEqual([403, denial('Kein Zugriff')]);
    expect([rest.status, rest.json.status]).toEqual([404, 'not_found']);
    expect([restScoped.status, restScoped.json.reason]).toEqual([403, 'event_not_allowed']);
  });
});

describe('what devices get wrong', () => {
  test.each(['\r', '\n', '\r\n'])('%j behind the code of a card', async (end) => {
    const code = await service.mint();
    expect((await service.card('validate', `${code}${end}${end}`)).json.AcsRes).toBe('0');
    expect((await service.rest('validate', `${code}${end}`)).json.reason).toBe('invalid_ticket');
    expect((await service.card('consume', `${code}${end}`)).json.AcsRes).toBe('1');
  });

  test.each([
    ['no content type', {}],
    ['octet-stream', { 'content-type': 'application/octet-stream' }],
    ['a malformed content type', { 'content-type': 'json' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ] as const)('%s is read all the same', async (_name, headers) => {
    const Card = Buffer.from(await service.mint()).toString('base64');
    const body = new TextEncoder().encode(JSON.stringify({ Card }));
    const answer = await service.post(
      `/scan/hw/consume?key=${service.key('hardware')}`,
      body,
      headers,
    );
    expect(answer.json).toMatchObject({ AcsRes: '1' });
  });

  test.each([
    ['standard Base64', (code: string) => Buffer.from(code).toString('base64')],
    ['without padding', (code: string) => Buffer.from(code).toString('base64').replaceAll('=', '')],
    ['URL-safe', (code: string) => Buffer.from(code).toString('base64url')],
    [
      'URL-safe with padding',
      (code: string) =>
        Buffer.from(code).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    ],
  ])('%s', async (_name, encode) => {
    await using service = await TestService.start();
    const body = JSON.stringify({
      Card: encode(await service.mint()),
      Serial: 12345,
      Reader: '1',
      type: 9,
      Index: 4,
      x: [],
    });
    const answer = await service.post(`/scan/hw/consume?key=${service.key('hardware')}`, body);
    expect(answer.json).toMatchObject({ AcsRes: '1', ActIndex: '1' });
    expect((await service.store.readLog({ limit: 1 }))[0]).toMatchObject({
      serial: '12345',
      reader: '1',
    });
  });

  test.each([
    ['not JSON', '{"Card":'],
    ['no object', '["Card"]'],
    ['no Card', '{"Serial":"x"}'],
    ['an empty Card', '{"Card":""}'],
    ['a Card that is no text', '{"Card":{}}'],
    ['a Card that is no Base64', '{"Card":"%%%"}'],
    ['a Card that is no UTF-8', '{"Card":"//79"}'],
    ['a Card said twice', '{"Card":"QUJD","Card":"QUJD"}'],
    ['nothing', ''],
    ['a plain sentence', 'open the door'],
  ])('%s: 400 and the documented denial', async (_name, body) => {
    const answer = await service.post(`/scan/hw/consume?key=${service.key('hardware')}`, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ ...DENIED, Note: 'Ungültiges Ticket' });
  });
});

test.each([
  ['Νίκος', 'Παπαδόπουλος'],
  ['Zoë', 'Müller-Lüdenscheidt'],
  ['👩‍👩‍👧‍👦', '👍👍👍'],
])('the display shows at most 16 and 32 bytes of %s %s', async (firstName, lastName) => {
  const { json } = await service.card('consume', await service.mint({ firstName, lastName }));
  expect(bytes(json.Name)).toBeLessThanOrEqual(16);
  expect(bytes(json.Note)).toBeLessThanOrEqual(32);
  expect(`${firstName} ${lastName}`.startsWith(json.Name)).toBe(true);
  expect(json.Name).not.toContain('\uFFFD');
});

test.each([
  ['single', {}, 'Einzelticket'],
  ['multi', { uses: 2 }, 'Mehrfachkarte'],
  ['permanent', {}, 'Dauerkarte'],
] as const)('a %s ticket without a holder shows what it is', async (kind, more, Name) => {
  expect(
    (await service.card('validate', await service.mint({ kind, ...more }))).json,
  ).toMatchObject({
    Name,
  });
});

test("a key's door settings go before the reader's parity", async () => {
  await using service = await TestService.start();
  const code = await service.mint({ kind: 'permanent' });
  const relayOf = async (Reader: unknown) =>
    (await service.card('validate', code, { Reader })).json.ActIndex;
  expect([await relayOf(0), await relayOf(1), await relayOf(2), await relayOf('3')]).toEqual([
    '0',
    '1',
    '0',
    '1',
  ]);
  await service.administration.editKey('Gates', { relay: 'out', openSeconds: 9 });
  expect((await service.card('validate', code, { Reader: 0 })).json).toMatchObject({
    ActIndex: '1',
    Time: '9',
  });
});

describe('BAS-IP panels', () => {
  const scan = (service: TestService, body: object, key = service.key('hardware')) =>
    service.post(`/scan/hw/consume?key=${key}`, JSON.stringify(body));

  test('granted, denied and refused in their format', async () => {
    const body = { identifier_number: await service.mint(), identifier_type: 'qr' };
    const denied = { handled: true, access: { granted: false } };
    expect((await scan(service, body)).json).toEqual({
      handled: true,
      access: { granted: true, lock_number: 1 },
    });
    expect((await scan(service, body)).json).toEqual(denied);
    const refused = await scan(service, body, 'wrong');
    expect(refused).toMatchObject({ status: 401, json: denied });
    expect((await scan(service, { identifier_number: '', identifier_type: 'qr' })).json).toEqual(
      denied,
    );
  });
});

describe('Vguang readers', () => {
  const scan = (service: TestService, body: string) =>
    service.post(`/scan/hw/consume?key=${service.key('hardware')}`, body);

  test.each([
    ['with a double separator', (code: string) => `vgdecoderesult=${code}&&devicenumber=001`],
    ['with a single one', (code: string) => `vgdecoderesult=${code}&devicenumber=001`],
    ['the bare content', (code: string) => code],
    ['with a line end', (code: string) => `vgdecoderesult=${code}&&devicenumber=001\r\n`],
  ])('%s', async (_name, frame) => {
    const body = frame(await service.mint());
    const granted = await scan(service, body);
    expect(granted).toMatchObject({ status: 200, text: 'code=0000' });
    expect(granted.headers.get('content-type')).toMatch(/^text\/plain/);
    expect((await scan(service, body)).text).toBe('code=0001');
  });
});

describe('heartbeat', () => {
  const beat = (service: TestService, body: string, query = '') =>
    service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}${query}`, body);

  test.each([
    ['a text', '{"Key":"abc"}', '', 'abc'],
    ['a number', '{"Key":17}', '', 17],
    ['an empty text', '{"Key":""}', '', ''],
    ['the query', '{}', '&Key=from-query', 'from-query'],
  ])('echoes Key unchanged: %s', async (_name, body, query, Key) => {
    const answer = await beat(service, body, query);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toEqual({ Key });
  });

  test.each(['12345678901234567890', '1.0', '1e400'])(
    'echoes the number %s in its own digits, and keeps them in a serial',
    async (digits) => {
      await using service = await TestService.start();
      const answer = await beat(service, `{"Key":${digits},"Serial":${digits}}`);
      expect(answer).toMatchObject({ status: 200, text: `{"Key":${digits}}` });
      await service.post(
        `/scan/hw/validate?key=${service.key('hardware')}`,
        `{"Card":"QUJD","Serial":${digits},"Reader":${digits}}`,
      );
      expect(await everyDevice(service.store)).toMatchObject([{ serial: digits }]);
      expect(await service.store.readLog({ limit: 1 })).toMatchObject([
        { serial: digits, reader: digits },
      ]);
    },
  );

  test("falls back to the query's key, whatever the body", async () => {
    for (const body of ['', 'not json', '{"Serial":"x"}']) {
      expect((await beat(service, body)).json).toEqual({ Key: service.key('hardware') });
    }
  });

  test('keeps what the device says of itself', async () => {
    await using service = await TestService.start();
    await beat(
      service,
      JSON.stringify({
        Key: 'k',
        Serial: 'S-9',
        IP: '10.0.0.9',
        Ver: '1.2',
        Now: '2026070112000003',
      }),
    );
    expect(await everyDevice(service.store)).toMatchObject([
      { serial: 'S-9', address: '10.0.0.9', firmware: '1.2', lastContactAt: service.clock.nowMs },
    ]);
  });

  test('is refused without a key and counts against the limit', async () => {
    await using service = await TestService.start({ limits: { burst: 2, ratePerSecond: 0.001 } });
    expect((await service.post('/scan/hw/heartbeat', '{}')).json).toEqual({
      ...DENIED,
      Note: 'Kein Zugriff',
    });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await beat(service, '{}')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await beat(service, '{}')).json).toEqual({ ...DENIED, Note: 'Zu viele Anfragen' });
  });
});

test('a server for controllers that ignore anything but 200 answers 200 always', async () => {
  await using service = await TestService.start({ hardwareAlways200: true });
  const refused = await service.post('/scan/hw/consume?key=wrong', '{}');
  expect(refused).toMatchObject({ status: 200, json: { ...DENIED, Note: 'Kein Zugriff' } });
});

test('with a retry window, the same card posted again at the same reader spends one use', async () => {
  await using service = await TestService.start({ deviceRetryWindowMs: 2000 });
  const code = await service.mint({ kind: 'multi', uses: 5 });
  const note = async (fields = {}) => (await service.card('consume', code, fields)).json.Note;
  expect([await note(), await note()]).toEqual(['Ticket gültig (1/5)', 'Ticket gültig (1/5)']);
  expect(await note({ Reader: 2 })).toBe('Ticket gültig (2/5)');
  service.clock.advance(2000);
  expect(await note()).toBe('Ticket gültig (3/5)');
});

const CONTROLLER = (code: string, more: object) => ({
  Card: Buffer.from(code).toString('base64'),
  ...more,
});

test.each<[string, (code: string) => object | string, (code: string) => object | string]>([
  [
    'BAS-IP panels without a serial',
    (code) => ({ identifier_number: code, identifier_type: 'qr' }),
    (code) => ({ identifier_number: code, identifier_type: 'qr' }),
  ],
  [
    'Vguang readers, whose device number is the same on all',
    (code) => `vgdecoderesult=${code}&&devicenumber=001`,
    (code) => `vgdecoderesult=${code}&&devicenumber=001`,
  ],
  ['Vguang readers that send the bare code', (code) => code, (code) => code],
  ['controllers without a serial', (code) => CONTROLLER(code, {}), (code) => CONTROLLER(code, {})],
  [
    'controllers with an empty serial',
    (code) => CONTROLLER(code, { Serial: '', Reader: 0 }),
    (code) => CONTROLLER(code, { Serial: '', Reader: 0 }),
  ],
  [
    'controllers with a blank serial',
    (code) => CONTROLLER(code, { Serial: ' ', Reader: 0 }),
    (code) => CONTROLLER(code, { Serial: ' ', Reader: 0 }),
  ],
  [
    'controllers whose serials differ behind the 64th character',
    (code) => CONTROLLER(code, { Serial: `${'7'.repeat(64)}1`, Reader: 0 }),
    (code) => CONTROLLER(code, { Serial: `${'7'.repeat(64)}2`, Reader: 0 }),
  ],
  [
    'readers of one controller whose names differ behind the 64th character',
    (code) => CONTROLLER(code, { Serial: 4711, Reader: `${'7'.repeat(64)}1` }),
    (code) => CONTROLLER(code, { Serial: 4711, Reader: `${'7'.repeat(64)}2` }),
  ],
])('the retry window never admits two people at two gates: %s', async (_, first, second) => {
  await using service = await TestService.start({ deviceRetryWindowMs: 3000 });
  const code = await service.mint({ kind: 'single' });
  const granted = async (body: object | string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await service.post(`/scan/hw/consume?key=${service.key('hardware')}`, text);
    return /"AcsRes":"1"|"granted":true|code=0000/.test(answer.text);
  };

  expect([await granted(first(code)), await granted(second(code))]).toEqual([true, false]);
});

test('the log keeps the beginning of a long serial', async () => {
  await using service = await TestService.start();
  await service.card('consume', await service.mint({ kind: 'single' }), {
    Serial: '7'.repeat(100),
  });

  const [entry] = await service.store.readLog({ limit: 1 });
  expect(entry?.serial).toBe('7'.repeat(64));
});

test.each([-10_000, -3_600_000, -86_400_000])(
  'a clock that is set back by %i ms opens no used ticket again',
  async (stepMs) => {
    await using service = await TestService.start({ deviceRetryWindowMs: 3000 });
    const code = await service.mint({ kind: 'single' });
    const admitted = async () => (await service.card('consume', code)).json.AcsRes === '1';
    expect(await admitted()).toBe(true);

    service.clock.nowMs += stepMs;
    const later = [];
    for (let count = 0; count < 7; count += 1) {
      later.push(await admitted());
      service.clock.advance(-stepMs / 6);
    }

    expect(later).toEqual(Array(7).fill(false));
  },
);

const PLACEHOLDERS = [
  ...['', ' ', '0', '000000', '00-00', '-', '\u0000', '\u200b', '001'],
  ...['unknown', 'N/A', 'none', 'null', 'NaN', 'undefined', 'default', 'Serial', 'SN', 'test'],
  ...['ffffffff', 'FFFFFFFFFFFF', 'FF:FF:FF:FF:FF:FF', 'xxxx', '1111', 'To be filled by O.E.M.'],
  ...[' UNKNOWN\n', 'To  Be Filled By O.E.M. ', 'ｕｎｋｎｏｗｎ', 'ＦＦＦＦ'],
];

test.each(['S1', '1', '002', 'fff', '1112', 'Test 1', 'unknown-2'])(
  'a device with the serial %j is known, and has a retry window',
  async (Serial) => {
    await using service = await TestService.start({ deviceRetryWindowMs: 3000 });
    const code = await service.mint({ kind: 'single' });
    const admitted = async () =>
      (await service.card('consume', code, { Serial })).json.AcsRes === '1';

    expect([await admitted(), await admitted()]).toEqual([true, true]);
  },
);

test('devices that cannot be told apart have no retry window: other models, unreadable readers, placeholder serials', async () => {
  await using service = await TestService.start({ deviceRetryWindowMs: 3000 });
  const post = async (body: object) => {
    const answer = await service.post(
      `/scan/hw/consume?key=${service.key('hardware')}`,
      JSON.stringify(body),
    );
    return /"AcsRes":"1"|"granted":true/.test(answer.text);
  };
  const card = (code: string, more: object) => ({
    Card: Buffer.from(code).toString('base64'),
    ...more,
  });
  const panel = (code: string, more: object) => ({
    identifier_number: code,
    identifier_type: 'qr',
    ...more,
  });
  const pairs: [first: (code: string) => object, second: (code: string) => object][] = [
    [(code) => panel(code, { device_serial: '1' }), (code) => card(code, { Serial: '1' })],
    [
      (code) => card(code, { Serial: 'S1', Reader: [0] }),
      (code) => card(code, { Serial: 'S1', Reader: [1] }),
    ],
    ...PLACEHOLDERS.map((Serial): (typeof pairs)[number] => [
      (code) => card(code, { Serial }),
      (code) => card(code, { Serial }),
    ]),
  ];

  const granted = [];
  for (const [first, second] of pairs) {
    const code = await service.mint({ kind: 'single' });
    granted.push([await post(first(code)), await post(second(code))]);
  }
  expect(granted).toEqual(pairs.map(() => [true, false]));
});
