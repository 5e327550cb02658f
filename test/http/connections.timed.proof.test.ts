import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { Random } from '../../prove/world/random.ts';
import {
  type ConnectionLimits,
  type Handler,
  HttpConnections,
} from '../../src/scan/http/connections.ts';
import { tlsFor } from '../../src/serve/certificate.ts';
import { rawExchange } from '../support/raw-http.ts';
import { SEED } from '../support/seed.ts';
import { TestService } from '../support/service.ts';

const random = new Random(SEED);
const LIMITS: ConnectionLimits = {
  underWayMax: 8,
  untakenMs: 1500,
  idleMs: 800,
  checkEveryMs: 50,
};
/** More than the buffers of both ends hold together. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');
/** Part of what the system buffers must be taken in each span, before it shows. */
const TAKEN_PER_MS = 6_000;
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

const certificate = await tlsFor(
  {
    host: '127.0.0.1',
    tlsCert: undefined,
    tlsKey: undefined,
    tlsSelfSigned: true,
    tlsName: undefined,
    tlsElsewhere: false,
  },
  undefined,
);

/** A server with these limits around `handle`. @returns a way to connect to it */
async function serve(tls: boolean, handle: Handler): Promise<() => Socket> {
  const connections = new HttpConnections(LIMITS, handle);
  const listener: Handler = (request, response) => connections.accept(request, response);
  const server = tls
    ? https.createServer({ ...certificate }, listener)
    : http.createServer(listener);
  server.once('close', connections.start());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => {
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    opened.push(() => socket.destroy());
    return socket;
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', resolve));

/** Everything that comes until there are `count` answers. */
function answersOf(socket: Socket, count: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (text.split('HTTP/1.1 200').length > count) resolve(text);
    });
    socket.on('close', () => reject(new Error(`closed after ${text.length} characters`)));
  });
}

describe.each([
  ['HTTP', false],
  ['HTTPS', true],
])('a connection over %s', (_name, tls) => {
  test('has a bounded number of requests under way; all are answered in order, with their bodies', async () => {
    let underWay = 0;
    let most = 0;
    const open = await serve(tls, (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      let body = '';
      request.on('data', (bytes) => {
        body += bytes;
      });
      request.on('end', () =>
        setTimeout(
          () => {
            underWay -= 1;
            response.end(`[${body}]`);
          },
          random.between(0, 5),
        ),
      );
    });
    const bodies = Array.from({ length: 300 }, (_, index) => `${index} ${'y'.repeat(index * 7)}`);
    const socket = open();
    socket.write(
      bodies
        .map(
          (body) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        .join(''),
    );
    const text = await answersOf(socket, bodies.length);
    expect([...text.matchAll(/\[(.*?)\]/g)].map(([, body]) => body)).toEqual(bodies);
    expect(most).toBe(LIMITS.underWayMax);
  });

  test('whose answers are not taken is closed, and its other requests are never handled', async () => {
    let handled = 0;
    const open = await serve(tls, (_request, response) => {
      handled += 1;
      response.end(LARGE);
    });
    const socket = open();
    socket.pause();
    socket.write(GET.repeat(2000));
    // A paused socket does not notice the end by itself: it is seen when it reads on.
    await sleep(LIMITS.untakenMs + 1000);
    expect(handled).toBe(LIMITS.underWayMax);
    let taken = 0;
    socket.on('data', (bytes) => {
      taken += bytes.length;
    });
    socket.resume();
    await closed(socket);
    expect(taken).toBeLessThan(LARGE.length);
  });

  test('that takes its answer slowly is not cut off', async () => {
    const open = await serve(tls, (_request, response) => response.end(LARGE));
    const socket = open();
    let taken = 0;
    socket.on('data', (bytes) => {
      taken += bytes.length;
      socket.pause();
      setTimeout(() => socket.resume(), bytes.length / TAKEN_PER_MS);
    });
    socket.write(GET);
    const began = performance.now();
    while (taken < LARGE.length && !socket.closed) await sleep(20);
    expect(taken).toBeGreaterThanOrEqual(LARGE.length);
    expect(performance.now() - began).toBeGreaterThan(2 * LIMITS.untakenMs);
  });

  test('that waits for a slow answer, or for the next event of a stream, is not cut off', async () => {
    const open = await serve(tls, (request, response) => {
      if (request.url === '/stream') response.write('first,');
      setTimeout(() => response.end('last'), 2 * LIMITS.untakenMs);
    });
    for (const path of ['/', '/stream']) {
      const socket = open();
      socket.write(GET.replace(' / ', ` ${path} `));
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes;
      });
      while (!text.includes('last') && !socket.closed) await sleep(20);
      expect(text).toContain('last');
    }
  });

  test('that only sends blank lines after an answer is closed; one that asks now and then is not', async () => {
    const open = await serve(tls, (_request, response) => response.end('answer'));
    const [blank, busy] = [open(), open()];
    blank.write(GET);
    busy.write(GET);
    blank.resume();
    busy.resume();
    const blanks = setInterval(() => blank.write('\r\n'), 50);
    const requests = setInterval(() => busy.write(GET), LIMITS.idleMs / 2);
    await closed(blank);
    clearInterval(blanks);
    await sleep(LIMITS.idleMs);
    clearInterval(requests);
    expect(busy.closed).toBe(false);
  });
});

test('500 pipelined consumes of one card take 500 uses, and each answer tells its own', async () => {
  await using service = await TestService.start();
  const ticketCode = await service.mint({ kind: 'permanent' });
  const body = JSON.stringify({ ticketCode });
  const one = (last: boolean) =>
    `POST /scan/consume HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.key('rest')}\r\ncontent-type: application/json\r\n` +
    `${last ? 'connection: close\r\n' : ''}content-length: ${body.length}\r\n\r\n${body}`;
  const text = await rawExchange(service.url, one(false).repeat(499) + one(true));
  const counts = [...text.matchAll(/"usesConsumed":(\d+)/g)].map(([, count]) => Number(count));
  expect(counts).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
});

test('garbage behind pipelined consumes takes no answer away: their uses are registered', async () => {
  await using service = await TestService.start();
  const ticketCode = await service.mint({ kind: 'permanent' });
  const body = JSON.stringify({ ticketCode });
  const one =
    `POST /scan/consume HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.key('rest')}\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
  const text = await rawExchange(service.url, `${one.repeat(100)}\0\0`);
  expect(text.split('"status":"consumed"').length - 1).toBe(100);
  expect(text).toMatch(/\{"message":"Bad Request"\}$/);
});

test('a client that ends its side right behind its requests gets every answer', async () => {
  await using service = await TestService.start();
  const codes = await Promise.all(Array.from({ length: 80 }, () => service.mint()));
  const requests = codes.map((ticketCode) => {
    const body = JSON.stringify({ ticketCode });
    return `POST /scan/consume HTTP/1.1\r\nHost: gate\r\nx-api-key: ${service.key('rest')}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  const { port } = new URL(service.url);
  const answersTo = async (sent: string) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.end(sent);
    return (await text(socket)).match(/"status":"consumed"/g)?.length ?? 0;
  };

  expect(await answersTo(requests[0] ?? '')).toBe(1);
  expect(await answersTo(requests.slice(1).join(''))).toBe(79);
});
