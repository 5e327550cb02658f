import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { Upstream } from '../../src/record/proxy/upstream.ts';
import { loadBytes, type StoredMessage } from '../../src/record/recording.ts';
import { eventually, tcpServer } from '../simulate/support/servers.ts';
import { fc } from '../support/fast-check.ts';
import { connectTo, exchangeBytes, startRecorder } from './support/recorder.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncode=0000';
const post = (body: string, more = '') =>
  `POST /scan/hw/consume HTTP/1.1\r\nHost: a.example\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const bytesOf = ({ head, body }: StoredMessage) =>
  Buffer.concat([Buffer.from(head, 'latin1'), loadBytes(body)]);

/** A server of bare sockets that keeps every byte and answers each time `pattern` has come in whole. */
async function answering(pattern: RegExp, answer: string | Buffer) {
  let received = '';
  const server = await tcpServer((socket) => {
    let seen = 0;
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const found = received.match(pattern)?.length ?? 0;
      for (; seen < found; seen += 1) socket.write(answer);
    });
  });
  return { ...server, received: () => received, [Symbol.asyncDispose]: () => server.close() };
}

test('every byte of requests and answers goes through and into the recording, but for the host', async () => {
  const body = fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(
      body,
      body,
      fc.array(fc.nat(700), { maxLength: 6 }),
      async (asked, said, cuts) => {
        const head = `POST /x HTTP/1.1\r\nhost:  a.example \r\nX-é: 1\r\nContent-Length: ${asked.length + 5}\r\n\r\n`;
        const request = Buffer.concat([Buffer.from(head, 'latin1'), asked, Buffer.from('~end~')]);
        const answer = Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${said.length}\r\n\r\n`),
          said,
        ]);
        await using server = await answering(/~end~/g, answer);
        await using recorder = await startRecorder(server.url);
        const places = cuts.map((place) => place % request.length).sort((a, b) => a - b);
        const pieces = [...places, request.length].map((end, i) =>
          request.subarray(places[i - 1] ?? 0, end),
        );
        const got = await exchangeBytes(
          recorder.url,
          pieces,
          (text) => text.length >= answer.length,
        );
        const sent = request.toString('latin1').replace('a.example ', new URL(server.url).host);
        expect(server.received()).toBe(sent);
        expect(Buffer.from(got, 'latin1').equals(answer)).toBe(true);
        await recorder.close();
        const [exchange] = recorder.exchanges;
        expect(bytesOf(exchange!.request).equals(request)).toBe(true);
        expect(bytesOf(exchange!.response!).equals(answer)).toBe(true);
      },
    ),
    { numRuns: 25 },
  );
});

test('bodies of many packets go through in both directions, and are kept up to a mebibyte', async () => {
  const big = Buffer.alloc(3 * 1024 * 1024, 'abcdefg');
  const answer = Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${big.length}\r\n\r\n`),
    big,
  ]);
  await using server = await answering(/~end~/g, answer);
  await using recorder = await startRecorder(server.url);
  const got = await exchangeBytes(
    recorder.url,
    [post(`${big}~end~`)],
    (text) => text.length >= answer.length,
  );
  expect(got === answer.toString('latin1')).toBe(true);
  expect(server.received().endsWith(`\r\n\r\n${big}~end~`)).toBe(true);
  const { request, response } = recorder.exchanges[0]!;
  expect([request.whole, response?.whole]).toEqual([false, false]);
  expect(loadBytes(request.body).equals(big.subarray(0, 1024 * 1024))).toBe(true);
});

test('a base path comes before every path', async () => {
  await using server = await answering(/\r\n\r\n/g, OK);
  await using recorder = await startRecorder(`${server.url}/gate/`);
  await exchangeBytes(recorder.url, [post('')], (text) => text.endsWith('0000'));
  expect(server.received()).toContain('POST /gate/scan/hw/consume HTTP/1.1\r\n');
});

test('requests sent without waiting are recorded with their own answers', async () => {
  let count = 0;
  await using server = await answeringEach(() => {
    count += 1;
    return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n${count}\r\n0\r\n\r\n`;
  });
  await using recorder = await startRecorder(server.url);
  const all = post('a') + post('b') + post('c');
  await exchangeBytes(recorder.url, [all], (text) => (text.match(/0\r\n\r\n/g)?.length ?? 0) === 3);
  const seen = recorder.exchanges.map(({ request, response }) => [
    loadBytes(request.body).toString(),
    loadBytes(response!.body).toString(),
  ]);
  expect(seen).toEqual(['a', 'b', 'c'].map((text, i) => [text, `1\r\n${i + 1}\r\n0\r\n\r\n`]));
});

async function answeringEach(answer: () => string) {
  const server = await tcpServer((socket) => {
    socket.on('data', (bytes) => {
      for (const _request of bytes.toString('latin1').match(/POST /g) ?? []) socket.write(answer());
    });
  });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

describe('what does not end well is recorded as far as it went', () => {
  test('half a head, half a body, no answer', async () => {
    await using server = await tcp();
    await using recorder = await startRecorder(server.url);
    const halves = ['POST /scan/hw/co', post('0123456789').slice(0, -4), post('0123456789')];
    for (const half of halves) {
      const socket = connectTo(recorder.url);
      await once(socket, 'connect');
      socket.write(half);
      await eventually(() => server.bytes()).toBeGreaterThanOrEqual(half === halves[0] ? 0 : 1);
      await new Promise((resolve) => setTimeout(resolve, 30));
      socket.destroy();
    }
    await eventually(() => recorder.exchanges.length).toBe(3);
    expect(recorder.exchanges.map(({ request, response }) => [request.whole, response])).toEqual([
      [false, null],
      [false, null],
      [true, null],
    ]);
    expect(recorder.exchanges[0]?.request.body).toEqual({ text: 'POST /scan/hw/co' });
    for (const { failure } of recorder.exchanges) expect(failure).toMatch(/client/);
  });

  test('the recording is stopped while an answer is awaited', async () => {
    await using server = await tcp();
    const recorder = await startRecorder(server.url);
    const socket = connectTo(recorder.url);
    socket.write(post('x'));
    await eventually(() => server.bytes()).toBeGreaterThan(0);
    await recorder.close();
    expect(recorder.exchanges).toMatchObject([
      { failure: 'the recording was stopped', response: null },
    ]);
  });

  test('the service breaks off within the answer', async () => {
    await using server = await answeringOnce('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf');
    await using recorder = await startRecorder(server.url);
    const got = await exchangeBytes(recorder.url, [post('x')], () => false);
    expect(got).toMatch(/half$/);
    await eventually(() => recorder.exchanges.length).toBe(1);
    expect(recorder.exchanges[0]?.response).toMatchObject({ whole: false, body: { text: 'half' } });
  });

  test('the service is gone: 502, and a message that says so', async () => {
    const server = await tcp();
    await using recorder = await startRecorder(server.url);
    await server.close();
    expect(await exchangeBytes(recorder.url, [post('x')], () => false)).toMatch(/^HTTP\/1.1 502 /);
    expect(recorder.exchanges[0]?.failure).toMatch(/Nothing listens/);
    expect(recorder.warnings[0]).toMatch(/is the server running/);
  });

  test('what is no HTTP is passed on all the same', async () => {
    await using server = await answering(/HELLO\n/g, 'WELCOME');
    await using recorder = await startRecorder(server.url);
    const got = await exchangeBytes(recorder.url, ['\x01HELLO\n'], (text) => text === 'WELCOME');
    expect(got).toBe('WELCOME');
    await recorder.close();
    expect(recorder.exchanges[0]?.request).toMatchObject({
      head: '',
      body: { text: '\x01HELLO\n' },
      whole: false,
    });
  });

  test('TLS on the plain port: the person is told', async () => {
    await using server = await tcp();
    await using recorder = await startRecorder(server.url);
    const socket = connectTo(recorder.url);
    socket.write(Buffer.from('16030100050100000100', 'hex'));
    await eventually(() => recorder.warnings.join()).toMatch(/uses TLS on a plain HTTP port/);
    socket.destroy();
  });
});

async function tcp() {
  let bytes = 0;
  const server = await tcpServer((socket) => {
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
  });
  return { ...server, bytes: () => bytes, [Symbol.asyncDispose]: () => server.close() };
}

async function answeringOnce(answer: string) {
  const server = await tcpServer((socket) => {
    socket.once('data', () => socket.end(answer));
  });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

describe('TLS', () => {
  const made = generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });

  async function tlsServer() {
    const { cert, private: key } = await made;
    const server = createTlsServer({ cert, key }, (socket) => {
      // Head and body come in one record of TLS or in two.
      socket.on('data', (bytes: Buffer) => bytes.includes('=x') && socket.write(OK));
      socket.on('error', () => undefined);
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    return {
      url: `https://localhost:${port}`,
      cert,
      [Symbol.asyncDispose]: async () => void server.close(),
    };
  }

  test('the service is reached over TLS with its certificate trusted, and not without', async () => {
    await using server = await tlsServer();
    await expect(new Upstream(server.url).probe()).rejects.toThrow(/not trusted .*--ca FILE/);
    await new Upstream(server.url, { ca: server.cert }).probe();
    await using recorder = await startRecorder(server.url, { trust: { ca: server.cert } });
    const got = await exchangeBytes(recorder.url, [post('vgdecoderesult=x')], (text) =>
      text.endsWith('0000'),
    );
    expect(got).toBe(OK);
    expect(recorder.exchanges[0]).toMatchObject({ model: 'vguang', response: { whole: true } });
  });

  test('plain text where TLS is, and an address that is none, are explained', async () => {
    await using server = await tcp();
    await expect(new Upstream('http://127.0.0.1:1').probe()).rejects.toThrow(/Nothing listens/);
    expect(() => new Upstream('localhost:80')).toThrow(/not a server address/);
    expect(() => new Upstream(`${server.url}/scan/hw/consume?key=tscn_hw_x`)).toThrow(
      `give ${server.url}.`,
    );
    expect(() => new Upstream(`${server.url}/gate?key=tscn_hw_x`)).toThrow(/without a key/);
    expect(() => new Upstream('ftp://x?key=geheim')).not.toThrow(/geheim/);
  });
});

test('ends although a client never finishes its TLS handshake', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'x' }], {
    keyType: 'ec',
  });
  await using server = await answering(/\r\n\r\n/g, OK);
  const recorder = await startRecorder(server.url, { tls: { cert, key } });
  const socket = connectTo(recorder.url);
  await once(socket, 'connect');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = once(socket, 'close');
  await recorder.close();
  await closed;
});
