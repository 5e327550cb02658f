import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openSockets } from '../../src/kit/connections.ts';
import { PLAIN_ANSWER, PlainConnections } from '../../src/scan/http/connections.ts';
import type { Endpoint } from '../../src/scan/http/exchange.ts';
import { tlsFor } from '../../src/serve/certificate.ts';
import { PATIENTLY } from '../support/patience.ts';
import { type Reading, WireService } from './support/wire-service.ts';
import { GOOD, send } from './wire/row.ts';

/** More than the system buffers at both ends. */
const UNTAKEN_BYTES = 64 * 1024 * 1024;
const REQUEST = send('validate', GOOD);
const UNUSUAL = REQUEST.replace('\r\n', '\r\nX-Mine: 1\r\n');
const VALIDATED = '"status":"validated"';
const host = '127.0.0.1';

const start = (reads: Reading) => WireService.start({ reads, timeoutMs: 1500 });
const startTls = async (reads: Reading, timeoutMs = 1500) => {
  const none = { tlsCert: undefined, tlsKey: undefined, tlsName: undefined };
  const files = { ...none, host, tlsSelfSigned: true, tlsElsewhere: false };
  const tls = await tlsFor(files, undefined);
  return WireService.start({ reads, timeoutMs, ...(tls && { tls }) });
};
const open = (port: number) => connect({ port, host }).on('error', () => undefined);
/** Sends a request on an open connection. @returns its answer; empty when the connection is closed without one */
const ask = (socket: Socket, request = REQUEST) => {
  socket.write(request);
  return new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes))).once('close', () => resolve(''));
  });
};
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('close', () => resolve()));
const openConnections = ({ app }: WireService) =>
  new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));

/** Holds every commit of a scan back until the test lets them go. */
function heldCommits({ store }: WireService): { begun: Promise<void>; release: () => void } {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const commit = store.commitScans.bind(store);
  const held = vi.spyOn(store, 'commitScans').mockImplementation(async (requests) => {
    begun.resolve();
    await released.promise;
    return commit(requests);
  });
  onTestFinished(() => held.mockRestore());
  return { begun: begun.promise, release: released.resolve };
}

function requestsSeenByNode({ server }: { server: http.Server }): () => number {
  let seen = 0;
  server.on('request', () => {
    seen += 1;
  });
  return () => seen;
}

test('a plain request is answered without Node’s HTTP, an unusual one with it, and all that follow', async () => {
  await using service = await start('plain');
  const seen = requestsSeenByNode(service.app);
  const told: unknown[] = [];
  service.app.server.on(PLAIN_ANSWER, (answer) => told.push(answer));
  const socket = open(service.port);
  expect(await ask(socket)).toContain(VALIDATED);
  socket.write(REQUEST.slice(0, -3));
  await sleep(5);
  expect(await ask(socket, REQUEST.slice(-3))).toContain(VALIDATED);
  expect(seen()).toBe(0);
  expect(await ask(socket, UNUSUAL)).toContain(VALIDATED);
  expect(await ask(socket)).toContain(VALIDATED);
  expect(seen()).toBe(2);
  const answer = { path: '/scan/validate', status: 200, seconds: expect.any(Number) };
  expect(told).toEqual([answer, answer]);
  socket.destroy();
});

test.each<Reading>(['plain', 'node'])(
  'a connection is closed when the server stops; a request that has arrived unread is answered: %s',
  async (reads) => {
    await using service = await start(reads);
    const [idle, busy] = [open(service.port), open(service.port)];
    await Promise.all([ask(idle), ask(busy)]);
    const answer = ask(busy);
    // The server stops in the same turn of the event loop: the request waits in the system's buffer.
    const { server } = service.app;
    server.close();
    await Promise.all([closed(idle), closed(busy)]);
    expect(await answer).toContain(VALIDATED);
  },
);

test.each<Reading>(['plain', 'node'])(
  'a request over TLS that has arrived unread when the server stops is answered: %s',
  async (reads) => {
    await using service = await startTls(reads);
    const socket = connectTls({ port: service.port, host, rejectUnauthorized: false });
    await ask(socket);
    const answer = ask(socket);
    // A turn of the event loop encrypts and sends it; the server has it in its buffer, and has not read it.
    await new Promise(setImmediate);
    service.app.server.close();
    await closed(socket);
    expect(await answer).toContain(VALIDATED);
  },
);

test('all requests are answered that the server began to read while it stops, not the first alone', async () => {
  await using service = await start('plain');
  const socket = open(service.port);
  await ask(socket);
  let answers = '';
  socket.on('data', (bytes) => {
    answers += bytes;
  });
  const ended = closed(socket);
  const { begun, release } = heldCommits(service);

  // The first is under way when the server stops; the others come in one packet meanwhile.
  socket.write(REQUEST);
  await begun;
  const stopped = service.app.close();
  socket.write(REQUEST.repeat(8));
  await sleep(20);
  release();
  await Promise.all([stopped, ended]);

  expect(answers.match(/HTTP\/1.1 200/g)).toHaveLength(9);
  expect(answers.match(/connection: close/gi)).toHaveLength(1);
});

test('a connection over TLS is plain, too', async () => {
  await using service = await startTls('plain');
  const seen = requestsSeenByNode(service.app);
  const socket = connectTls({ port: service.port, host, rejectUnauthorized: false });
  for (const [request, seenByNode] of [
    [REQUEST, 0],
    [REQUEST, 0],
    [UNUSUAL, 1],
    [REQUEST, 2],
  ] as const) {
    expect(await ask(socket, request)).toContain(VALIDATED);
    expect(seen()).toBe(seenByNode);
  }
  socket.destroy();
});

test.each<Reading>(['plain', 'node'])(
  'a client that closes its side of TLS right after the request gets the answer: %s',
  async (reads) => {
    await using service = await startTls(reads);
    const { begun, release } = heldCommits(service);
    const below = connect({ port: service.port, host, allowHalfOpen: true });
    const socket = connectTls({ socket: below, rejectUnauthorized: false });
    socket.end(REQUEST);
    await begun;
    // The end of the client's side is read meanwhile.
    await sleep(20);
    release();
    const answer = await new Promise((resolve) => {
      socket.once('data', resolve).once('close', resolve);
    });
    expect(String(answer)).toContain(VALIDATED);
  },
);

test.each<[says: string, Reading, letters: readonly string[] | undefined]>([
  ['leaves in the middle of the handshake', 'plain', undefined],
  ['leaves in the middle of the handshake', 'node', undefined],
  ['sends nothing instead of a handshake', 'plain', []],
  ['sends nothing instead of a handshake', 'node', []],
  ['sends a letter of it now and then', 'plain', ['\x16', '\x03', '\x01', '\x02', '\0', '\x01']],
])('a client that %s leaves no connection behind: %s', async (_says, reads, letters) => {
  await using service = await startTls(reads, 600);
  if (letters) {
    const sockets = Array.from({ length: 5 }, () => open(service.port));
    const thrownOut = Promise.all(sockets.map(closed));
    for (const letter of letters) {
      for (const socket of sockets) socket.write(letter, 'latin1');
      await sleep(100);
    }
    await thrownOut;
  } else {
    for (let client = 0; client < 5; client += 1) {
      const socket = connectTls({ port: service.port, host, rejectUnauthorized: false });
      await new Promise((resolve) => socket.once('secureConnect', resolve));
      socket.destroy();
    }
  }
  await vi.waitFor(async () => expect(await openConnections(service)).toBe(0), PATIENTLY);
});

/** A server with this endpoint alone, and a connection to it. */
/** @param keepAliveMs long where it is not what a test looks at: a busy machine may take a while to send the first request */
async function serveOne(endpoint: Endpoint, keepAliveMs = 60_000) {
  const server = http.createServer();
  const endpoints = new Map([['/scan/validate', endpoint]]);
  const plain = new PlainConnections({ endpoints, refusals: undefined, keepAliveMs });
  plain.watch(server, 'connection');
  const sockets = openSockets(server);
  server.closeAllConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, socket: open((server.address() as AddressInfo).port) };
}

/** Answers with so many letters. */
const answers =
  (letters: number, answered = () => {}): Endpoint =>
  async ({ response }) => {
    response.writeHead(200, { 'content-length': letters });
    response.end('x'.repeat(letters), 'latin1');
    answered();
  };

test('a connection without a request for too long is closed', async () => {
  const { socket } = await serveOne(answers(1), 1000);
  expect(await ask(socket)).toContain('200 OK');
  await closed(socket);
});

test('a connection whose client does not take its answer is not idle, and goes to Node’s HTTP with its next request', async () => {
  const answered = Promise.withResolvers<void>();
  const { server, socket } = await serveOne(answers(UNTAKEN_BYTES, answered.resolve));
  socket.pause();
  socket.write(REQUEST);
  await answered.promise;
  server.closeIdleConnections();
  const seenByNode = new Promise((resolve) => server.once('request', resolve));
  socket.write(REQUEST);
  await seenByNode;
});

test.each(['is noticed', 'shows when it is answered'])(
  'a client leaves behind the beginning of a second request, which %s: it is not done',
  async (when) => {
    const [begun, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let done = 0;
    const { server, socket } = await serveOne(async (exchange) => {
      done += 1;
      begun.resolve();
      await gone.promise;
      await answers(1)(exchange);
    });
    const seen = requestsSeenByNode({ server });
    const served = await new Promise<Socket>((resolve) => server.once('connection', resolve));
    socket.write(REQUEST);
    await begun.promise;
    socket.write(REQUEST + REQUEST.slice(0, 30));
    await new Promise((resolve) => served.once('data', resolve));
    socket.resetAndDestroy();
    if (when === 'is noticed') await closed(served);
    gone.resolve();
    await sleep(50);
    expect({ done, seenByNode: seen(), isClosed: served.closed }).toEqual({
      done: 1,
      seenByNode: 0,
      isClosed: true,
    });
  },
);

test('a connection is cut off with all others, also while an answer is under way', async () => {
  let cut = () => {};
  const { server, socket } = await serveOne(async () => cut());
  cut = () => server.closeAllConnections();
  socket.write(REQUEST);
  await closed(socket);
});
