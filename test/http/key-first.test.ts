import { describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { TestService } from '../support/service.ts';

const FORBIDDEN = '{"message":"Forbidden"}';
const DEVICE_FORBIDDEN = '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Kein Zugriff"}';

interface Keys {
  readonly rest: string;
  readonly hardware: string;
}

interface Request {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string;
}

const length = (body: string) => `content-length: ${body.length}`;

/** Everything that is wrong with a request but its key, with the status that it gets when the key holds. */
function wrongRequests(service: TestService, keys: Keys): [string, number, Request][] {
  const restHeaders = ['host: x', `x-api-key: ${keys.rest}`, 'content-type: application/json'];
  const consume = '/scan/consume';
  const hw = (action: string) => `/scan/hw/${action}?key=${keys.hardware}`;
  const good = JSON.stringify({ ticketCode: service.seeded.tickets.permanent[0] });
  const long = 'x'.repeat(9000);
  const chunked = 'transfer-encoding: chunked';
  return [
    [
      'a malformed Idempotency-Key',
      422,
      {
        path: consume,
        headers: [...restHeaders, 'idempotency-key: a b', length(good)],
        body: good,
      },
    ],
    [
      'a malformed Idempotency-Key on an unusable body',
      422,
      { path: consume, headers: [...restHeaders, 'idempotency-key: a b', length('{')], body: '{' },
    ],
    ['an unusable body', 400, { path: consume, headers: [...restHeaders, length('{')], body: '{' }],
    [
      'a body over 8 KiB',
      400,
      { path: consume, headers: [...restHeaders, length(long)], body: long },
    ],
    [
      'a body that is announced over a megabyte',
      400,
      { path: consume, headers: [...restHeaders, 'content-length: 2000000'], body: '' },
    ],
    [
      'a broken chunk',
      400,
      { path: consume, headers: [...restHeaders, chunked], body: 'zz\r\n{}\r\n0\r\n\r\n' },
    ],
    [
      'no host',
      400,
      { path: consume, headers: [...restHeaders.slice(1), length(good)], body: good },
    ],
    [
      'two hosts',
      400,
      { path: consume, headers: [...restHeaders, 'host: y', length(good)], body: good },
    ],
    [
      'an unknown expectation',
      200,
      { path: consume, headers: [...restHeaders, 'expect: cake', length(good)], body: good },
    ],
    [
      'a heartbeat over 8 KiB',
      400,
      { path: hw('heartbeat'), headers: ['host: x', length(long)], body: long },
    ],
    [
      'a heartbeat in a broken chunk',
      400,
      { path: hw('heartbeat'), headers: ['host: x', chunked], body: 'zz\r\n' },
    ],
    ['a heartbeat without a host', 400, { path: hw('heartbeat'), headers: [length('')], body: '' }],
    [
      'a device’s body over 8 KiB',
      400,
      { path: hw('consume'), headers: ['host: x', length(long)], body: long },
    ],
    [
      'a device’s broken chunk',
      400,
      { path: hw('validate'), headers: ['host: x', chunked], body: 'zz\r\n' },
    ],
  ];
}

/** Sends a request on a connection of its own. */
async function ask(service: TestService, { path, headers, body }: Request) {
  const head = [`POST ${path} HTTP/1.1`, ...headers, 'connection: close'].join('\r\n');
  const answer = await rawExchange(service.url, `${head}\r\n\r\n${body}`);
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
  const text = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  return { status: Number(status), text };
}

const seededKeys = (service: TestService) => ({
  rest: service.key('rest'),
  hardware: service.key('hardware'),
});

/** Makes two keys, and has the service know them by their values, as it does after any good request. */
async function newKnownKeys(service: TestService) {
  const make = (type: 'api' | 'hardware') =>
    service.administration.keys.create({
      name: `New ${type}`,
      type,
      events: 'all',
      organisation: service.seeded.organisation,
    });
  const [api, hardware] = [await make('api'), await make('hardware')];
  await service.rest('validate', '', { 'x-api-key': api.value });
  await service.post(`/scan/hw/validate?key=${hardware.value}`, '');
  return {
    ids: [api.key.id, hardware.key.id],
    keys: { rest: api.value, hardware: hardware.value },
  };
}

test.each([
  ['deleted', (service: TestService, id: string) => service.administration.keys.delete(id)],
  [
    'disabled',
    (service: TestService, id: string) => service.administration.keys.edit(id, { active: false }),
  ],
])(
  'a key that was just %s gets 401, whatever else is wrong with the first request after it',
  async (how, end) => {
    await using service = await TestService.start();
    for (const [index, [name]] of wrongRequests(service, seededKeys(service)).entries()) {
      const { ids, keys } = await newKnownKeys(service);
      const [, , request] = wrongRequests(service, keys)[index] as [string, number, Request];
      for (const id of ids) await end(service, id);
      const expected = request.path.startsWith('/scan/hw/') ? DEVICE_FORBIDDEN : FORBIDDEN;
      expect(await ask(service, request), name).toEqual({ status: 401, text: expected });
      if (how === 'disabled') for (const id of ids) await service.administration.keys.delete(id);
    }
  },
);

test('whatever is wrong with a request takes a token', async () => {
  await using service = await TestService.start({ limits: { burst: 3, ratePerSecond: 1 } });
  for (const [name, status, request] of wrongRequests(service, seededKeys(service))) {
    service.clock.advance(3000);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await ask(service, request)).status);
    expect(statuses, name).toEqual([status, status, status, 429]);
  }
});

test('422 and 400 count against the month, 401 and 429 do not', async () => {
  await using service = await TestService.start();
  const [key] = (await service.store.list('key')).filter(({ name }) => name === 'Box office');
  const counted = () => service.store.requestsInMonth(key?.id ?? '', 202607);
  for (const [name, status, request] of wrongRequests(service, seededKeys(service))) {
    if (request.path.startsWith('/scan/hw/')) continue;
    const before = await counted();
    expect((await ask(service, request)).status, name).toBe(status);
    expect(await counted(), name).toBe(before + 1);
  }
});

describe('an unusable body under an Idempotency-Key', () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'order-1' };

  test.each([
    ['not JSON', '{'],
    ['over 8 KiB', 'x'.repeat(9000)],
    ['without a code', '{}'],
  ])('%s: the same body gets the stored answer, another one 422', async (_name, body) => {
    await using service = await TestService.start();
    const key = { 'x-api-key': service.key('rest') };
    const first = await service.post('/scan/consume', body, { ...headers, ...key });
    expect(first.status).toBe(400);
    const other = await service.rest('consume', await service.mint(), {
      'idempotency-key': 'order-1',
    });
    expect(other.status).toBe(422);
    const asText = { ...headers, ...key, 'content-type': 'text/plain' };
    const again = await service.post('/scan/consume', body, asText);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect((await service.store.readLog({ limit: 2 })).map(({ replayed }) => replayed)).toEqual([
      false,
      true,
    ]);
  });

  test('whose end never came leaves the name free for the whole request', async () => {
    await using service = await TestService.start();
    const code = await service.mint();
    const body = JSON.stringify({ ticketCode: code });
    const head = [
      'POST /scan/consume HTTP/1.1',
      'host: x',
      `x-api-key: ${service.key('rest')}`,
      'content-type: application/json',
      'idempotency-key: order-2',
      'transfer-encoding: chunked',
    ].join('\r\n');
    const broken = await rawExchange(service.url, `${head}\r\n\r\n5\r\n${body}\r\n`);
    expect(broken).toMatch(/^HTTP\/1\.1 400 /);
    expect(broken).toContain('"reason":"missing_ticket_code"');
    const whole = await service.rest('consume', code, { 'idempotency-key': 'order-2' });
    expect(whole.json).toMatchObject({ status: 'consumed' });
  });
});
