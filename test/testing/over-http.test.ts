import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import {
  CONTROL_ROUTES,
  CONTROLS_PATH,
  STREAM_PATH,
} from '../../src/testing/remote/control-routes.ts';
import { startTicketscan } from '../../src/testing/start.ts';
import { TestService } from '../support/service.ts';

const EVERY_CONTROL: [method: string, path: string][] = [
  ...CONTROL_ROUTES.map(([method, path]): [string, string] => [method, path]),
  ['GET', STREAM_PATH],
].map(([method = '', path = '']) => [method, `${CONTROLS_PATH}${path.replace(':id', 'fault-1')}`]);

test('without test controls every one of them is a page that does not exist', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const { code, ...nowhere } = await answerOf(service.url, 'GET', '/nowhere');
  expect(code).toBe(404);
  for (const [method, path] of EVERY_CONTROL) {
    const { code: status, ...answer } = await answerOf(service.url, method, path);
    expect([method, path, status]).toEqual([method, path, 404]);
    expect(answer).toEqual(nowhere);
  }
  expect(EVERY_CONTROL.length).toBeGreaterThan(12);
});

test('without the token of the run they are such a page as well', async () => {
  const { url, token } = await started();
  const { code, ...nowhere } = await answerOf(url, 'GET', '/nowhere');
  const wrong = [
    {},
    { 'x-test-token': '' },
    { 'x-test-token': token['x-test-token'].slice(1) },
    { 'x-test-token': `${token['x-test-token']}x` },
    { 'x-test-token': 'undefined' },
    { authorization: `Bearer ${token['x-test-token']}` },
  ];
  for (const [method, path] of EVERY_CONTROL) {
    for (const headers of wrong) {
      const { code: status, ...answer } = await answerOf(url, method, path, headers);
      expect([method, path, status, answer]).toEqual([method, path, code, nowhere]);
    }
  }
  expect(token['x-test-token']).toMatch(/^[\w-]{22}$/);
  expect((await started()).token).not.toEqual(token);
});

async function answerOf(url: string, method: string, path: string, headers = {}) {
  const response = await fetch(`${url}${path}`, { method, headers });
  const type = response.headers.get('content-type');
  return { code: response.status, type, text: await response.text() };
}

async function started() {
  const service = await startTicketscan();
  onTestFinished(() => service.close());
  const token = { 'x-test-token': service.testToken };
  const control = (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, ...token };
    return fetch(`${service.url}${CONTROLS_PATH}${path}`, { ...init, headers });
  };
  return { url: service.url, keys: service.keys, tickets: service.tickets, token, control };
}

test.each([
  ['POST', '/clock', '{"advance":"2h","set":0}', 400, /cannot be combined/],
  ['POST', '/clock', '{}', 400, /give set, advance or freeze/],
  ['POST', '/clock', '{"advance":"yesterday"}', 400, /is not a valid duration/],
  ['POST', '/clock', '{', 400, /The body is not valid JSON/],
  ['POST', '/clock', '', 400, /expected object/],
  ['POST', '/faults', '{"effect":"none"}', 400, /effect/],
  ['POST', '/restore', '{"id":"snapshot-9"}', 404, /Unknown snapshot/],
  ['DELETE', '/faults/fault-9', undefined, 404, /Unknown fault/],
  ['POST', '/reset', '{"seed":"weeds"}', 400, /seed/],
  ['GET', '/requests?last=none', undefined, 400, /last/],
  ['POST', '/tickets', '{"type":"multi","uses":1}', 400, /2 to 100/],
  ['POST', '/tickets', '[]', 400, /expected object/],
  ['POST', '/reset', '5', 400, /expected object/],
])('%s %s %s is answered with %i and a reason', async (method, path, body, status, message) => {
  const { control } = await started();
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body };
  const response = await control(path, init);
  const json = (await response.json()) as { message: string };
  expect([response.status, Object.keys(json)]).toEqual([status, ['message']]);
  expect(json.message).toMatch(message);
});

test('a body that does not say what it is is refused, an empty one is as good as none', async () => {
  const { control } = await started();
  const untold = await control('/reset', { method: 'POST', body: '{}' });
  expect([untold.status, await untold.text()]).toEqual([
    415,
    '{"message":"Send JSON, as application/json."}',
  ]);
  const headers = { 'content-type': 'application/json' };
  const empty = await control('/reset', { method: 'POST', headers, body: '' });
  expect(empty.status).toBe(200);
});

test('the clock can be set, frozen and moved in one request', async () => {
  const { control } = await started();
  const move = async (options: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify(options);
    return (await control('/clock', { ...init, body })).json();
  };
  const frozen = { set: '2031-01-01T00:00:00Z', freeze: true };
  expect(await move(frozen)).toMatchObject({ now: '2031-01-01T00:00:00.000Z', frozen: true });
  expect(await move({ advance: '1d' })).toMatchObject({ now: '2031-01-02T00:00:00.000Z' });
  expect(await move({ freeze: false })).toMatchObject({ frozen: false });
});

test.each([
  ['another name for the server', { host: 'gate.example.org' }, 403],
  ['a page of somebody else', { origin: 'https://evil.example' }, 403],
  ['a page that hides where it is from', { origin: 'null' }, 403],
  ['a cross-site request', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a program', {}, 200],
  ['localhost', { host: 'localhost' }, 200],
])('%s', async (_who, headers, status) => {
  const { url, token } = await started();
  const answered = new Promise((resolve, reject) => {
    const path = `${url}${CONTROLS_PATH}/clock`;
    request(path, { headers: { ...headers, ...token } }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
  expect(await answered).toBe(status);
});

test('a page of the server itself may', async () => {
  const { url, control } = await started();
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' };
  expect((await control('/clock', { headers })).status).toBe(200);
});
