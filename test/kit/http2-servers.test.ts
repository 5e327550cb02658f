import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createSecureServer, createServer } from 'node:http2';
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Connection, dial } from '../../src/check/requests/connection.ts';
import { call } from '../../src/cli/doctor/call.ts';
import { Transport } from '../../src/client/transport.ts';
import { connectionFailure } from '../../src/kit/failures.ts';
import { makeSelfSigned } from '../../src/serve/certificate.ts';

let certificate: { readonly cert: string; readonly key: string };
beforeAll(async () => {
  certificate = await makeSelfSigned(['127.0.0.1']);
});

const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const GOAWAY = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);

/** Servers that speak HTTP/2 only, each in its way. */
const SERVERS: Readonly<Record<string, () => { server: Server; isTls: boolean }>> = {
  'a server that refuses the handshake': () => ({
    server: createSecureServer({ ...certificate, ALPNCallback: onlyHttp2 } as object),
    isTls: true,
  }),
  'a server that does not know ALPN': () => ({
    server: createTlsServer(certificate, (socket) => {
      socket.on('error', () => undefined).write(SETTINGS);
    }),
    isTls: true,
  }),
  'a server without TLS': () => ({ server: createServer(), isTls: false }),
  'a server without TLS that says good-bye at once': () => ({
    server: createNetServer((socket) => void socket.on('error', () => undefined).end(GOAWAY)),
    isTls: false,
  }),
};

const onlyHttp2 = ({ protocols }: { readonly protocols: readonly string[] }) =>
  protocols.find((one) => one === 'h2');

/** The clients of this program, each with the way it asks; they throw why there is no answer. */
const CLIENTS: Readonly<Record<string, (url: URL) => Promise<unknown>>> = {
  scan: async (url) => {
    const transport = new Transport({ insecureTls: true });
    onTestFinished(() => transport.close());
    const post = { url, headers: {}, body: '{}', timeoutMs: 60_000, signal: undefined };
    return transport.post(post).catch((error: unknown) => {
      throw new Error(connectionFailure(error, url.origin).what);
    });
  },
  doctor: (url) => call(url, '{}'),
  check: async (url) => {
    const options = { baseUrl: url, timeoutMs: 60_000, insecureTls: true };
    const connection = new Connection(await dial(options), options);
    return connection.send({ method: 'POST', path: '/scan/validate', body: '{}' });
  },
};

describe.each(Object.keys(SERVERS))('%s', (name) => {
  test.each(Object.keys(CLIENTS))('%s says that it speaks HTTP/2 only', async (client) => {
    const { server, isTls } = (SERVERS[name] as () => { server: Server; isTls: boolean })();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http${isTls ? 's' : ''}://127.0.0.1:${port}`);
    await expect(CLIENTS[client]?.(url)).rejects.toThrow(
      name.includes('handshake') ? /takes no HTTP\/1\.1 in the TLS handshake/ : /HTTP\/2 only/,
    );
  });
});

test('every client of TLS offers HTTP/1.1', () => {
  const places = globSync('src/**/*.ts').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [
      ...text.matchAll(
        /\b(?:connectTls|tls\.connect|https\.request|new Agent)\(\{?|https\.request\(url, \{/g,
      ),
    ].map(({ index }) => ({
      file,
      offers: text.slice(index, index + 60).includes('...CLIENT_TLS'),
    }));
  });
  expect(places.length).toBeGreaterThanOrEqual(4);
  expect(places.filter(({ offers }) => !offers)).toEqual([]);
});
