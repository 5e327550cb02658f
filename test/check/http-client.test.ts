import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import type { Answer, RequestSpec } from '../../src/check/facts/exchange.ts';
import { TransportFailure } from '../../src/check/facts/failures.ts';
import { HttpClient } from '../../src/check/requests/http-client.ts';
import { REAL_WORLD } from '../../src/check/requests/real-world.ts';
import { PATIENTLY } from '../support/patience.ts';
import { listen } from './support/listen.ts';

const VALIDATE: RequestSpec = { path: '/scan/validate', body: '{}' };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
const CLOSED = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** What a server writes, in pieces: each in a packet of its own; `null` closes the connection. */
type Script = readonly (string | null)[];

/** A server that plays a script for each request: `play` counts them over all connections. */
async function serverOf(play: (request: number) => Script) {
  const seen = { requests: 0, connections: 0, heads: [] as string[] };
  const server = net.createServer((socket) => {
    seen.connections += 1;
    socket.on('data', async (data) => {
      // several requests may come in one packet
      const heads = data.toString('latin1').split(/(?=POST )/);
      seen.heads.push(...heads);
      const scripts = heads.map(() => play(++seen.requests));
      for (const piece of scripts.flat()) await write(socket, piece);
    });
  });
  return { url: new URL(await listen(server)), seen };
}

async function write(socket: net.Socket, piece: string | null) {
  if (piece === null) socket.end();
  else socket.setNoDelay(true).write(piece, 'latin1');
  await sleep(10);
}

function clientFor(baseUrl: URL, timeoutMs = PATIENTLY.timeout, signal?: AbortSignal) {
  const client = new HttpClient({ baseUrl, timeoutMs, signal }, REAL_WORLD);
  onTestFinished(() => client.close());
  return client;
}

async function answerTo(script: Script, timeoutMs?: number): Promise<Answer | TransportFailure> {
  const { url } = await serverOf(() => script);
  return clientFor(url, timeoutMs)
    .send(VALIDATE)
    .catch((error) => error);
}

test.each([
  ['a length', [OK]],
  ['one byte a packet', [...OK]],
  ['chunks, an extension and a trailer', [`${CHUNKED}1;x=y\r\n{\r\n1\r\n}\r\n0\r\nx: y\r\n\r\n`]],
  ['the end of the connection', ['HTTP/1.1 200 OK\r\n\r\n{', '}', null]],
  ['HTTP/1.0', ['HTTP/1.0 200 OK\r\n\r\n{}', null]],
  ['an unasked 100', [`HTTP/1.1 100 Continue\r\n\r\n${OK}`]],
  ['an unasked 100 in a packet of its own', ['HTTP/1.1 100 Continue\r\nx: y\r\n\r\n', OK]],
  [
    'two interim answers',
    ['HTTP/1.1 100 \r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n', OK],
  ],
  ['bytes behind its end', [`${OK}HTTP/1.1 200 OK\r\n\r\n`]],
  ['a close that it announces', [CLOSED, null]],
])('an answer is whole: %s', async (_, script) => {
  expect(await answerTo(script, 5000)).toMatchObject({
    status: 200,
    json: {},
    body: '{}',
    cut: false,
  });
});

test.each([
  ['no HTTP', ['220 mail ready\r\n'], 'not-http'],
  ['a chunk without a length', [`${CHUNKED}zz\r\n`], 'not-http'],
  ['a length that is no number', ['HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\n{}'], 'not-http'],
  [
    'two lengths',
    ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    'not-http',
  ],
  [
    'headers without end',
    ['HTTP/1.1 200 OK\r\n', ...Array(80).fill(`x: ${'y'.repeat(1000)}\r\n`)],
    'not-http',
  ],
  ['a close before the answer', [null], 'reset'],
  ['a close in the head', ['HTTP/1.1 200 OK\r\ncontent-', null], 'reset'],
  [
    'a close in the body, announced',
    ['HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{}', null],
    'incomplete',
  ],
  ['a close in the body', ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}', null], 'incomplete'],
  ['a close between two chunks', [`${CHUNKED}1\r\n{\r\n`, null], 'incomplete'],
  [
    'an upgrade',
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    'not-http',
  ],
  ['a head drop by drop', ['HTTP/1.1 200 OK\r\nx: ', ...Array(200).fill('y')], 'timeout'],
  ['a body drop by drop', ['HTTP/1.1 200 OK\r\n\r\n', ...Array(200).fill(' ')], 'timeout'],
  ['nothing', [], 'timeout'],
])('no complete answer: %s', async (_, script, kind) => {
  const failure = await answerTo(script, kind === 'timeout' ? 500 : undefined);
  expect(failure).toBeInstanceOf(TransportFailure);
  expect(failure).toMatchObject({ kind });
});

test('a connection that ends under a use is told as such: what was answered over it before was whole', async () => {
  const { url, seen } = await serverOf((request) => (request === 1 ? [OK] : [null]));
  const line = clientFor(url).openKeptAlive();
  onTestFinished(() => line.close());
  await line.send(VALIDATE);

  const failure = await line
    .send({ path: '/scan/consume', body: '{}' })
    .catch((error: unknown) => error);

  expect(failure).toMatchObject({
    kind: 'reset',
    message: expect.stringContaining('the answers before it were whole'),
    advice: expect.stringContaining('Connection: close'),
  });
  // Nothing that may take a use is sent again.
  expect(seen.requests).toBe(2);
});

test('repeated headers are joined, and a body beyond 256 KiB is cut', async () => {
  const head = 'HTTP/1.1 401 X\r\nSet-Cookie: a\r\nset-cookie: b\r\ncontent-length: 300000\r\n\r\n';
  const answer = await answerTo([head + ' '.repeat(300_000)]);
  expect(answer).toMatchObject({
    status: 401,
    headers: { 'set-cookie': 'a, b', 'content-length': '300000' },
    cut: true,
    json: undefined,
  });
});

test('headers go out as they were written, repeated ones repeated', async () => {
  const { url, seen } = await serverOf(() => [OK]);
  const headers = [
    ['X-API-KEY', 'one'],
    ['x-api-key', 'two'],
    ['X-Other', ''],
  ] as const;
  await clientFor(url).send({ ...VALIDATE, path: '/pool/scan', query: [['k&', 'a b']], headers });
  const [head = ''] = seen.heads;
  expect(head).toMatch(/^POST \/pool\/scan\?k%26=a%20b HTTP\/1\.1\r\n/);
  const keys = head.split('\r\n').filter((line) => /^x-(api-key|other):/i.test(line));
  expect(keys.sort()).toEqual(['X-API-KEY: one', 'X-Other: ', 'x-api-key: two'].sort());
  expect(head.match(/content-length/gi)).toHaveLength(1);
});

test('a connection that the server closed meanwhile is not taken for a lost answer', async () => {
  const { url, seen } = await serverOf((request) => (request === 2 ? [null] : [OK]));
  const client = clientFor(url);
  await client.send(VALIDATE);
  // the second request finds the connection closing: it is sent once more over another
  expect(await client.send(VALIDATE)).toMatchObject({ status: 200 });
  expect(seen).toMatchObject({ requests: 3, connections: 2 });
});

test('a request that is lost on a new connection is not sent again', async () => {
  const { url, seen } = await serverOf(() => [null]);
  await expect(clientFor(url).send(VALIDATE)).rejects.toMatchObject({ kind: 'reset' });
  expect(seen.requests).toBe(1);
});

test('a consume goes over a connection of its own and is never sent again', async () => {
  const { url, seen } = await serverOf((request) => (request === 2 ? [null] : [OK]));
  const client = clientFor(url);
  const consume = { ...VALIDATE, path: '/scan/consume' };
  await client.send(VALIDATE);
  await expect(client.send(consume)).rejects.toMatchObject({ kind: 'reset' });
  expect(seen).toMatchObject({ requests: 2, connections: 2 });
});

test('a run that is stopped ends requests that wait for an answer', async () => {
  const { url } = await serverOf(() => []);
  const stop = new AbortController();
  const sent = clientFor(url, 5000, stop.signal).send(VALIDATE);
  setTimeout(() => stop.abort(), 50);
  await expect(sent).rejects.toMatchObject({ kind: 'stopped' });
});

test('an address where nothing listens, and a name that is not known', async () => {
  const refused = clientFor(new URL('http://127.0.0.1:1')).send(VALIDATE);
  await expect(refused).rejects.toMatchObject({ kind: 'refused' });
  const unknown = clientFor(new URL('http://nowhere.invalid')).send(VALIDATE);
  await expect(unknown).rejects.toMatchObject({ kind: 'unknown-host' });
});

test('an IPv6 address, and a base address with a path', async () => {
  const server = net.createServer((socket) => socket.once('data', () => socket.end(OK)));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  const answer = await clientFor(new URL(`http://[::1]:${port}/pool/`)).send(VALIDATE);
  expect(answer.status).toBe(200);
});

test('requests sent at once on one connection are answered in turn, and none is sent twice', async () => {
  const { url, seen } = await serverOf((request) => (request === 3 ? [null] : [OK]));
  const connection = await clientFor(url).connect();
  const sent = Array.from({ length: 4 }, () => connection.send(VALIDATE));
  const kinds = (await Promise.allSettled(sent)).map((one) =>
    one.status === 'fulfilled' ? one.value.status : one.reason.kind,
  );
  expect(kinds).toEqual([200, 200, 'reset', 'reset']);
  expect(connection.isOpen).toBe(false);
  await expect(connection.send(VALIDATE)).rejects.toMatchObject({ kind: 'reset' });
  expect(seen).toMatchObject({ requests: 4, connections: 1 });
});

/** A server beside this thread: it answers also while nothing runs here. */
const ANSWERING = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

test('an answer that came while this process stood still came in time', async () => {
  const thread = new Worker(ANSWERING, { eval: true });
  onTestFinished(async () => void (await thread.terminate()));
  const [port] = await once(thread, 'message');
  const client = clientFor(new URL(`http://127.0.0.1:${port}`), 400);
  await client.send(VALIDATE);
  const asked = client.send(VALIDATE);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  expect((await asked).status).toBe(200);
});

test('a TLS session is resumed, so that a connection of its own costs less', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const resumed: boolean[] = [];
  const server = tls.createServer({ cert, key }, (socket) => {
    resumed.push(socket.isSessionReused());
    socket.on('data', () => socket.write(OK));
  });
  const { port } = new URL(await listen(server));
  const baseUrl = new URL(`https://127.0.0.1:${port}`);
  const client = new HttpClient({ baseUrl, timeoutMs: 5000, ca: cert }, REAL_WORLD);
  onTestFinished(() => client.close());
  const consume = { ...VALIDATE, path: '/scan/consume' };
  for (let i = 0; i < 3; i += 1) expect(await client.send(consume)).toMatchObject({ status: 200 });
  expect(resumed).toEqual([false, true, true]);
  await expect(clientFor(baseUrl).send(VALIDATE)).rejects.toMatchObject({ kind: 'tls' });
});
