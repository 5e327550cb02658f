import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import { seed } from '../../src/features/seed/seed.ts';
import { openSockets } from '../../src/kit/connections.ts';
import { buildApp, type HttpApp } from '../../src/scan/http/app.ts';
import { PLAIN_ANSWER, PlainConnections } from '../../src/scan/http/connections.ts';
import type { Endpoint } from '../../src/scan/http/exchange.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import { tlsFor } from '../../src/serve/certificate.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { keptLog } from '../support/kept-log.ts';

/** More than the system buffers at both ends. */
const UNTAKEN_BYTES = 24 * 1024 * 1024;

/** Two servers on one store: one reads plain requests itself, the other has Node read all. */
const ports = { plain: 0, node: 0 };
const apps: HttpApp[] = [];
let store: MemoryStore;
let serve: (
  reads: 'plain' | 'node',
  tls?: { cert: string; key: string },
) => Promise<{ app: HttpApp; port: number }>;
/** A key of each kind, and the code of a good ticket. */
let seeded: { readonly rest: string; readonly device: string; readonly code: string };

beforeAll(async () => {
  store = new MemoryStore();
  const keyring = temporaryKeyring();
  const clock = systemClock;
  const administration = new Administration(store, clock, randomBytes);
  const limits = { ...DEFAULT_LIMITS, ratePerSecond: 1e6, burst: 1e6 };
  const deps = { store, administration, keyring, clock, random: randomBytes };
  const { keys, tickets } = await seed(deps, { ticketsPerState: 1, limits });
  const [code = ''] = tickets['multi'] ?? [];
  seeded = { rest: keys['rest'] ?? '', device: keys['hardware'] ?? '', code };
  const scans = { store, keyring: () => keyring, clock, deviceRetryWindowMs: 0 };
  const service = new ScanService(scans);
  const served = { service, checkWritable: async () => {}, hardwareAlways200: false };
  serve = async (reads, tls) => {
    const log = reads === 'node' ? keptLog('debug').log : pino({ level: 'silent' });
    const timeouts = { requestTimeoutMs: 1500, headersTimeoutMs: 1500 };
    const app = buildApp({ ...served, log }, { ...timeouts, ...(tls && { tls }) });
    await app.listen({ port: 0, host: '127.0.0.1' });
    apps.push(app);
    return { app, port: (app.server.address() as AddressInfo).port };
  };
  ports.plain = (await serve('plain')).port;
  ports.node = (await serve('node')).port;
});

afterAll(async () => {
  for (const app of apps) {
    app.server.closeAllConnections();
    await app.close();
  }
});

/** Sends the parts, each in a packet of its own, then says that there is no more. @returns all that comes back, without its time */
async function answerOf(port: number, parts: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined).on('end', () => socket.end());
  for (const [index, part] of parts.entries()) {
    if (index > 0) await sleep(3);
    socket.write(part, 'latin1');
  }
  socket.end();
  await closed;
  return answer.replaceAll(/^Date: .*$/gim, 'Date: …');
}

async function expectAlike(parts: readonly string[]): Promise<string> {
  const [plain, node] = await Promise.all([
    answerOf(ports.plain, parts),
    answerOf(ports.node, parts),
  ]);
  expect(plain, JSON.stringify(parts)).toBe(node);
  return plain;
}

interface Parts {
  readonly start?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

function requestOf({ start, headers, body }: Parts = {}): string {
  const text = body ?? JSON.stringify({ ticketCode: seeded.code });
  const lines = headers ?? [
    'Host: gate.example',
    'Content-Type: application/json',
    `X-API-Key: ${seeded.rest}`,
    `Content-Length: ${text.length}`,
  ];
  return `${[start ?? 'POST /scan/validate HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n${text}`;
}

const withHeader = (...more: string[]) => {
  const [start = '', rest = ''] = splitAt(requestOf(), requestOf().indexOf('\r\n'));
  return start + more.map((line) => `\r\n${line}`).join('') + rest;
};
const splitAt = (text: string, at: number) => [text.slice(0, at), text.slice(at)];

test('a plain request is answered without Node’s HTTP, an unusual one with it', async () => {
  const [app] = apps;
  let seenByNode = 0;
  app?.server.on('request', () => {
    seenByNode += 1;
  });
  const told: unknown[] = [];
  app?.server.on(PLAIN_ANSWER, (answer) => told.push(answer));
  const isGood = (answer: string) => answer.includes('"status":"validated"');
  const plain = requestOf();
  expect(isGood(await answerOf(ports.plain, [plain]))).toBe(true);
  expect(isGood(await answerOf(ports.plain, splitAt(plain, plain.length - 3)))).toBe(true);
  expect(seenByNode).toBe(0);
  expect(isGood(await answerOf(ports.plain, [withHeader('X-Mine: 1')]))).toBe(true);
  expect(seenByNode).toBe(1);
  expect(told).toEqual([
    { path: '/scan/validate', status: 200, seconds: expect.any(Number) },
    { path: '/scan/validate', status: 200, seconds: expect.any(Number) },
  ]);
});

describe('a request is answered as Node reads it, byte for byte', () => {
  test.each<[string, () => string]>([
    ['plain', () => requestOf()],
    [
      'to consume',
      () => requestOf({ start: 'POST /scan/consume HTTP/1.1', body: '{"ticketCode":"x"}' }),
    ],
    ['with an umlaut in its body', () => requestOf({ body: '{"ticketCode":"\xc3\xa4"}' })],
    ['with bytes that are no text', () => requestOf({ body: '{"ticketCode":"\xff"}' })],
    ['of a device', () => deviceRequest(`/scan/hw/validate?key=${seeded.device}`)],
    ['of a device with two keys', () => deviceRequest('/scan/hw/validate?key=1&key=2')],
    ['that says a device is there', () => deviceRequest(`/scan/hw/heartbeat?key=${seeded.device}`)],
    ['to a device path that is none', () => deviceRequest('/scan/hw/nope')],
    ['to a scan path that is none', () => requestOf({ start: 'POST /scan/nope HTTP/1.1' })],
    ['with a blank in its path', () => requestOf({ start: 'POST /scan/valid ate HTTP/1.1' })],
    ['with a fragment', () => requestOf({ start: 'POST /scan/validate#x HTTP/1.1' })],
    ['with a query', () => requestOf({ start: 'POST /scan/validate?a=b HTTP/1.1' })],
    ['with a whole address', () => requestOf({ start: 'POST http://a/scan/validate HTTP/1.1' })],
    ['in HTTP/1.0', () => requestOf({ start: 'POST /scan/validate HTTP/1.0' })],
    ['in HTTP/1.2', () => requestOf({ start: 'POST /scan/validate HTTP/1.2' })],
    ['in small letters', () => requestOf({ start: 'post /scan/validate HTTP/1.1' })],
    ['by another method', () => requestOf({ start: 'PUT /scan/validate HTTP/1.1' })],
    ['for a tunnel', () => 'CONNECT /scan/validate HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['without headers', () => requestOf({ headers: [] })],
    ['without a host', () => requestOf().replace('Host: gate.example\r\n', '')],
    ['with two hosts', () => withHeader('Host: b')],
    ['with an empty host', () => requestOf().replace('gate.example', '')],
    ['with a second key', () => withHeader('X-API-Key: b')],
    ['with the wrong key', () => requestOf().replace(seeded.rest, 'tscn_api_wrong')],
    ['with an empty key', () => requestOf().replace(seeded.rest, '')],
    ['with a second length', () => withHeader('Content-Length: 3')],
    ['with its length twice', () => withHeader(lengthLine())],
    ['with a length of nothing', () => withLength('0')],
    ['with a negative length', () => withLength('-1')],
    ['with a length with a sign', () => withLength('+60')],
    ['with a length in hexadecimal', () => withLength('0x10')],
    ['with a length with a zero in front', () => withLength('060')],
    ['with a length that is a list', () => withLength('60, 60')],
    ['longer than it says', () => withLength('5')],
    ['shorter than it says', () => withLength('500')],
    ['with a length of 8 KiB and more', () => requestOf({ body: 'x'.repeat(8193) })],
    ['in chunks', () => withHeader('Transfer-Encoding: chunked')],
    ['in chunks with an unusual name', () => withHeader('Transfer-Encoding : chunked')],
    ['with an unknown coding', () => withHeader('Transfer-Encoding: x')],
    ['that closes', () => withHeader('Connection: close')],
    ['that stays', () => withHeader('connection: Keep-Alive')],
    ['that closes behind a proxy', () => withHeader('Proxy-Connection: close')],
    ['that wants another protocol', () => withHeader('Connection: Upgrade', 'Upgrade: h2c')],
    ['that waits for permission', () => withHeader('Expect: 100-continue')],
    ['that expects something else', () => withHeader('Expect: tea')],
    ['with an unknown header', () => withHeader('X-Mine: 1')],
    ['with the name of a member of every object', () => withHeader('__proto__: 1')],
    ['with a name of every object', () => withHeader('constructor: 1')],
    ['with a blank before a colon', () => withHeader('Accept : */*')],
    ['with a folded header', () => withHeader('Accept: a\r\n b')],
    ['with a header without a name', () => withHeader(': x')],
    ['with a header without a colon', () => withHeader('Accept')],
    ['with blanks around a value', () => withHeader('Accept-Language: \t de \t ')],
    ['with a bare line feed', () => withHeader('Accept: a\nVia: b')],
    ['with a bare carriage return', () => withHeader('Accept: a\rVia: b')],
    ['with a zero byte', () => withHeader('Accept: a\0b')],
    ['with a letter beyond ASCII', () => withHeader('Accept: \xe4')],
    ['with blank lines in front', () => `\r\n\r\n${requestOf()}`],
    ['with a long head', () => withHeader(`User-Agent: ${'x'.repeat(9000)}`)],
    ['with too long a head', () => withHeader(`User-Agent: ${'x'.repeat(20_000)}`)],
    ['in German', () => withHeader('Accept-Language: de')],
    ['with a name for a retry', () => withHeader('Idempotency-Key: a')],
    ['with another type', () => requestOf().replace('application/json', 'text/plain')],
    ['two at once', () => requestOf() + requestOf()],
    ['one and a half', () => requestOf() + requestOf().slice(0, 40)],
    ['one and something broken', () => `${requestOf()}GET\r\n\r\n`],
    ['that breaks off in its head', () => requestOf().slice(0, 50)],
    ['that breaks off in its body', () => requestOf().slice(0, -5)],
    ['that is none', () => 'hello\r\n\r\n'],
    ['of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['for a page', () => 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['of nothing', () => ''],
  ])('%s', async (_name, request) => {
    const text = request();
    await expectAlike([text]);
    // The connection has had a plain request, and then has this one.
    await expectAlike([requestOf(), text]);
    await expectAlike(splitAt(text, Math.floor(text.length / 2)));
    await expectAlike(splitAt(text, text.length - 3));
  });

  test('with a broken head of a device, wherever its packets part: a denial', async () => {
    const head = 'POST /scan/hw/consume?key=x HTTP/1.1\r\nHost: x\r\n';
    const large = `${head}X: ${'x'.repeat(20_000)}\r\n\r\n`;
    const broken = `${head}bad header: x\r\n\r\n`;
    const plain = deviceRequest(`/scan/hw/heartbeat?key=${seeded.device}`);
    const unusual = plain.replace('\r\n', '\r\nX-Mine: 1\r\n');
    const parted = Array.from(head, (_, at) => [splitAt(broken, at), splitAt(large, at)]).flat();
    const answers = await Promise.all(
      [[...broken], ...parted].flatMap((parts) => [
        expectAlike(parts),
        expectAlike([plain, ...parts]),
        expectAlike([unusual, ...parts]),
      ]),
    );
    for (const answer of answers) expect(answer).toMatch(/4(?:00|31) [^{]*\{"AcsRes":"0"[^{]*$/);
  });

  test.each([
    ['ended by a line feed alone', '/scan/hw/consume?key=x HTTP/1.1\nHost: x\r\n\r\n'],
    ['of another version', '/scan/hw/consume?key=x HTTP/9.1\r\nHost: x\r\n\r\n'],
    ['with a version in small letters', '/scan/hw/consume?key=x http/1.1\r\nHost: x\r\n\r\n'],
    ['with a blank in it', '/scan/hw/consume?key=x y HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['with a control character', '/scan/hw/consume?key=x\x01y HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['with a whole address', 'http://gate/scan/hw/consume?key=x HTTP/1.1\r\nbad header: x\r\n\r\n'],
    ['that is too long', `/scan/hw/consume?key=${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('with a first line of a device %s: a denial', async (_name, rest) => {
    const request = `POST ${rest}`;
    const software = request.replace('/hw/', '/');
    for (const at of [0, 30]) {
      const denied = await expectAlike(splitAt(request, at));
      expect(denied).toMatch(/4(?:00|31) [^{]*\{"AcsRes":"0"[^{]*$/);
      expect(await expectAlike(splitAt(software, at))).toMatch(/4(?:00|31) [^{]*\{"message":/);
    }
  });

  test('for a tunnel: there is none', async () => {
    const connect = (path: string) => `CONNECT ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await expectAlike([requestOf() + connect('/scan/validate')]);
    expect(answer).toMatch(/"status":"validated".*405 Method Not Allowed.*Allow: POST/is);
    expect(await expectAlike([connect('/scan/hw/consume')])).toContain('"AcsRes":"0"');
    expect(await expectAlike([connect('gate.example:443')])).toContain('404 Not Found');
  });

  test.each<[string, () => string, refused: string]>([
    ['the first letter of a request', () => 'P', ' 400'],
    ['half a first line', () => requestOf().slice(0, 12), ' 400'],
    ['half a head', () => requestOf().slice(0, 50), ' 400'],
    ['half a head of a device', () => deviceRequest('/scan/hw/consume?key=x').slice(0, 40), ' 400'],
    ['a head', () => requestOf().slice(0, requestOf().indexOf('{')), ' 400'],
    ['half a body', () => requestOf().slice(0, -5), ' 400'],
    [
      'half a body in chunks',
      () => withHeader('Transfer-Encoding: chunked').replace(`${lengthLine()}\r\n`, ''),
      ' 400',
    ],
    ['bytes that are none', () => 'hello\r\n\r\n', ' 400'],
    ['a byte that is none', () => '\x16', ' 400'],
    ['blank lines', () => '\r\n\r\n', ''],
    ['half a blank line', () => '\r', ''],
  ])(
    'with %s behind it and then the end, however long its answer takes',
    async (_name, rest, refused) => {
      const commit = store.commitScans.bind(store);
      const slow = vi.spyOn(store, 'commitScans').mockImplementation(async (requests) => {
        await sleep(25);
        return commit(requests);
      });
      onTestFinished(() => slow.mockRestore());
      const shapes = [requestOf(), withHeader('X-Mine: 1'), requestOf().repeat(2)].flatMap(
        (good) => [
          [good + rest()],
          [good, rest()],
          [...splitAt(good, good.length - 3), rest()],
          splitAt(good + rest(), good.length + 1),
          [good, ...splitAt(rest(), 1)],
        ],
      );
      const answers = await Promise.all(shapes.map(expectAlike));
      const statuses = answers.map((answer) => answer.match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' '));
      const good = [...Array(10).fill('200'), ...Array(5).fill('200 200')];
      expect(statuses).toEqual(good.map((status) => status + refused));
    },
  );

  test('with bytes that were changed, removed or added at random, in one packet or several', async () => {
    const letters = '\r\n\t :/?&=-+,;"{}\\\0\x7f\x80\xffaZ019';
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          let text = requestOf();
          for (let change = 0; change <= below(2); change += 1) {
            const at = below(text.length);
            const letter = letters[below(letters.length)] as string;
            text = text.slice(0, at) + letter.repeat(below(2)) + text.slice(at + below(2));
          }
          await expectAlike(below(2) === 0 ? [text] : splitAt(text, below(text.length)));
        }),
      );
    }
  });
});

describe('a connection with plain requests', () => {
  /** Sends a plain request on an open connection. @returns its answer */
  const ask = (socket: Socket) => {
    socket.write(requestOf());
    return new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
  };
  const closed = (socket: Socket) =>
    new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const open = (port: number) => connect({ port, host: '127.0.0.1' }).on('error', () => undefined);

  test('is closed when the server stops; a request that has arrived is answered', async () => {
    const { app, port } = await serve('plain');
    const [idle, busy] = [open(port), open(port)];
    await Promise.all([ask(idle), ask(busy)]);
    const answer = ask(busy);
    // On its way: the server reads it in this turn of the event loop or the next.
    await sleep(1);
    await Promise.all([app.close(), closed(idle), closed(busy)]);
    expect(await answer).toContain('"status":"validated"');
  });

  test('has all requests answered that the server began to read while it stops, not the first alone', async () => {
    const { app, port } = await serve('plain');
    const socket = open(port);
    await ask(socket);
    let answers = '';
    socket.on('data', (bytes) => {
      answers += bytes;
    });
    const ended = closed(socket);

    const commit = store.commitScans.bind(store);
    const slow = vi.spyOn(store, 'commitScans').mockImplementation(async (requests) => {
      await sleep(100);
      return commit(requests);
    });
    onTestFinished(() => slow.mockRestore());

    // The first is under way when the server stops; the others come in one packet meanwhile.
    socket.write(requestOf());
    await sleep(20);
    const stopped = app.close();
    await sleep(20);
    socket.write(requestOf().repeat(8));
    await Promise.all([stopped, ended]);

    expect(answers.match(/HTTP\/1.1 200/g)).toHaveLength(9);
    expect(answers.match(/connection: close/gi)).toHaveLength(1);
  });

  test('goes to Node’s HTTP with what is not whole after a while: its time is limited as ever', async () => {
    const beginnings = ['', 'POST /scan/val', requestOf().slice(0, -5)];
    const answers = await Promise.all(
      beginnings.flatMap((text) =>
        [ports.plain, ports.node].map(async (port) => {
          const socket = open(port);
          let answer = '';
          socket.on('data', (bytes) => {
            answer += bytes;
          });
          if (text) socket.write(text);
          await closed(socket);
          return answer.split('\r\n')[0];
        }),
      ),
    );
    expect(answers).toEqual(
      beginnings.flatMap(() => Array(2).fill('HTTP/1.1 408 Request Timeout')),
    );
  });

  const host = '127.0.0.1';
  const serveTls = async (reads: 'plain' | 'node') => {
    const none = { tlsCert: undefined, tlsKey: undefined, tlsName: undefined };
    const files = { ...none, host, tlsSelfSigned: true, tlsElsewhere: false };
    return serve(reads, await tlsFor(files, undefined));
  };

  test('works over TLS', async () => {
    const { app, port } = await serveTls('plain');
    let seenByNode = 0;
    app.server.on('request', () => {
      seenByNode += 1;
    });
    const socket = connectTls({ port, host, rejectUnauthorized: false });
    expect(await ask(socket)).toContain('"status":"validated"');
    expect(await ask(socket)).toContain('"status":"validated"');
    expect(seenByNode).toBe(0);
    socket.write(withHeader('X-Mine: 1'));
    await new Promise((resolve) => socket.once('data', resolve));
    expect(await ask(socket)).toContain('"status":"validated"');
    expect(seenByNode).toBe(2);
    socket.destroy();
  });

  test.each(['plain', 'node'] as const)(
    'a client that closes its side of TLS right after the request gets the answer: %s',
    async (reads) => {
      const { port } = await serveTls(reads);
      const commit = store.commitScans.bind(store);
      vi.spyOn(store, 'commitScans').mockImplementationOnce(async (requests) => {
        await sleep(100);
        return commit(requests);
      });
      const below = connect({ port, host, allowHalfOpen: true });
      const socket = connectTls({ socket: below, rejectUnauthorized: false });
      socket.end(requestOf());
      const answer = await new Promise((resolve) => {
        socket.once('data', resolve).once('close', resolve);
      });
      expect(String(answer)).toContain('"status":"validated"');
    },
  );

  test.each(['plain', 'node'] as const)(
    'a client that leaves in the middle of the handshake leaves no connection behind: %s',
    async (reads) => {
      const { app, port } = await serveTls(reads);
      const open = () => new Promise((resolve) => app.server.getConnections((_, n) => resolve(n)));
      for (let client = 0; client < 5; client += 1) {
        const socket = connectTls({ port, host, rejectUnauthorized: false });
        await new Promise((resolve) => socket.once('secureConnect', resolve));
        socket.destroy();
      }
      await vi.waitFor(async () => expect(await open()).toBe(0));
    },
  );

  test.each([
    ['nothing', 'plain', []],
    ['nothing', 'node', []],
    ['a letter now and then', 'plain', ['\x16', '\x03', '\x01', '\x02', '\0', '\x01']],
  ] as const)(
    'a client that sends %s instead of a handshake leaves no connection behind: %s',
    async (_name, reads, letters) => {
      const { app, port } = await serveTls(reads);
      const sockets = Array.from({ length: 5 }, () => open(port));
      const thrownOut = Promise.all(sockets.map(closed));
      for (const letter of letters) {
        for (const socket of sockets) socket.write(letter, 'latin1');
        await sleep(250);
      }
      await thrownOut;
      const count = () => new Promise((resolve) => app.server.getConnections((_, n) => resolve(n)));
      await vi.waitFor(async () => expect(await count()).toBe(0));
    },
  );

  /** A server with this endpoint alone. */
  const serveOne = async (endpoint: Endpoint) => {
    const server = http.createServer();
    const endpoints = new Map([['/scan/validate', endpoint]]);
    const plain = new PlainConnections({ endpoints, refusals: undefined, keepAliveMs: 100 });
    plain.watch(server, 'connection');
    const sockets = openSockets(server);
    server.closeAllConnections = () => {
      for (const socket of sockets) socket.destroy();
    };
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, socket: open((server.address() as AddressInfo).port) };
  };

  test('is closed when it has had no request for too long', async () => {
    const { server, socket } = await serveOne(async ({ response }) => {
      response.writeHead(200, { 'content-length': 1 });
      response.end('x', 'latin1');
    });
    expect(await ask(socket)).toContain('200 OK');
    await closed(socket);
    server.close();
  });

  test('whose client does not take its answer is not idle, and goes to Node’s HTTP with its next request', async () => {
    const answered = Promise.withResolvers<void>();
    const { server, socket } = await serveOne(async ({ response }) => {
      response.writeHead(200, { 'content-length': UNTAKEN_BYTES });
      response.end('x'.repeat(UNTAKEN_BYTES), 'latin1');
      answered.resolve();
    });
    socket.pause();
    socket.write(requestOf());
    await answered.promise;
    server.closeIdleConnections();
    const seenByNode = new Promise((resolve) => server.once('request', resolve));
    socket.write(requestOf());
    await seenByNode;
    server.closeAllConnections();
    server.close();
  });

  test.each(['is noticed', 'shows when it is answered'])(
    'whose client leaves behind the beginning of a second request, which %s: it is not done',
    async (when) => {
      const [begun, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let done = 0;
      const { server, socket } = await serveOne(async ({ response }) => {
        done += 1;
        begun.resolve();
        await gone.promise;
        response.writeHead(200, { 'content-length': 1 });
        response.end('x', 'latin1');
      });
      let seenByNode = 0;
      server.on('request', () => {
        seenByNode += 1;
      });
      const [served] = (await Promise.all([
        new Promise((resolve) => server.once('connection', resolve)),
      ])) as [Socket];
      socket.write(requestOf());
      await begun.promise;
      socket.write(requestOf() + requestOf().slice(0, 30));
      await new Promise((resolve) => served.once('data', resolve));
      socket.resetAndDestroy();
      if (when === 'is noticed') await closed(served);
      gone.resolve();
      await sleep(50);
      expect({ done, seenByNode, isClosed: served.closed }).toEqual({
        done: 1,
        seenByNode: 0,
        isClosed: true,
      });
      server.close();
    },
  );

  test('is cut off with all others, also while an answer is under way', async () => {
    let cut = () => {};
    const { server, socket } = await serveOne(async () => cut());
    cut = () => server.closeAllConnections();
    socket.write(requestOf());
    await closed(socket);
    server.close();
  });
});

const below = (count: number) => Math.floor(Math.random() * count);
const lengthLine = () => /Content-Length: \d+/.exec(requestOf())?.[0] ?? '';
const withLength = (length: string) =>
  requestOf().replace(/Content-Length: \d+/, `Content-Length: ${length}`);

function deviceRequest(target: string): string {
  const body = '{"Card":"x","Serial":"7","Reader":"1"}';
  const headers = ['Host: x', `Content-Length: ${body.length}`];
  return requestOf({ start: `POST ${target} HTTP/1.1`, headers, body });
}
