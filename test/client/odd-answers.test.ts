import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { whyUnreadable } from '../../src/check/facts/json.ts';
import { readBaseUrl } from '../../src/check/requests/base-url.ts';
import { Connection as CheckConnection, dial } from '../../src/check/requests/connection.ts';
import { describeAnswer } from '../../src/check/requests/exchange.ts';
import { call } from '../../src/cli/doctor/call.ts';
import { attemptFrom } from '../../src/client/attempt.ts';
import { ScanClient } from '../../src/client/scan-client.ts';
import { errorAfter } from '../../src/client/scan-error.ts';
import { Transport } from '../../src/client/transport.ts';
import { httpsSender, networkPolicy } from '../../src/features/webhooks/network.ts';
import { boundedText } from '../../src/kit/connections.ts';
import { contentOf, statusOf } from '../../src/kit/http1.ts';
import { JsonClient } from '../../src/kit/json-client.ts';
import { Upstream } from '../../src/record/proxy/upstream.ts';
import { replay } from '../../src/record/replay/replay.ts';
import { Restorer } from '../../src/record/secrets/placeholders.ts';
import { selfSigned } from '../../src/serve/certificate.ts';
import { Connection as DeviceConnection } from '../../src/simulate/network/connection.ts';
import { Endpoint } from '../../src/simulate/network/endpoint.ts';

const BODY = '{"valid":false}';
const head = (more = '', status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${more}`;
const length = (text: string) => `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const PLAIN = head() + length(BODY);
const coded = (name: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(head(`content-encoding: ${name}\r\ncontent-length: ${bytes.length}\r\n\r\n`)),
    bytes,
  ]);

/** What a client made of an answer: its status and body, or why it was refused. */
type Outcome = { readonly status: number; readonly body: string } | { readonly refused: string };
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
  'compressed with gzip unasked': [coded('gzip', gzipSync(BODY)), /gzip/],
  'compressed with GZIP unasked': [coded('GZIP', gzipSync(BODY)), /gzip/i],
  'compressed with x-gzip unasked': [coded('x-gzip', gzipSync(BODY)), /x-gzip/],
  'compressed with deflate unasked': [coded('deflate', deflateSync(BODY)), /deflate/],
  'compressed with br unasked': [coded('br', brotliCompressSync(BODY)), /br/],
};

const ended = new WeakSet<object>();
let certificate = { cert: '', key: '' };
beforeAll(async () => {
  const names = { needed: [['localhost'], ['127.0.0.1']], findMore: async () => [] };
  certificate = await selfSigned(names, undefined);
});

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

const TIMEOUT_MS = 20_000;

async function byTransport(url: string): Promise<Outcome> {
  const transport = new Transport({});
  onTestFinished(() => transport.close());
  const post = {
    url: new URL(`${url}/scan/validate`),
    headers: {},
    body: '{}',
    timeoutMs: TIMEOUT_MS,
    signal: undefined,
  };
  try {
    const { status, text } = await transport.post(post);
    return { status, body: text };
  } catch (cause) {
    throw errorAfter({ kind: 'lost', cause }, {}, url, undefined);
  }
}

async function byJsonClient(base: string): Promise<Outcome> {
  const unreachable = (why: string, cause: unknown) => new Error(why, { cause });
  const client = new JsonClient({ base, headers: {}, timeoutMs: TIMEOUT_MS, unreachable });
  const { status, text } = await client.send({ method: 'POST', path: '/x', body: '{}' });
  return { status, body: text };
}

async function byDoctor(url: string): Promise<Outcome> {
  const { status, text } = await call(new URL(url), '{}');
  return { status, body: text };
}

async function byCheck(url: string): Promise<Outcome> {
  const options = { baseUrl: new URL(url), timeoutMs: TIMEOUT_MS };
  const connection = new CheckConnection(await dial(options), options);
  onTestFinished(() => connection.close());
  const answer = await connection.send({ path: '/scan/validate', body: '{}' });
  // The judge of answers names it, as a finding.
  const why = answer.body === '' ? undefined : whyUnreadable(answer);
  // Nothing of it that a person cannot read is shown.
  if (why?.includes('encoding')) return { refused: `${why} ${describeAnswer(answer)}` };
  if (answer.body !== '' && !answer.cut) expect(JSON.stringify(answer.json)).toBe(BODY);
  return { status: answer.status, body: answer.body.replace(/^\ufeff/, '') };
}

function bySimulator(baseUrl: string): Promise<Outcome> {
  const endpoint = new Endpoint({ baseUrl, key: 'k' });
  const owner = { connectionIdle: () => undefined, connectionOver: () => undefined };
  const connection = new DeviceConnection(endpoint, owner);
  onTestFinished(() => connection.destroy());
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  connection.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', {
    answered: resolve,
    failed: ({ message }) => resolve({ refused: message }),
  });
  return promise;
}

async function byReplay(url: string): Promise<Outcome> {
  const request = {
    head: 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n',
    body: { text: '{}' },
    whole: true,
  };
  const exchange = {
    number: 1,
    connection: 1,
    atMs: 0,
    durationMs: 1,
    model: 'rest',
    request,
    response: null,
    keys: [],
  };
  let outcome: Outcome = { refused: 'nothing was told' };
  await replay(
    [exchange],
    {
      upstream: new Upstream(url),
      restorer: new Restorer(new Map()),
      pace: 'fast',
      keepHost: false,
      volatile: new Set(),
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    },
    ({ answer }) => {
      outcome = 'failure' in answer ? { refused: answer.failure } : readReplayed(answer);
    },
  );
  return outcome;
}

function readReplayed({ head, body }: { head: string; body: Buffer }): Outcome {
  // A recording keeps every byte.
  return {
    status: statusOf(head),
    body: contentOf(head, body)
      .toString()
      .replace(/^\ufeff/, ''),
  };
}

async function byWebhooks(url: string): Promise<Outcome> {
  const network = httpsSender(
    networkPolicy((address) => address === '127.0.0.1'),
    certificate.cert,
    TIMEOUT_MS,
  );
  onTestFinished(() => network.close());
  const { status, error } = await network.send(
    { url: `${url}/`, headers: {}, body: '{}' },
    new AbortController().signal,
  );
  return status === null ? { refused: error ?? '' } : { status, body: '' };
}

type Client = (url: string) => Promise<Outcome>;

/** Every client of the program. What each calls is refused or taken alike. */
const CLIENTS: Readonly<Record<string, Client>> = {
  'the scan client': byTransport,
  '--url': byJsonClient,
  doctor: byDoctor,
  check: byCheck,
  simulate: bySimulator,
  'record send': byReplay,
};

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

test.each(Object.entries(ANSWERS))(
  'a webhook, which reads no body, takes the status of an answer %s',
  async (_name, [bytes, expected]) => {
    const url = await answering(bytes, true);
    const status = expected instanceof RegExp ? 200 : (expected as { status: number }).status;
    expect(await byWebhooks(url)).toMatchObject({ status });
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

test.each(['/scan/validate', '/gate/scan/consume/', '/scan/hw/validate', '/scan/hw/heartbeat'])(
  'a base address that ends with %s is refused with what to give',
  (path) => {
    const url = `http://127.0.0.1:9${path}`;
    const given = `give http://127.0.0.1:9${path.startsWith('/gate') ? '/gate' : ''}.`;
    expect(() => new ScanClient({ baseUrl: url, apiKey: 'abcdefgh' })).toThrow(given);
    expect(() => readBaseUrl(url, false)).toThrow(given);
    expect(() => new Endpoint({ baseUrl: url, key: 'k' })).toThrow(given);
  },
);

test('a base address may end with a path of its own', () => {
  for (const path of ['', '/gate', '/scan', '/scan/gate']) {
    expect(readBaseUrl(`http://127.0.0.1:9${path}`, false).pathname).toBe(path || '/');
  }
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

test.each(Object.entries(CLIENTS).filter(([name]) => name !== 'record send'))(
  '%s reads no answer without end',
  async (name, ask) => {
    const url = await endless(`${head()}\r\n`, 'x'.repeat(64), false);
    const outcome = await ask(url).catch((error: unknown) => ({ refused: String(error) }));
    // Doctor and check show the beginning of what they got.
    if (name === 'doctor' || name === 'check') expect(outcome).toMatchObject({ status: 200 });
    else expect(outcome).toMatchObject({ refused: expect.stringMatching(/\w/) });
  },
);

test('a webhook that gets interim answers without end is over at once', async () => {
  const url = await endless('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', true);
  expect(await byWebhooks(url)).toMatchObject({ refused: expect.stringContaining('without end') });
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
