import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Writable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import Fastify from 'fastify';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EDGE_REASONS, type EdgeReason, REFUSAL_REASONS } from '../../src/core/outcome-names.ts';
import { refusalAdvice } from '../../src/core/refusals/advice.ts';
import { CONNECTION_REFUSALS, connectionRefusal } from '../../src/kit/refused-connections.ts';
import { logRefusals } from '../../src/operations/http/errors.ts';
import { EdgeRefusals } from '../../src/scan/edge-refusals.ts';
import { HttpConnections } from '../../src/scan/http/connections.ts';
import { RefusalLog, type RefusedAtEdge } from '../../src/scan/refusal-counter.ts';
import { PATIENTLY } from '../support/patience.ts';
import { metricOf, open, type Served, serve } from './support/served.ts';

const bytes = (text: string) => (port: number) => void open(port).write(text, 'latin1');
const half = (text: string) => (port: number) => void open(port).end(text, 'latin1');
const post = (path: string, headers: string, body = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`;

/** Sends what a client begins a handshake with, and then a fatal alert of TLS. */
async function refuseCertificate(port: number): Promise<void> {
  const hello = await clientHello();
  const socket = open(port);
  socket.once('data', () => socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, 48])));
  socket.write(hello);
}

/** The first bytes of a client of TLS 1.2. */
function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', resolve);
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    const client = connectTls({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2' });
    client.on('error', () => undefined);
    onTestFinished(() => void client.destroy());
  });
  onTestFinished(() => void server.close());
  return promise;
}

const tls = (options: object, text?: string) => (port: number) => {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  socket.on('error', () => undefined);
  if (text !== undefined) socket.write(text);
  onTestFinished(() => void socket.destroy());
};

const ask =
  (path: string, init: RequestInit = {}) =>
  async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, init)).text();

type Way = (port: number, served: Served) => unknown;

/** Ways to be refused over plain HTTP. */
const PLAIN = {
  tls_on_plain: tls({}),
  http2: bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  proxy_protocol: bytes('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n\r\n'),
  other_protocol: bytes('SSH-2.0-OpenSSH_9.2\r\n'),
  line_end: bytes('POST /scan/consume HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}'),
  length_and_chunks: bytes(
    post('/scan/consume', 'Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  ),
  length_twice: bytes(post('/scan/consume', 'Content-Length: 2\r\nContent-Length: 2\r\n', '{}')),
  length_invalid: bytes(post('/scan/consume', 'Content-Length: two\r\n', '{}')),
  transfer_encoding: bytes(post('/scan/consume', 'Transfer-Encoding: chunked, gzip\r\n', '{}')),
  chunk_invalid: bytes(post('/scan/consume', 'Transfer-Encoding: chunked\r\n', 'zz\r\n')),
  header_blank: bytes(post('/scan/consume', 'Content-Type : text/plain\r\n')),
  header_folded: bytes(post('/scan/consume', 'X-A: b\r\n c\r\n')),
  header_invalid: bytes(post('/scan/consume', 'X A: b\r\n')),
  method_invalid: bytes('SCAN /scan/consume HTTP/1.1\r\nHost: x\r\n\r\n'),
  target_invalid: bytes('GET /\u007f HTTP/1.1\r\nHost: x\r\n\r\n'),
  version_invalid: bytes('GET / HTTP/9.9\r\nHost: x\r\n\r\n'),
  bytes_after_end: bytes(
    'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
  ),
  cut_off: half('POST /scan/consume HTTP/1.1\r\nHost'),
  host_missing: bytes('GET /healthz HTTP/1.1\r\n\r\n'),
  host_invalid: bytes('GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n'),
  head_too_long: bytes(`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`),
  no_request: (port) => void open(port),
  head_late: bytes('POST /scan/consume HTTP/1.1\r\nHost'),
  body_late: bytes(post('/scan/consume', 'Content-Length: 9\r\n', '{')),
  unknown_path: ask('/scan/hw/nope', { method: 'POST' }),
  wrong_method: ask('/scan/consume'),
  content_invalid: (port, { key }) =>
    ask('/scan/consume', { method: 'POST', body: '{', headers: { 'x-api-key': key } })(port),
  body_too_long: (port, { key }) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    return ask('/scan/consume', { method: 'POST', body: 'x'.repeat(9000), headers })(port);
  },
  content_type: ask('/admin/v1/sessions', {
    method: 'POST',
    body: '<a/>',
    headers: { 'content-type': 'application/xml' },
  }),
  account_refused: ask('/admin/v1/keys'),
  not_allowed: (port) =>
    ask('/admin/v1/sessions', {
      method: 'POST',
      body: '{"name":"a","password":"b"}',
      headers: {
        'content-type': 'application/json',
        origin: 'https://elsewhere.example',
        'sec-fetch-site': 'cross-site',
      },
    })(port),
  metrics_token: (_port, { metricsPort }) => ask('/metrics')(metricsPort),
  too_many_connections: async (_port, { metricsPort }) => {
    const sockets = Array.from({ length: 20 }, () => open(metricsPort));
    // The client keeps its side open, so its end is all that tells.
    await Promise.race(sockets.map((socket) => once(socket, 'end')));
    for (const socket of sockets) socket.destroy();
  },
} satisfies Partial<Record<EdgeReason, Way>>;

/** Ways to be refused over HTTPS. */
const SECURE = {
  tls_http: bytes('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  tls_version: tls({
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  }),
  tls_cipher: tls({ maxVersion: 'TLSv1.2', ciphers: 'AES256-SHA' }),
  tls_certificate: refuseCertificate,
  tls_left: tls({ rejectUnauthorized: true }),
  tls_timeout: (port) => void open(port),
  http2: tls({ ALPNProtocols: ['h2', 'h2-16'] }),
  tls_protocol: tls({ ALPNProtocols: ['acme-tls/1', 'spdy/3.1'] }),
  proxy_protocol: bytes('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n'),
  other_protocol: bytes('SSH-2.0-OpenSSH_9.2\r\n'),
  head_too_long: tls({}, `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(70_000)}\r\n\r\n`),
  tls_broken: bytes('\u0016\u0003\u0001\u0000\u0005hello'),
} satisfies Partial<Record<EdgeReason, Way>>;

/** What has no short way through a server, and a test of its own below. */
const ELSEWHERE = [
  'answer_untaken',
  'blank_lines',
  'busy',
  'too_many_attempts',
  'http_broken',
] as const satisfies readonly EdgeReason[];

test('every reason has a way here, words and advice', () => {
  const known = new Set([...Object.keys(PLAIN), ...Object.keys(SECURE), ...ELSEWHERE]);
  expect([...known].sort()).toEqual(Object.keys(EDGE_REASONS).sort());
  for (const reason of Object.keys(REFUSAL_REASONS) as (keyof typeof REFUSAL_REASONS)[]) {
    expect(refusalAdvice(reason), reason).toMatch(/^[A-Z].*\.$/s);
  }
});

describe.each<[string, Record<string, Way>, Record<string, string | boolean>]>([
  ['HTTP', PLAIN, {}],
  ['HTTPS', SECURE, { tlsSelfSigned: true }],
])('over %s', (_name, ways, flags) => {
  test('every refusal is logged with what to do, counted in the store, and a metric', async () => {
    const served = await serve(flags);
    for (const way of Object.values(ways)) await way(served.port, served);
    const reasons = Object.keys(ways);
    const logged = (reason: string) => served.log().includes(`"reason":"${reason}"`);
    // An account is told of in a line of its own.
    const isLogged = (reason: string) =>
      reason === 'account_refused' || reason === 'not_allowed' || logged(reason);
    await expect.poll(() => reasons.filter((reason) => !isLogged(reason)), PATIENTLY).toEqual([]);
    for (const line of served
      .log()
      .split('\n')
      .filter((one) => one.includes('"reason":'))) {
      expect(JSON.parse(line)).toMatchObject({ address: '127.0.0.1', advice: expect.any(String) });
      expect(line).toContain('was refused"');
    }

    const silent = async () => {
      const text = await served.metrics();
      return reasons.filter((reason) => text.includes(`${metricOf(reason)} 0\n`));
    };
    await expect.poll(silent, PATIENTLY).toEqual([]);
    const counted = await served.stop();
    expect(reasons.filter((reason) => !counted.has(reason))).toEqual([]);
  });
});

test.each([
  ['answer_untaken', Buffer.alloc(64 * 1024 * 1024), false],
  ['blank_lines', Buffer.alloc(1), true],
])('a connection that is closed for %s is told', async (expected, body, takes) => {
  const limits = { underWayMax: 1, untakenMs: 200, idleMs: 200, checkEveryMs: 20 };
  const { promise, resolve } = Promise.withResolvers<string>();
  const connections = new HttpConnections(
    limits,
    (_request, response) => void response.end(body),
    (_socket, reason) => resolve(reason),
  );
  const server = createHttpServer((request, response) => connections.accept(request, response));
  server.once('close', connections.start());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = open((server.address() as AddressInfo).port);
  if (!takes) socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await promise).toBe(expected);
});

test.each([
  [429, 'too_many_attempts'],
  [503, 'busy'],
])('an answer %i of a route is counted as %s', async (status, reason) => {
  const counted: RefusedAtEdge[] = [];
  const count = (one: RefusedAtEdge) => void counted.push(one);
  const log = pino(new Writable({ write: (_chunk, _encoding, done) => done() }));
  const app = Fastify();
  app.decorateRequest('refusedFor', null);
  const outlets = { log: new RefusalLog(log), edge: new EdgeRefusals(log, count), count };
  logRefusals(app, outlets, () => '192.0.2.1');
  app.get('/exports', async (_request, reply) => reply.code(status).send({}));
  await app.inject('/exports');
  await app.close();
  expect(counted).toEqual([{ reason, address: '192.0.2.1', endpoint: '/exports' }]);
});

test('an error of the parser that nobody knows yet is broken HTTP, and a client that leaves is no refusal', () => {
  const facts = { head: 'GET / HTTP/1.1\r\n', isInBody: false };
  expect(connectionRefusal({ code: 'HPE_FROM_THE_FUTURE' }, facts)).toBe('http_broken');
  expect(connectionRefusal({ code: 'ERR_SSL_FROM_THE_FUTURE' }, facts)).toBe('tls_broken');
  expect(connectionRefusal({ code: 'ECONNRESET' }, facts)).toBeUndefined();
  expect(CONNECTION_REFUSALS.http_broken.what).toBe('broken HTTP');
});

/** How many lines of a file end a connection or refuse a request. A new one is told (`EdgeRefusals`, `RefusalReporter`), has a way above, and counts here. */
const ENDS = /\b(?:destroy|refuse|refuseRest|deny)\(|\.code\((?:4|status)/;
const PLACES: Readonly<Record<string, number>> = {
  'src/check/device/judge-server.ts': 8,
  'src/kit/every-request.ts': 2,
  'src/kit/first-bytes.ts': 1,
  'src/kit/last-answer.ts': 3,
  'src/scan/http/app.ts': 5,
  'src/scan/http/connections.ts': 3,
  'src/scan/http/device-endpoints.ts': 8,
  'src/scan/http/device-exchange.ts': 5,
  'src/scan/http/refusal.ts': 9,
  'src/scan/http/request-body.ts': 3,
  'src/scan/http/rest-endpoints.ts': 5,
  'src/scan/http/scan-endpoints.ts': 2,
  'src/serve/metrics-listener.ts': 5,
};

test('no file of the edge refuses in a place that is not counted here', () => {
  const files = [
    'src/check/device/judge-server.ts',
    ...['every-request', 'first-bytes', 'last-answer', 'plain-openings'].map(
      (name) => `src/kit/${name}.ts`,
    ),
    ...readdirSync('src/scan/http').map((name) => `src/scan/http/${name}`),
    'src/serve/metrics-listener.ts',
  ];
  const found = files.sort().flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const count = lines.filter((line) => ENDS.test(line)).length;
    return count === 0 ? [] : [[file, count] as const];
  });
  expect(Object.fromEntries(found)).toEqual(PLACES);
});
