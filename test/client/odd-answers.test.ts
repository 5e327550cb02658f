import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { attemptFrom } from '../../src/client/attempt.ts';
import { ScanClient } from '../../src/client/scan-client.ts';
import { boundedText } from '../../src/kit/connections.ts';
import { selfSigned } from '../../src/serve/certificate.ts';
import { CLIENTS, type Outcome, byWebhooks as webhooks } from './support/clients.ts';

const BODY = '{"valid":false}';
const head = (more = '', status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${more}`;
const length = (text: string) => `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const PLAIN = head() + length(BODY);
const chunked = (coding: string) =>
  `${head(`transfer-encoding: ${coding}\r\n`)}\r\nf\r\n${BODY}\r\n0\r\n\r\n`;
const coded = (name: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(head(`content-encoding: ${name}\r\ncontent-length: ${bytes.length}\r\n\r\n`)),
    bytes,
  ]);

const taken: Outcome = { status: 200, body: BODY };

/** Answers that HTTP permits and few servers give (RFC 9110, RFC 9112). One that nobody can use is refused by all, with the reason. */
const ANSWERS: Readonly<
  Record<string, readonly [bytes: string | Buffer, expected: Outcome | RegExp]>
> = {
  plain: [PLAIN, taken],
  'with 100 unasked': [`HTTP/1.1 100 Continue\r\n\r\n${PLAIN}`, taken],
  'with 100 and headers': [`HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n${PLAIN}`, taken],
  'with 102 and 103': [
    `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${PLAIN}`,
    taken,
  ],
  'with 100 twice': [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${PLAIN}`, taken],
  'with a head of 17 KB': [head(`x-long: ${'a'.repeat(17_000)}\r\n`) + length(BODY), taken],
  'without a reason phrase': [PLAIN.replace('200 OK', '200 '), taken],
  'in chunks with trailers': [
    `${head()}transfer-encoding: chunked\r\n\r\n8;a=b\r\n${BODY.slice(0, 8)}\r\n7\r\n${BODY.slice(8)}\r\n0\r\nX-Sum: 1\r\n\r\n`,
    taken,
  ],
  'of HTTP/1.0 that ends with its connection': [`HTTP/1.0 200 OK\r\n\r\n${BODY}`, taken],
  'without a length that ends with its connection': [
    `${head('connection: close\r\n')}\r\n${BODY}`,
    taken,
  ],
  'with 204': ['HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '' }],
  'with an absolute redirect': [
    head('location: http://127.0.0.1:1/elsewhere\r\n', '307 Temporary Redirect') + length(BODY),
    { status: 307, body: BODY },
  ],
  'with repeated and oddly spelled heads': [
    head(
      'X-A: 1\r\nx-a: 2\r\nSET-COOKIE: a=b\r\nset-cookie: c=d\r\nRetry-After: 1\r\nretry-after: 2\r\n',
    ) + length(BODY),
    taken,
  ],
  'with identity as its coding': [head('content-encoding: identity\r\n') + length(BODY), taken],
  'with a byte-order mark': [head() + length(`\ufeff${BODY}`), taken],
  'with blank lines in front': [`\r\n\r\n${PLAIN}`, taken],
  'with zeros in front of its length': [`${head('content-length: 00015\r\n')}\r\n${BODY}`, taken],
  'with bytes beyond ASCII in its head': [
    Buffer.from(head('x-name: K\u00fc\r\n', '200 Sch\u00f6n') + length(BODY), 'latin1'),
    taken,
  ],
  'in chunks that say so in capitals': [chunked('Chunked'), taken],
  'of HTTP/1.0 in chunks': [chunked('chunked').replace('1.1', '1.0'), taken],
  'with a quoted extension of a chunk': [
    chunked('chunked').replace('f\r\n', 'f;a="b c"\r\n'),
    taken,
  ],
  'with a second answer behind it': [`${PLAIN}${PLAIN}`, taken],
  'of a version that only says 2.0': [PLAIN.replace('1.1', '2.0'), taken],
  'with 304': [head('', '304 Not Modified') + length(BODY), { status: 304, body: '' }],
  'with a status that nobody knows': [PLAIN.replace('200', '799'), { status: 799, body: BODY }],
  'compressed with gzip unasked': [coded('gzip', gzipSync(BODY)), /gzip/],
  'compressed with GZIP unasked': [coded('GZIP', gzipSync(BODY)), /gzip/i],
  'compressed with x-gzip unasked': [coded('x-gzip', gzipSync(BODY)), /x-gzip/],
  'compressed with deflate unasked': [coded('deflate', deflateSync(BODY)), /deflate/],
  'compressed with br unasked': [coded('br', brotliCompressSync(BODY)), /br/],
};

const FORBIDDEN = /header with a character that HTTP forbids/;
const LINE_END = /line that does not end with CR LF/;
const TWICE = /Content-Length twice, or beside a Transfer-Encoding/;
const NO_NUMBER = /Content-Length that is not one number/;
const CODING = /Transfer-Encoding that is not plain chunked/;
const NO_HTTP = /does not speak HTTP/;
const CHUNK = /broken chunk/;
const CUT = /was lost before the answer was whole|the answer ended after 15 bytes/;
const withLength = (value: string) => `${head(`content-length: ${value}\r\n`)}\r\n${BODY}`;

/** Answers of which nobody can be sure what they say, or where they end: each is refused by all, with the reason. */
const WRONG_ANSWERS: Readonly<Record<string, readonly [bytes: string | Buffer, said: RegExp]>> = {
  'with a folded header': [head('x-a: a\r\n b\r\n') + length(BODY), FORBIDDEN],
  'with a header folded by a tab': [head('x-a: a\r\n\tb\r\n') + length(BODY), FORBIDDEN],
  'with a folded length': [withLength(`\r\n ${BODY.length}`), FORBIDDEN],
  'with a blank in front of a colon': [head('x-a : b\r\n') + length(BODY), FORBIDDEN],
  'with a line without a colon': [head('nonsense\r\n') + length(BODY), FORBIDDEN],
  'with a header without a name': [head(': b\r\n') + length(BODY), FORBIDDEN],
  'with a letter beyond ASCII in a name': [
    Buffer.from(head('x-\u00fc: b\r\n') + length(BODY), 'latin1'),
    FORBIDDEN,
  ],
  'with a control in a header': [head('x-a: a\u0001b\r\n') + length(BODY), FORBIDDEN],
  'with NUL in a header': [head('x-a: a\0b\r\n') + length(BODY), FORBIDDEN],
  'whose lines end with LF alone': [PLAIN.replaceAll('\r\n', '\n'), LINE_END],
  'with one line that ends with LF alone': [head('x-a: b\nx-c: d\r\n') + length(BODY), LINE_END],
  'with CR alone in a header': [head('x-a: b\rc\r\n') + length(BODY), LINE_END],
  'with its length twice': [head('content-length: 15\r\n') + length(BODY), TWICE],
  'with two lengths': [head('content-length: 5\r\n') + length(BODY), TWICE],
  'with a length beside chunks': [chunked('chunked\r\ncontent-length: 15'), TWICE],
  'with chunks beside a length': [
    chunked('chunked').replace('transfer', 'content-length: 15\r\ntransfer'),
    TWICE,
  ],
  'with two lengths in one line': [withLength('15, 15'), NO_NUMBER],
  'with a length with a sign': [withLength('+15'), NO_NUMBER],
  'with a length below nothing': [withLength('-1'), NO_NUMBER],
  'with a length in hexadecimal digits': [withLength('0xf'), NO_NUMBER],
  'with a length of letters': [withLength('f'), NO_NUMBER],
  'with a length with a blank': [withLength('1 5'), NO_NUMBER],
  'with a length with a point': [withLength('15.0'), NO_NUMBER],
  'with a length beyond all numbers': [withLength('9'.repeat(20)), NO_NUMBER],
  'with an empty length': [withLength(''), NO_NUMBER],
  'that is said to be gzip on the way': [
    `${head('transfer-encoding: gzip\r\n')}\r\n${BODY}`,
    CODING,
  ],
  'that is said to be as it is on the way': [
    `${head('transfer-encoding: identity\r\n')}\r\n${BODY}`,
    CODING,
  ],
  'in chunks of gzip': [chunked('gzip, chunked'), CODING],
  'in chunks twice': [chunked('chunked, chunked'), CODING],
  'in chunks that are said twice': [chunked('chunked\r\ntransfer-encoding: chunked'), CODING],
  'in chunks that are not the last coding': [chunked('chunked, gzip'), CODING],
  'in chunks of another name': [chunked('xchunked'), CODING],
  'of another version': [PLAIN.replace('1.1', '1.2'), NO_HTTP],
  'of another protocol': [PLAIN.replace('HTTP/1.1', 'ICY'), NO_HTTP],
  'in small letters': [PLAIN.replace('HTTP', 'http'), NO_HTTP],
  'with two blanks in its first line': [PLAIN.replace(' 200', '  200'), NO_HTTP],
  'with a status of four digits': [PLAIN.replace('200', '2000'), NO_HTTP],
  'with a status of two digits': [PLAIN.replace('200', '20'), NO_HTTP],
  'with a status below 100': [PLAIN.replace('200', '099'), NO_HTTP],
  'with another protocol from now on': [
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    /another protocol \(status 101\)/,
  ],
  'with a head of 70 KB': [
    head(`x-a: ${'a'.repeat(70_000)}\r\n`) + length(BODY),
    /longer than 64 KiB/,
  ],
  'with nothing': ['', CUT],
  'with an empty line': ['\r\n', CUT],
  'with half a head': ['HTTP/1.1 200 OK\r\ncontent-', CUT],
};

/** Answers whose head is good: who reads the body finds out. */
const WRONG_BODIES: typeof WRONG_ANSWERS = {
  'that is shorter than its length': [withLength('99'), CUT],
  'in chunks without an end': [chunked('chunked').replace('\r\n0\r\n\r\n', '\r\n'), CUT],
  'with a chunk without a size': [chunked('chunked').replace('f\r\n', 'zz\r\n'), CHUNK],
  'with a size of a chunk that begins with 0x': [
    chunked('chunked').replace('f\r\n', '0xf\r\n'),
    CHUNK,
  ],
  'with a blank behind the size of a chunk': [chunked('chunked').replace('f\r\n', 'f \r\n'), CHUNK],
  'with a chunk whose line ends with LF alone': [chunked('chunked').replace('f\r\n', 'f\n'), CHUNK],
  'with a chunk beyond all numbers': [
    chunked('chunked').replace('f\r\n', `${'f'.repeat(17)}\r\n`),
    CHUNK,
  ],
  'with a chunk that is longer than it says': [chunked('chunked').replace('f\r\n', '3\r\n'), CHUNK],
};

const ended = new WeakSet<object>();
let certificate = { cert: '', key: '' };
beforeAll(async () => {
  const names = { needed: [['localhost'], ['127.0.0.1']], findMore: async () => [] };
  certificate = await selfSigned(names, undefined);
});

const toWebhooks = (url: string) => webhooks(url, { ca: certificate.cert });

/** A server that says these bytes to each request, and ends the connection. */
async function answering(bytes: string | Buffer, isTls: boolean): Promise<string> {
  const onSocket = (socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      if (ended.has(socket)) return;
      ended.add(socket);
      socket.end(bytes);
    });
  };
  const server = isTls ? createTlsServer(certificate, onSocket) : createServer(onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`;
}

describe.each(Object.entries(CLIENTS))('%s', (_client, ask) => {
  test.each(Object.entries(ANSWERS))(
    'takes an answer %s as all do',
    async (_name, [bytes, expected]) => {
      const url = await answering(bytes, false);
      const outcome = await ask(url).catch((error: unknown) => ({ refused: String(error) }));
      if (expected instanceof RegExp) {
        expect(outcome).toMatchObject({ refused: expect.stringMatching(expected) });
        expect(JSON.stringify(outcome)).not.toMatch(/\ufffd|\\u00/);
      } else expect(outcome).toEqual(expected);
    },
  );
});

describe.each(Object.entries(CLIENTS))('%s', (_client, ask) => {
  test.each(Object.entries({ ...WRONG_ANSWERS, ...WRONG_BODIES }))(
    'refuses an answer %s with the reason, as all do',
    async (_name, [bytes, said]) => {
      const url = await answering(bytes, false);
      const outcome = await ask(url).catch((error: unknown) => ({ refused: String(error) }));
      expect(outcome).toMatchObject({ refused: expect.stringMatching(said) });
      expect(JSON.stringify(outcome)).not.toMatch(/HPE_|UND_ERR|ECONN/);
    },
  );
});

test.each(Object.entries(WRONG_ANSWERS).filter(([, [, said]]) => said !== CODING))(
  'a webhook refuses an answer %s with the reason',
  async (_name, [bytes, said]) => {
    const sent = await toWebhooks(await answering(bytes, true));
    expect(sent).toMatchObject({ refused: expect.stringMatching(said) });
  },
);

test.each(Object.entries(WRONG_BODIES))(
  'a webhook, which reads no body, takes the status of an answer %s',
  async (_name, [bytes]) => {
    expect(await toWebhooks(await answering(bytes, true))).toMatchObject({ status: 200 });
  },
);

test.each(Object.entries(ANSWERS))(
  'a webhook, which reads no body, takes the status of an answer %s',
  async (_name, [bytes, expected]) => {
    const url = await answering(bytes, true);
    const status = expected instanceof RegExp ? 200 : (expected as { status: number }).status;
    expect(await toWebhooks(url)).toMatchObject({ status });
  },
);

const WRONG_SCHEMES: Readonly<Record<string, readonly [isTls: boolean, said: RegExp]>> = {
  'https at a port of plain HTTP': [false, /does(?: not|n.t) speak TLS/],
  'http at a port of TLS': [true, /connection .*(lost|closed)|closed .*connection|speak HTTP/],
};

describe.each(Object.entries(WRONG_SCHEMES))('%s', (_name, [isTls, said]) => {
  test.each(Object.entries(CLIENTS))('%s says what is wrong, in words', async (_client, ask) => {
    const url = await answering(PLAIN, isTls);
    const wrong = isTls ? url.replace('https', 'http') : url.replace('http', 'https');
    const outcome = await ask(wrong).catch((error: unknown) => ({ refused: String(error) }));
    expect(outcome).toMatchObject({ refused: expect.stringMatching(said) });
    expect(JSON.stringify(outcome)).not.toMatch(/openssl|deps|other side/i);
  });
});

test.each([201, 203, 206])('HTTP %i with a right body is no result for own software', (status) => {
  const text = JSON.stringify({
    valid: false,
    status: 'exhausted',
    message: 'x',
    ticketId: 'tkt_a_b',
    ticketType: 'single',
    usesAllowed: 1,
    usesConsumed: 1,
    usesRemaining: 0,
  });
  const read = (one: number) =>
    attemptFrom('validate', { status: one, text, retryAfter: undefined }, 0).kind;
  expect(read(200)).toBe('answered');
  expect(read(status)).toBe('refused');
});

/** Bytes without end, of which a client must have had enough. */
async function endless(start: string, piece: string, isTls: boolean): Promise<string> {
  const onSocket = (socket: Socket) => {
    let isGone = false;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        isGone = true;
      });
    const block = piece.repeat(Math.ceil(65_536 / piece.length));
    const go = () => {
      while (!isGone && socket.write(block));
      if (!isGone) socket.once('drain', go);
    };
    socket.once('data', () => {
      socket.write(start);
      go();
    });
  };
  const server = isTls ? createTlsServer(certificate, onSocket) : createServer(onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `${isTls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(Object.entries(CLIENTS))('%s reads no answer without end', async (name, ask) => {
  const url = await endless(`${head()}\r\n`, 'x'.repeat(64), false);
  const outcome = await ask(url).catch((error: unknown) => ({ refused: String(error) }));
  // Doctor and check show the beginning of what they got.
  if (name === 'doctor' || name === 'check') expect(outcome).toMatchObject({ status: 200 });
  else expect(outcome).toMatchObject({ refused: expect.stringMatching(/\w/) });
});

test('a webhook that gets interim answers without end is over at once', async () => {
  const url = await endless('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', true);
  expect(await toWebhooks(url)).toMatchObject({ refused: expect.stringContaining('without end') });
});

test('what breaks later does not hide that an answer was compressed', async () => {
  let answers = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      answers += 1;
      if (answers === 1) socket.end(coded('gzip', gzipSync(BODY)));
      else socket.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using client = new ScanClient({ baseUrl, apiKey: 'abcdefgh' });
  await expect(client.validate('x')).rejects.toThrow('compressed (gzip)');
  expect(answers).toBe(1);
});

test('the text of an answer is bounded before it is put together', async () => {
  let given = 0;
  async function* pieces() {
    for (;;) {
      given += 1;
      yield Buffer.alloc(1000);
    }
  }
  await expect(boundedText(pieces(), 10_000)).rejects.toThrow('longer than 10000 bytes');
  expect(given).toBe(11);
});

/** Who opens a connection of its own to another machine, and where its answers are tried. A new file needs its place here. */
const PLACES: Readonly<Record<string, string>> = {
  'src/check/requests/connection.ts': 'check, explore and monitor, above',
  'src/cli/commands/cut-line.ts': 'passes every byte on, in a demonstration',
  'src/cli/doctor/call.ts': 'doctor and health, above',
  'src/client/transport.ts': 'the scan client, above',
  'src/config/addresses.ts':
    'asks whether a server of this machine is ticketscan, and says nothing of its answer',
  'src/features/webhooks/network.ts': 'webhooks, above',
  'src/kit/agents.ts': 'the connections of undici',
  'src/kit/json-client.ts': '--url, and the controls of a test server, above',
  'src/kit/proxies.ts': 'CONNECT to a proxy, in proxies.test.ts',
  'src/record/proxy/upstream.ts': 'record, which passes every byte on, and record send, above',
  'src/simulate/network/connection.ts': 'simulate, above',
  'src/testing/start.ts': 'gives the test its own server to ask',
};

test('whoever connects to another machine is in the tables above', () => {
  const isClient =
    /\bimport\('undici'\)|from 'undici'|\b(?:http|https)\.(?:request|get)\(|\b\w*[rR]equest, *\w*\} from 'node:https?'|type RequestOptions, request|\[http, https\]|\b(?:net|tls)\.connect\(|\bconnect(?: as \w+)?\b[^;]*\} from 'node:(?:net|tls)'|\bfetch\(/;
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('dashboard/'))
    .map((name) => `src/${name}`)
    .filter((file) => isClient.test(readFileSync(file, 'utf8')));
  expect(files.sort()).toEqual(Object.keys(PLACES));
});
