import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { plainAddressesOf } from '../../src/check/requests/https-look.ts';

const DAY_MS = 86_400_000;

async function certificate(days: number) {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    notBeforeDate: new Date(Date.now() - DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS + DAY_MS / 2),
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}

const refuse: http.RequestListener = (_, response) => {
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end('{"message":"Forbidden"}');
};

const portOf = (server: net.Server) => (server.address() as AddressInfo).port;

interface Deployment {
  readonly days?: number;
  readonly tls?: https.ServerOptions;
  /** What plain HTTP on the same port is answered. */
  readonly plain?: http.RequestListener;
}

/** One port that speaks TLS, and plain HTTP where that is answered, like proxies that take both. */
async function deployment({ days = 365, tls = {}, plain }: Deployment) {
  const made = await certificate(days);
  const secure = https.createServer({ ...made, ...tls }, refuse);
  const open = http.createServer(plain ?? refuse);
  const port = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (first) => {
      const isTls = first[0] === 0x16;
      if (!isTls && !plain) return socket.destroy();
      const inner = net.connect(portOf(isTls ? secure : open), '127.0.0.1');
      inner.on('error', () => socket.destroy());
      socket.on('close', () => inner.destroy());
      inner.write(first);
      return socket.pipe(inner).pipe(socket);
    });
  });
  for (const server of [secure, open, port]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
  }
  const baseUrl = `https://127.0.0.1:${portOf(port)}`;
  const only = ['1/plain-http-closed', '1/certificate-lasts', '1/no-old-tls'];
  const result = await check({ baseUrl, ca: made.cert, only, timeoutMs: 5000 });
  return Object.fromEntries(result.cases.map(({ id, ...one }) => [id.slice(2), one]));
}

test('a good deployment: TLS 1.3, a year of certificate, nothing on plain HTTP', async () => {
  const seen = await deployment({});
  for (const id of ['plain-http-closed', 'certificate-lasts', 'no-old-tls'])
    expect(seen[id]?.outcome, id).toBe('passed');
});

test('plain HTTP that answers as the service does is warned about', async () => {
  const seen = await deployment({ plain: refuse });
  expect(seen['plain-http-closed']).toMatchObject({ outcome: 'warned', level: 'observed' });
  expect(seen['plain-http-closed']?.observed).toMatch(/^http:\/\/127.0.0.1:\d+: HTTP 401/);
});

test.each([
  ['a redirect', 308, { location: 'https://scan.example.org/scan/validate' }, ''],
  [
    'the page of a proxy that wants HTTPS',
    400,
    { 'content-type': 'text/html' },
    '<html>400</html>',
  ],
])('%s is not an answer', async (_, status, headers, body) => {
  const plain: http.RequestListener = (__, response) => {
    response.writeHead(status, headers as http.OutgoingHttpHeaders).end(body);
  };
  expect((await deployment({ plain }))['plain-http-closed']?.outcome).toBe('passed');
});

test('no key goes over plain HTTP', async () => {
  const heard: string[] = [];
  await deployment({
    plain(request, response) {
      heard.push(JSON.stringify([request.url, request.headers]));
      refuse(request, response as never);
    },
  });
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.join()).not.toMatch(/api-key|authorization|key=/i);
});

test.each([
  [29, 'warned'],
  [31, 'passed'],
])('a certificate of %i more days is %s', async (days, outcome) => {
  const one = (await deployment({ days }))['certificate-lasts'];
  expect(one?.outcome).toBe(outcome);
  if (outcome === 'warned')
    expect(one?.observed).toMatch(/^it ends on \d{4}-\d\d-\d\d, in 29 days$/);
});

test('a server that still speaks TLS 1.1 is warned about, and one of TLS 1.2 only is not', async () => {
  const old = await deployment({ tls: { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } });
  expect(old['no-old-tls']).toMatchObject({
    outcome: 'warned',
    observed: 'TLSv1.1 when nothing else is offered',
  });
  const tls12 = await deployment({ tls: { maxVersion: 'TLSv1.2' } });
  expect(tls12['no-old-tls']?.outcome).toBe('passed');
});

test('over plain HTTP on this machine there is nothing to look at, and nothing is missing', async () => {
  const server = http.createServer(refuse);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${portOf(server)}`;
  const result = await check({ baseUrl, only: ['1/no-old-tls', '1/plain-http-closed'] });
  expect(result.verdict).toBe('conforms');
  expect(result.cases.map(({ observed }) => observed)).toEqual([
    'not applicable: the base address is plain HTTP',
    'not applicable: the base address is plain HTTP',
  ]);
});

test.each([
  ['https://a.example/tickets', ['http://a.example/tickets']],
  ['https://a.example:8443', ['http://a.example:8080/', 'http://a.example:8443/']],
  ['https://[::1]:9000', ['http://[::1]:9000/']],
])('beside %s plain HTTP is looked for at the usual port', (base, addresses) => {
  expect(plainAddressesOf(new URL(base)).map(({ href }) => href)).toEqual(addresses);
});
