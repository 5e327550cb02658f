import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, TestService } from '../support/service.ts';
import { everyDevice } from '../support/stores.ts';

/** A service for the tests that change no setting and read nothing that another test may have left. */
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service[Symbol.asyncDispose]());

const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' };

/** A scan by any device. */
const scan = (to: TestService, body: object | string) =>
  to.post(
    `/scan/hw/consume?key=${to.key('hardware')}`,
    typeof body === 'string' ? body : JSON.stringify(body),
  );
const isGranted = ({ text }: Answer) => /"AcsRes":"1"|"granted":true|code=0000/.test(text);

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

/** What each model sends, and the answers that open and deny in its form. */
const MODELS: Record<string, readonly [(code: string) => object | string, string, string, string]> =
  {
    'BAS-IP panels': [
      (code) => ({ identifier_number: code, identifier_type: 'qr' }),
      'application/json; charset=utf-8',
      '{"handled":true,"access":{"granted":true,"lock_number":1}}',
      '{"handled":true,"access":{"granted":false}}',
    ],
    'Vguang readers': [
      (code) => `vgdecoderesult=${code}&&devicenumber=001`,
      'text/plain; charset=utf-8',
      'code=0000',
      'code=0001',
    ],
    'Vguang readers that send the bare code': [
      (code) => code,
      'text/plain; charset=utf-8',
      'code=0000',
      'code=0001',
    ],
  };

test.each(Object.entries(MODELS))('%s are granted once, then denied', async (_name, model) => {
  const [body, type, granted, denied] = model;
  const code = await service.mint();
  const first = await scan(service, body(code));
  expect([first.status, first.headers.get('content-type'), first.text]).toEqual([
    200,
    type,
    granted,
  ]);
  expect((await scan(service, body(code))).text).toBe(denied);
});

test('what a controller says as a number is kept as a text', async () => {
  await using service = await TestService.start();
  const card = { Card: btoa(await service.mint()), Serial: 12345, Reader: '1', type: 9, x: [] };
  expect((await scan(service, card)).json).toMatchObject({ AcsRes: '1', ActIndex: '1' });
  const [entry] = await service.store.readLog({ limit: 1 });
  expect(entry).toMatchObject({ serial: '12345', reader: '1' });
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
  await service.administration.keys.edit('Gates', { relay: 'out', openSeconds: 9 });
  expect((await service.card('validate', code, { Reader: 0 })).json).toMatchObject({
    ActIndex: '1',
    Time: '9',
  });
});

describe('heartbeat', () => {
  const beat = (service: TestService, body: string, query = '') =>
    service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}${query}`, body);

  test('echoes Key unchanged: of the body, else of the query, else the key', async () => {
    for (const [body, query, Key] of [
      ['{"Key":"abc"}', '&Key=q', 'abc'],
      ['{"Key":17}', '', 17],
      ['{}', '&Key=from-query', 'from-query'],
      ['', '', service.key('hardware')],
      ['not json', '', service.key('hardware')],
    ] as const) {
      const answer = await beat(service, body, query);
      expect([answer.status, answer.json]).toEqual([200, { Key }]);
    }
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

test('with a retry window, the same card posted again at the same reader spends one use', async () => {
  await using service = await TestService.start({ deviceRetryWindowMs: 2000 });
  const code = await service.mint({ kind: 'multi', uses: 5 });
  const note = async (fields = {}) => (await service.card('consume', code, fields)).json.Note;
  expect([await note(), await note()]).toEqual(['Ticket gültig (1/5)', 'Ticket gültig (1/5)']);
  expect(await note({ Reader: 2 })).toBe('Ticket gültig (2/5)');
  service.clock.advance(2000);
  expect(await note()).toBe('Ticket gültig (3/5)');
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
const LONG = '7'.repeat(64);
const card =
  (more: object) =>
  (code: string): object => ({ Card: btoa(code), ...more });
const panel =
  (more: object) =>
  (code: string): object => ({ identifier_number: code, identifier_type: 'qr', ...more });
const reader = (code: string) => `vgdecoderesult=${code}&&devicenumber=001`;
type Scan = (code: string) => object | string;

/** Two scans of one ticket that may come from two gates. */
const TWO_GATES: readonly (readonly [first: Scan, second: Scan])[] = [
  [panel({}), panel({})],
  [reader, reader],
  [(code) => code, (code) => code],
  [card({}), card({})],
  [panel({ device_serial: '1' }), card({ Serial: '1' })],
  [card({ Serial: 'S1', Reader: [0] }), card({ Serial: 'S1', Reader: [1] })],
  // Only the first 64 characters are kept.
  [card({ Serial: `${LONG}1`, Reader: 0 }), card({ Serial: `${LONG}2`, Reader: 0 })],
  [card({ Serial: 4711, Reader: `${LONG}1` }), card({ Serial: 4711, Reader: `${LONG}2` })],
  ...PLACEHOLDERS.map((Serial): [Scan, Scan] => [
    card({ Serial, Reader: 0 }),
    card({ Serial, Reader: 0 }),
  ]),
  ...PLACEHOLDERS.map((Serial): [Scan, Scan] => [card({ Serial }), card({ Serial })]),
];

describe('the retry window', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ deviceRetryWindowMs: 3000 });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const granted = async (first: Scan, second: Scan) => {
    const code = await service.mint();
    return [
      isGranted(await scan(service, first(code))),
      isGranted(await scan(service, second(code))),
    ];
  };

  test('never admits two people at two gates, where devices cannot be told apart', async () => {
    const all = [];
    for (const [first, second] of TWO_GATES) all.push(await granted(first, second));
    expect(all).toEqual(TWO_GATES.map(() => [true, false]));
  });

  test.each(['S1', '1', '002', 'fff', '1112', 'Test 1', 'unknown-2'])(
    'holds for a device with the serial %j',
    async (Serial) => {
      const same = card({ Serial, Reader: 0 });
      expect(await granted(same, same)).toEqual([true, true]);
    },
  );
});
