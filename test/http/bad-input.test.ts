import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { TestService } from '../support/service.ts';

/** For the tests that change no setting and read nothing that another test may have left. */
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service[Symbol.asyncDispose]());

const BAD = {
  valid: false,
  status: 'rejected',
  reason: 'missing_ticket_code',
  message: expect.any(String),
};
const deep = (levels: number, inner: string) =>
  `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

describe('whatever makes a REST body unusable is one answer', () => {
  const cases: [
    string,
    (code: string) => string | Uint8Array<ArrayBuffer>,
    Record<string, string>?,
  ][] = [
    ['nothing', () => ''],
    ['not JSON', () => '{"ticketCode":'],
    ['half a body', (code) => `{"ticketCode":"${code}"`],
    ['text after it', (code) => `{"ticketCode":"${code}"}x`],
    ['null', () => 'null'],
    ['a text', (code) => `"${code}"`],
    ['an array', (code) => `[{"ticketCode":"${code}"}]`],
    ['no ticketCode', () => '{"ticketcode":"x"}'],
    ['an empty ticketCode', () => '{"ticketCode":""}'],
    ['a number', () => '{"ticketCode":5}'],
    ['null as ticketCode', () => '{"ticketCode":null}'],
    ['a list', (code) => `{"ticketCode":["${code}"]}`],
    ['ticketCode twice', (code) => `{"ticketCode":"x","ticketCode":"${code}"}`],
    ['ticketCode twice, once escaped', (code) => `{"ticket\\u0043ode":"x","ticketCode":"${code}"}`],
    ['nine levels', (code) => `{"ticketCode":"${code}","x":${deep(8, '1')}}`],
    ['100,000 levels', () => deep(4000, '')],
    ['over 8 KiB', (code) => JSON.stringify({ ticketCode: code, x: 'x'.repeat(8192) })],
    ['a megabyte', (code) => JSON.stringify({ ticketCode: code, x: 'x'.repeat(1_000_000) })],
    ['Latin-1', (code) => latin1(`{"ticketCode":"${code}","x":"ü"}`)],
    ['a byte-order mark', (code) => `\uFEFF{"ticketCode":"${code}"}`],
    [
      'no content type',
      (code) => new TextEncoder().encode(JSON.stringify({ ticketCode: code })),
      {},
    ],
    [
      'text/plain',
      (code) => JSON.stringify({ ticketCode: code }),
      { 'content-type': 'text/plain' },
    ],
    [
      'a form',
      (code) => `ticketCode=${code}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'a malformed type',
      (code) => JSON.stringify({ ticketCode: code }),
      { 'content-type': 'json' },
    ],
    [
      'UTF-16',
      (code) => JSON.stringify({ ticketCode: code }),
      { 'content-type': 'application/json; charset=utf-16' },
    ],
    [
      'JSON of another kind',
      (code) => JSON.stringify({ ticketCode: code }),
      { 'content-type': 'application/ld+json' },
    ],
  ];

  test.each(cases)('%s', async (_name, body, headers = { 'content-type': 'application/json' }) => {
    const code = await service.mint();
    const answer = await service.post('/scan/consume', body(code), {
      'x-api-key': service.key('rest'),
      ...headers,
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(BAD);
    expect((await service.rest('consume', code)).json).toMatchObject({
      status: 'consumed',
      usesConsumed: 1,
    });
  });

  test.each([
    ['extra members', (code: string) => `{"a":1,"ticketCode":"${code}","b":{"ticketCode":"x"}}`],
    ['eight levels', (code: string) => `{"ticketCode":"${code}","x":${deep(7, '1')}}`],
    ['brackets in a text', (code: string) => `{"ticketCode":"${code}","x":"${'[{'.repeat(20)}"}`],
    ['white space', (code: string) => `\n\t { "ticketCode" : "${code}" } \r\n`],
    ['escapes', (code: string) => `{"ticketCode":"\\u0054${code.slice(1)}"}`],
  ])('but %s are fine', async (_name, body) => {
    const headers = {
      'x-api-key': service.key('rest'),
      'content-type': 'Application/JSON; charset="UTF-8"',
    };
    const answer = await service.post('/scan/validate', body(await service.mint()), headers);
    expect(answer.json).toMatchObject({ status: 'validated' });
  });

  test('without a key, an unusable body is still a 401', async () => {
    const answer = await service.post('/scan/consume', '{', { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status: 401, text: '{"message":"Forbidden"}' });
  });
});

test('every changed character, alias, space, case and foreign signature is invalid_ticket, and nothing is spent', async () => {
  const code = await service.mint();
  const other = await service.mint();
  const head = code.slice(0, code.lastIndexOf('.') + 1);
  const changed = [...code].map(
    (letter, at) => code.slice(0, at) + (letter === 'x' ? 'y' : 'x') + code.slice(at + 1),
  );
  const lastCharacters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const lasts = lastCharacters
    .map((last) => code.slice(0, -1) + last)
    .filter((text) => text !== code);
  const forms = [
    ` ${code}`,
    `${code} `,
    `${code}\n`,
    `${code}=`,
    code.toUpperCase(),
    `${code}.`,
    head + other.split('.')[2],
  ];
  for (const text of [...changed, ...lasts, ...forms]) {
    const answer = await service.rest('consume', text);
    expect(answer.json, text).toMatchObject({
      status: 'rejected',
      reason: 'invalid_ticket',
      valid: false,
    });
  }
  expect((await service.rest('validate', code)).json).toMatchObject({ usesConsumed: 0 });
  expect((await service.rest('validate', other)).json).toMatchObject({ usesConsumed: 0 });
});

test('other methods on a scan path are 405 with Allow, other paths 404', async () => {
  for (const path of ['/scan/validate', '/scan/consume']) {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await fetch(`${service.url}${path}?key=${service.key('hardware')}`, {
        method,
      });
      expect(
        [response.status, response.headers.get('allow'), await response.text()],
        `${method} ${path}`,
      ).toEqual([405, 'POST', '{"message":"Method Not Allowed"}']);
    }
  }
  for (const path of [
    '/',
    '/scan',
    '/scan/consume/',
    '/scan//consume',
    '/SCAN/consume',
    '/scan/hw',
    '/x?key=1',
  ]) {
    const answer = await service.post(path, '{}');
    expect(answer, path).toMatchObject({ status: 404, text: '{"message":"Not Found"}' });
  }
});

describe('on the socket', () => {
  test('garbage behind a consume does not take its answer away: the use is registered', async () => {
    const body = JSON.stringify({ ticketCode: await service.mint() });
    const head = `POST /scan/consume HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.key('rest')}\r\ncontent-type: application/json\r\n`;
    const request = `${head}content-length: ${body.length}\r\n\r\n${body}\0\0`;
    const [answer, refusal] = (await rawExchange(service.url, request)).split(/(?=HTTP\/1\.1 400)/);
    expect(answer).toContain('"status":"consumed"');
    expect(refusal).toMatch(/\{"message":"Bad Request"\}$/);
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['an endless header', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`, /^HTTP\/1\.1 431 /],
    [
      'two lengths',
      'POST /scan/consume HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a broken chunk',
      'POST /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      /^HTTP\/1\.1 40[04] /,
    ],
    [
      'a repeated key header',
      'POST /scan/consume HTTP/1.1\r\nhost: x\r\nx-api-key: a\r\nx-api-key: a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
      /^HTTP\/1\.1 401 /,
    ],
  ])('%s is answered, and the next request is served', async (_name, request, expected) => {
    expect(await rawExchange(service.url, request)).toMatch(expected);
    expect((await service.rest('validate', await service.mint())).status).toBe(200);
  });

  test('a head or a body that never comes to its end is cut off', async () => {
    await using service = await TestService.start({ headersTimeoutMs: 300, requestTimeoutMs: 300 });
    expect(await rawExchange(service.url, 'POST /scan/consume HTTP/1.1\r\nhost: x\r\n')).toMatch(
      /^HTTP\/1\.1 408 /,
    );
    const half = 'POST /scan/consume HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"ticket';
    expect(await rawExchange(service.url, half)).toMatch(/^HTTP\/1\.1 408 /);
    expect((await service.rest('validate', await service.mint())).status).toBe(200);
  });
});

test('whatever bytes come to whichever endpoint: never a 5xx, nothing spent, the next request works', async () => {
  const code = await service.mint();
  const key = service.key('hardware');
  const paths = [
    '/scan/validate',
    '/scan/consume',
    `/scan/hw/consume?key=${key}`,
    `/scan/hw/validate?key=${key}`,
    `/scan/hw/heartbeat?key=${key}`,
  ];
  const jsonish = fc.oneof(
    fc.json(),
    fc.json().map((text) => `{"ticketCode":${text},"Card":${text}}`),
    fc.string(),
  );
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    jsonish.map((text) => new TextEncoder().encode(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), body, async (path, bytes) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': service.key('rest') };
      const { status } = await service.post(path, Uint8Array.from(bytes), headers);
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 300 },
  );
  expect((await service.rest('consume', code)).json).toMatchObject({
    status: 'consumed',
    usesConsumed: 1,
  });
});
