import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { byWebhooks, CLIENTS, type ClientOptions, type Outcome } from './support/clients.ts';

type OnSocket = (socket: Socket) => void;

async function listening(onSocket: OnSocket, tls?: { cert: string; key: string }): Promise<number> {
  const open = new Set<Socket>();
  const taken = (socket: Socket) => {
    open.add(socket.on('error', () => undefined));
    onSocket(socket);
  };
  const server = tls ? createTlsServer(tls, taken) : createServer(taken);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

async function certificate(name: string, endsAt: Date) {
  const made = await generate([{ name: 'commonName', value: name }], {
    notBeforeDate: new Date(0),
    notAfterDate: endsAt,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  return { cert: made.cert, key: made.private };
}

const LATER = new Date('2100-01-01');
const answer: OnSocket = (socket) => socket.once('data', () => socket.end('HTTP/1.1 204 \r\n\r\n'));
const https = (port: number) => `https://localhost:${port}`;
const http = (port: number) => `http://127.0.0.1:${port}`;

interface Failure {
  readonly url: (needsTls: boolean) => Promise<string>;
  /** What every client says, where U stands for the address. */
  readonly said: string;
  readonly options?: ClientOptions;
  /** Clients for which this cannot happen, with the reason. */
  readonly not?: Readonly<Record<string, string>>;
}

const overHttp = (onSocket: OnSocket) => async (needsTls: boolean) => {
  const tls = needsTls ? await certificate('localhost', LATER) : undefined;
  if (tls) trusted = tls.cert;
  const port = await listening(onSocket, tls);
  return tls ? https(port) : http(port);
};
let trusted: string | undefined;

const FAILURES: Readonly<Record<string, Failure>> = {
  'nothing listens': {
    url: async (needsTls) => (needsTls ? 'https://127.0.0.1:1' : 'http://127.0.0.1:1'),
    said: 'othing listens at U (connection refused)',
  },
  'the name is not known': {
    url: async (needsTls) => `http${needsTls ? 's' : ''}://no-such-host.invalid`,
    said: 'he name "no-such-host.invalid" cannot be resolved',
  },
  'the connection is reset': {
    url: overHttp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    said: 'he connection to U was lost before the answer was whole',
    not: { webhooks: 'Node resets no connection with TLS' },
  },
  'the connection is closed': {
    url: overHttp((socket) => socket.once('data', () => socket.end())),
    said: 'he connection to U was lost before the answer was whole',
  },
  'the answer is of another protocol': {
    url: overHttp((socket) => socket.once('data', () => socket.end('220 mail ESMTP\r\n'))),
    said: 'U does not speak HTTP',
  },
  'the port speaks plain HTTP': {
    url: async () => https(await listening(answer)),
    said: 'U does not speak TLS',
  },
  'the port speaks TLS': {
    url: async () => http(await listening(answer, await certificate('localhost', LATER))),
    said: 'he connection to U was lost before the answer was whole',
    not: { webhooks: 'they go to https:// alone' },
  },
  'the certificate is not trusted': {
    url: async () => https(await listening(answer, await certificate('localhost', LATER))),
    said: 'he certificate of U is not trusted',
  },
  'the certificate has expired': {
    url: async () => {
      const tls = await certificate('localhost', new Date(1000));
      trusted = tls.cert;
      return https(await listening(answer, tls));
    },
    said: 'he certificate of U has expired',
  },
  'the certificate is for another name': {
    url: async () => {
      const tls = await certificate('gate.example', LATER);
      trusted = tls.cert;
      return https(await listening(answer, tls));
    },
    said: 'he certificate of U is for another name than "localhost"',
  },
  'no answer comes': {
    url: overHttp(() => undefined),
    said: 'U gives no answer in time',
    options: { timeoutMs: 300 },
    not: {
      simulate: 'its devices have a Wait Time of their own, and go on',
      doctor: 'its limit is that of a device, and its words are those of the row above',
    },
  },
};

const ALL = { ...CLIENTS, webhooks: byWebhooks };

describe.each(Object.entries(FAILURES))('when %s', (_when, { url, said, options, not = {} }) => {
  const asking = Object.entries(ALL).filter(([name]) => not[name] === undefined);

  test.each(asking)('%s says so', async (name, ask) => {
    trusted = undefined;
    const address = await url(name === 'webhooks');
    const ca = trusted === undefined ? {} : { ca: trusted };
    const outcome: Outcome = await ask(address, { ...options, ...ca }).catch((error: unknown) => ({
      refused: String(error),
    }));
    const { origin } = new URL(address);
    const text = 'refused' in outcome ? outcome.refused : JSON.stringify(outcome);
    expect(text.replaceAll(origin, 'U')).toContain(said);
    expect(text).not.toMatch(/UND_ERR|HPE_|ERR_SSL|openssl|ssl3_|socket hang up/);
  });
});

test.each(['the scan client', '--url', 'check'])(
  '%s says which proxy cannot be reached',
  async (name) => {
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
    vi.stubEnv('no_proxy', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const outcome = await CLIENTS[name]?.('http://127.0.0.2:9').catch((error: unknown) => ({
      refused: String(error),
    }));
    expect(outcome).toMatchObject({
      refused: expect.stringContaining(
        'the proxy of http_proxy (127.0.0.1:1) cannot be reached (ECONNREFUSED)',
      ),
    });
  },
);
