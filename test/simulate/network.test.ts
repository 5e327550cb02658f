import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ResponseReader } from '../../src/simulate/network/connection.ts';
import { Endpoint, type TlsTrust } from '../../src/simulate/network/endpoint.ts';
import { SocketWire } from '../../src/simulate/network/socket-wire.ts';
import { RealTime } from '../../src/simulate/time.ts';
import {
  faulty,
  type Transport,
  type WireAnswer,
  type WireFailure,
  type WireFault,
} from '../../src/simulate/wire.ts';
import { eventually, grantingHandler, plainServer, tcpServer } from './support/servers.ts';

interface Seen {
  readonly answered?: WireAnswer;
  readonly failed?: WireFailure;
  readonly unseen: readonly WireAnswer[];
}

const request = { operation: 'consume', contentType: 'text/plain', body: 'body' } as const;

function transportTo(baseUrl: string, tls?: TlsTrust): Transport {
  const time = new RealTime();
  return faulty(new SocketWire(new Endpoint({ baseUrl, key: 'k', tls }), time), time);
}

/** Sends one request and waits for the first thing that the device learns, or for an answer that it does not see. */
async function outcomeOf(
  transport: Transport,
  fault?: WireFault,
  body: string = request.body,
): Promise<Seen> {
  const unseen: WireAnswer[] = [];
  const seen = await new Promise<Partial<Seen>>((resolve) => {
    const receiver = {
      answered: (answered: WireAnswer) => resolve({ answered }),
      failed: (failed: WireFailure) => resolve({ failed }),
      unseen: (answer: WireAnswer) => {
        unseen.push(answer);
        if (fault?.kind === 'lost-answer') resolve({});
      },
    };
    transport.send({ ...request, body }, receiver, fault);
  });
  return { ...seen, unseen };
}

describe('a response', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  /** Reads the text in pieces of so many bytes, until there is an outcome. */
  function read(text: string, { ended = false, pieceBytes = Infinity } = {}) {
    const bytes = Buffer.from(text);
    const reader = new ResponseReader();
    const size = Math.min(pieceBytes, bytes.length);
    for (let at = 0; at < bytes.length; at += size) {
      const outcome = reader.push(bytes.subarray(at, at + size));
      if (outcome !== undefined) return outcome;
    }
    return ended ? reader.finish() : undefined;
  }

  test('with a length is complete when its body is, and not a byte earlier', () => {
    const text = `${head}Content-Length: 6\r\n\r\nhällo`;
    expect(read(text.slice(0, -1), { pieceBytes: 1 })).toBeUndefined();
    expect(read(text.slice(0, -1), { ended: true })).toMatchObject({
      code: 'ECONNRESET',
    });
    for (const pieceBytes of [1, 7, Infinity]) {
      expect(read(text, { pieceBytes })).toMatchObject({ answer: { status: 200, body: 'hällo' } });
    }
  });

  test('in chunks is put together, up to the line after its trailers', () => {
    const text = `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n`;
    for (const pieceBytes of [1, 7, Infinity]) {
      expect(read(text, { pieceBytes })).toMatchObject({ answer: { body: 'abcde' } });
      expect(read(text.slice(0, -1), { pieceBytes })).toBeUndefined();
    }
  });

  test('after one that only announces it is the one that counts', () => {
    const text = `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${head}Content-Length: 2\r\n\r\nok`;
    expect(read(text, { pieceBytes: 5 })).toMatchObject({ answer: { status: 200, body: 'ok' } });
  });

  test.each(['204 No Content', '304 Not Modified'])('%s has no body', (status) => {
    expect(read(`HTTP/1.1 ${status}\r\nContent-Length: 9\r\n\r\n`)).toMatchObject({
      answer: { body: '' },
    });
  });

  test('without a length ends with its connection', () => {
    expect(read(`${head}\r\nabc`)).toBeUndefined();
    expect(read(`${head}\r\nabc`, { ended: true })).toMatchObject({
      answer: { body: 'abc' },
      reusableMs: 0,
    });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH'],
    ['a status that is no number', 'HTTP/1.1 abc\r\n\r\n'],
    ['another version of HTTP', 'HTTP/2 200\r\n\r\n'],
    ['a chunk size that is no number', `${head}Transfer-Encoding: chunked\r\n\r\n-3\r\nabc`],
    ['a chunk longer than its size', `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n`],
    ['headers without an end', `${head}${'X: y\r\n'.repeat(20_000)}`],
  ])('%s is no HTTP', (_name, text) => {
    for (const pieceBytes of [997, Infinity])
      expect(read(text, { pieceBytes })).toMatchObject({ code: expect.stringMatching(/^HPE_/) });
  });

  test.each([
    ['a body', `${head}\r\n${'x'.repeat(2 ** 20)}`],
    ['announcements', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2 ** 16)],
  ])('%s without an end is given up', (_name, text) => {
    expect(read(text, { pieceBytes: 997 })).toMatchObject({ code: 'ERR_ANSWER_TOO_LONG' });
  });

  test.each([
    ['when it says so', 'HTTP/1.1 200 OK\r\nConnection: close\r\n', ''],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n', ''],
    ['with bytes behind it', head, 'x'],
    ['with a second one behind it', head, `${head}Content-Length: 0\r\n\r\n`],
  ])('closes its connection %s', (_name, start, surplus) => {
    expect(read(`${start}Content-Length: 0\r\n\r\n${surplus}`)).toMatchObject({
      answer: { status: 200, body: '' },
      reusableMs: 0,
    });
  });

  test('says how long the connection may be used again', () => {
    expect(read(`${head}Keep-Alive: timeout=72\r\nContent-Length: 0\r\n\r\n`)).toMatchObject({
      reusableMs: 71_000,
    });
  });
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

test('one connection carries one request after the other', async () => {
  let connections = 0;
  const server = await serverThat((socket) => {
    connections += 1;
    socket.on('data', () => socket.write(OK));
  });
  const transport = transportTo(server.url);
  for (let i = 0; i < 5; i += 1)
    expect(await outcomeOf(transport)).toMatchObject({ answered: { status: 200, body: 'ok' } });
  transport.close();
  expect(connections).toBe(1);
});

/** A server that does this with each connection, until the test is over. */
async function serverThat(onSocket: (socket: Socket) => void) {
  const server = await tcpServer(onSocket);
  onTestFinished(() => server.close());
  return server;
}

async function failureAt(url: string, tls?: TlsTrust): Promise<WireFailure | undefined> {
  const transport = transportTo(url, tls);
  const { failed } = await outcomeOf(transport);
  transport.close();
  return failed;
}

describe('what people are told', () => {
  test('when nothing listens', async () => {
    const server = await tcpServer(() => undefined);
    await server.close();
    expect(await failureAt(server.url)).toEqual({
      kind: 'unreachable',
      message: `nothing listens at ${server.url} (connection refused): is the server running, and is ${server.port} its port?`,
    });
  });

  const secure = (url: string) => url.replace('http:', 'https:');
  test.each<[string, 'unreachable' | 'broken', string, () => Promise<string> | string]>([
    [
      'the name is unknown',
      'unreachable',
      '"no-such-host.invalid" cannot be resolved',
      () => 'http://no-such-host.invalid:8080',
    ],
    [
      'the server does not speak TLS',
      'unreachable',
      'does not speak TLS',
      async () => secure((await serverThat((socket) => socket.end(OK))).url),
    ],
    [
      'the connection breaks off',
      'broken',
      '',
      async () => (await serverThat((socket) => socket.once('data', () => socket.destroy()))).url,
    ],
    [
      'what answers is no HTTP server',
      'broken',
      'does not speak HTTP',
      async () => (await serverThat((socket) => socket.write('220 mail.example ESMTP\r\n'))).url,
    ],
  ])('when %s: %s', async (_when, kind, text, url) => {
    const message = expect.stringContaining(text);
    expect(await failureAt(await url())).toMatchObject({ kind, message });
  });

  test('when the certificate is not trusted; and with it as an authority all is well', async () => {
    const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    const server = createTlsServer({ key: pems.private, cert: pems.cert }, (_request, response) =>
      response.end('ok'),
    );
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;

    const message = expect.stringContaining('is not trusted');
    expect(await failureAt(url)).toMatchObject({ kind: 'unreachable', message });
    for (const tls of [{ ca: pems.cert }, { insecure: true }]) {
      const transport = transportTo(url, tls);
      expect(await outcomeOf(transport)).toMatchObject({ answered: { status: 200, body: 'ok' } });
      transport.close();
    }
    server.closeAllConnections();
  });

  test('when the address is none', () => {
    const message = /"gate" is not a server address/;
    expect(() => new Endpoint({ baseUrl: 'gate', key: 'k' })).toThrow(message);
  });
});

describe('faults on real connections', () => {
  const body = JSON.stringify({ Card: 'card' });
  const answered = { answered: { status: 200 } };

  test.each<[WireFault, uses: number, outcome: object]>([
    [{ kind: 'lost-answer', durationMs: 0 }, 1, { unseen: [{ status: 200 }] }],
    [{ kind: 'late-answer', durationMs: 100 }, 1, answered],
    [{ kind: 'duplicate-post', durationMs: 0 }, 2, answered],
    [{ kind: 'slow-body', durationMs: 100 }, 1, answered],
  ])('%j: the server registers %i uses', async (fault, expected, outcome) => {
    const uses = new Map<string, number>();
    const server = await plainServer(grantingHandler(uses));
    const transport = transportTo(server.url);
    const seen = await outcomeOf(transport, fault, body);
    await eventually(() => uses.get('card') ?? 0).toBe(expected);
    transport.close();
    await server.close();
    expect(seen).toMatchObject(outcome);
    if (fault.kind === 'lost-answer') expect(seen.answered).toBeUndefined();
  });

  test('reset: the device learns nothing, and what is known of the use beside it is true', async () => {
    const uses = new Map<string, number>();
    const server = await plainServer(grantingHandler(uses));
    const transport = transportTo(server.url);
    const outcome = await outcomeOf(transport, { kind: 'reset', durationMs: 0 }, body);
    transport.close();
    await server.close();
    const message = expect.stringContaining('reset');
    expect(outcome.failed).toMatchObject({ kind: 'broken', message });
    expect(outcome.unseen.length).toBeLessThanOrEqual(uses.get('card') ?? 0);
  });

  test('half-request: the server gets the first half and no more', async () => {
    let received = '';
    let closed = false;
    const server = await serverThat((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
      });
      socket.on('close', () => {
        closed = true;
      });
    });
    const endpoint = new Endpoint({ baseUrl: server.url, key: 'k' });
    const whole = endpoint.requestText({ ...request, body });
    const ignore = { answered: () => undefined, failed: () => undefined, unseen: () => undefined };
    const fault = { kind: 'half-request', durationMs: 50 } as const;
    transportTo(server.url).send({ ...request, body }, ignore, fault);
    await eventually(() => closed).toBe(true);
    expect(received).toBe(whole.slice(0, whole.length >> 1));
  });
});

test('a request that a stalled server has not answered does not hold up the next one', async () => {
  let held: (() => void) | undefined;
  const server = await plainServer((_request, answer) => {
    if (held) answer(200, 'second');
    else held = () => answer(200, 'first');
  });
  const transport = transportTo(server.url);
  const first = outcomeOf(transport);
  await eventually(() => held).toBeDefined();
  const second = await outcomeOf(transport);
  held?.();

  expect(second.answered?.body).toBe('second');
  expect((await first).answered?.body).toBe('first');
  transport.close();
  await server.close();
});
