import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Connection, dial } from '../../src/check/requests/connection.ts';
import { curlLine, Redactor } from '../../src/check/requests/redact.ts';
import { call } from '../../src/cli/doctor/call.ts';
import { Transport } from '../../src/client/transport.ts';
import { JsonClient } from '../../src/kit/json-client.ts';
import { isProxySetting, proxyFor, unusedProxy } from '../../src/kit/proxies.ts';
import { selfSigned } from '../../src/serve/certificate.ts';
import { InProcess } from '../support/in-process.ts';

const UPPER = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const NAMES = [...UPPER, ...UPPER.map((name) => name.toLowerCase())];
const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));

function setProxies(variables: Readonly<Record<string, string>>): void {
  for (const name of NAMES) delete process.env[name];
  Object.assign(process.env, variables);
}

afterEach(() => {
  for (const name of NAMES) delete process.env[name];
  for (const [name, value] of Object.entries(before)) {
    if (value !== undefined) process.env[name] = value;
  }
});

/** A name that only the proxy knows. */
const HOST = 'gate.invalid';
let certificate = { cert: '', key: '' };
beforeAll(async () => {
  certificate = await selfSigned(
    { needed: [[HOST], ['127.0.0.1']], findMore: async () => [] },
    undefined,
  );
});

async function listening(server: http.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const answer: http.RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json').end('{}');
};

/** A service under `HOST`, and a proxy that leads there whatever is asked for. */
async function site(scheme: 'http' | 'https') {
  const service =
    scheme === 'http' ? http.createServer(answer) : https.createServer(certificate, answer);
  const port = await listening(service as http.Server);
  const asked: string[] = [];
  const proxy = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  proxy.on('connect', (request: http.IncomingMessage, client) => {
    asked.push(`CONNECT ${request.url}`);
    const there = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(client).pipe(there);
    });
    client.on('error', () => there.destroy()).on('close', () => there.destroy());
    there.on('error', () => client.destroy());
  });
  const proxyPort = await listening(proxy);
  return { port, proxy: `http://127.0.0.1:${proxyPort}`, asked };
}

const CLIENTS: Readonly<Record<string, (url: URL) => Promise<number>>> = {
  'the scan client': async (url) => {
    const transport = new Transport({ ca: certificate.cert });
    onTestFinished(() => transport.close());
    const post = { url, headers: {}, body: '{}', timeoutMs: 20_000, signal: undefined };
    return (await transport.post(post)).status;
  },
  '--url': async (url) => {
    const unreachable = (why: string, cause: unknown) => new Error(why, { cause });
    const client = new JsonClient({
      base: url.origin,
      headers: {},
      ca: certificate.cert,
      unreachable,
    });
    return (await client.send({ method: 'GET', path: '/' })).status;
  },
  doctor: async (url) => (await call(url, '', { ca: certificate.cert, usesProxies: true })).status,
  check: async (baseUrl) => {
    const options = { baseUrl, timeoutMs: 20_000, ca: certificate.cert };
    const connection = new Connection(await dial(options), options);
    onTestFinished(() => connection.close());
    return (await connection.send({ path: '/', body: '{}' })).status;
  },
};

describe.each(Object.entries(CLIENTS))('%s', (_name, ask) => {
  test.each(['http', 'https'] as const)('goes through the proxy for %s', async (scheme) => {
    const { port, proxy, asked } = await site(scheme);
    setProxies({ [scheme === 'http' ? 'HTTP_PROXY' : 'HTTPS_PROXY']: proxy });
    expect(await ask(new URL(`${scheme}://${HOST}:${port}`))).toBe(200);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`${HOST}:${port}`);
  });

  test.each(['*', '127.0.0.1', 'example.org, 127.0.0.1'])(
    'leaves the proxy out for NO_PROXY=%s',
    async (list) => {
      const { port, proxy, asked } = await site('http');
      setProxies({ HTTP_PROXY: proxy, NO_PROXY: list });
      expect(await ask(new URL(`http://127.0.0.1:${port}`))).toBe(200);
      expect(asked).toEqual([]);
    },
  );
});

describe.each(Object.entries(CLIENTS))('%s', (_name, ask) => {
  test.each(['http', 'https'] as const)('takes a proxy without a scheme for %s', async (scheme) => {
    const { port, proxy, asked } = await site(scheme);
    const variable = scheme === 'http' ? 'http_proxy' : 'https_proxy';
    setProxies({ [variable]: ` ${proxy.replace('http://', 'me:secret@')}\n` });
    expect(await ask(new URL(`${scheme}://${HOST}:${port}`))).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test.each(['http', 'https'] as const)('names a dead proxy for %s', async (scheme) => {
    const variable = scheme === 'http' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
    setProxies({ [variable]: 'http://me:secret@127.0.0.1:1' });
    const said = await ask(new URL(`${scheme}://${HOST}`)).then(String, String);
    expect(said).toMatch(new RegExp(`proxy of ${variable} .*127.0.0.1:1.* cannot be reached`, 'i'));
    expect(said).not.toContain('secret');
  });

  test.each([
    'socks5://me:secret@p:1',
    'http://',
    'ftp://p',
    'htps://me:secret@p',
    'p:1:secret',
    'http://%zz:secret@p',
  ])('refuses %s with the name of its variable', async (text) => {
    setProxies({ HTTP_PROXY: text });
    const error = await ask(new URL(`http://${HOST}`)).catch((caught: unknown) => caught);
    expect(isProxySetting(error)).toBe(true);
    const said = String(error);
    expect(said).toContain('HTTP_PROXY');
    expect(said).not.toContain('secret');
    if (text.startsWith('socks')) expect(said).toContain('SOCKS proxy (socks5://)');
  });
});

const OUT = 'http://127.0.0.1:9';
/** Every command that goes through proxies: a variable that names none is a usage error. */
const COMMANDS = [
  `scan CODE --url ${OUT} --key abcdefgh`,
  `check ${OUT} --target target.json`,
  `check explore ${OUT} --target target.json`,
  `check monitor ${OUT} --target target.json`,
  `tickets list --url ${OUT} --token abcdefgh`,
  `doctor --base-url ${OUT}`,
];

test.each(COMMANDS)('%s ends with exit code 2 for a variable that names no proxy', async (line) => {
  await using folder = new InProcess();
  await folder.run('seed --count 1 --out target.json');
  setProxies({ HTTP_PROXY: 'socks5://me:secret@127.0.0.1:1' });
  const { code, err } = await folder.run(line);
  expect(`${code} ${err}`).toMatch(/^2 .*HTTP_PROXY names a SOCKS proxy/s);
  expect(err).not.toContain('secret');
});

test('a proxy that refuses is named', async () => {
  const proxy = http.createServer().on('connect', (_request, client) => {
    client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  setProxies({ HTTP_PROXY: `http://127.0.0.1:${await listening(proxy)}` });
  const options = { baseUrl: new URL(`http://${HOST}`), timeoutMs: 20_000 };
  await expect(dial(options)).rejects.toThrow(
    /HTTP_PROXY .* answers 403 to CONNECT gate\.invalid:80/,
  );
});

test('the curl line of a finding goes the way of the run', () => {
  const redactor = new Redactor();
  const line = (url: string) => curlLine(new URL(url), { path: '/scan/validate' }, redactor);
  setProxies({});
  expect(line(`http://${HOST}`)).not.toContain('proxy');
  setProxies({ HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY: 'near.example' });
  expect(line(`http://${HOST}`)).toContain(
    "--noproxy '' --proxy http://proxy.example:3128 --proxytunnel",
  );
  expect(line('http://near.example')).toContain("--noproxy '*'");
  setProxies({ HTTPS_PROXY: 'http://me:secret@proxy.example:3128' });
  expect(line(`https://${HOST}`)).toContain('--proxy "$HTTPS_PROXY"');
});

test.each([
  ['http://a.example', { HTTP_PROXY: 'http://p:1' }, 'HTTP_PROXY'],
  ['https://a.example', { HTTP_PROXY: 'http://p:1' }, 'HTTP_PROXY'],
  ['https://a.example', { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:1' }, 'https_proxy'],
  ['http://a.example', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['http://a.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.example' }, undefined],
  ['http://b.a.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.example' }, undefined],
  ['http://b.a.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: '.a.example' }, undefined],
  ['http://a.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: '*.a.example' }, 'HTTP_PROXY'],
  ['http://ba.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.example' }, 'HTTP_PROXY'],
  ['http://a.example:81', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.example:80' }, 'HTTP_PROXY'],
  ['http://a.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.example:80' }, undefined],
  ['http://[::1]', { HTTP_PROXY: 'http://p:1', NO_PROXY: '::1' }, undefined],
  ['http://[::1]', { HTTP_PROXY: 'http://p:1', NO_PROXY: '[::1]' }, undefined],
  ['http://[::1]:81', { HTTP_PROXY: 'http://p:1', NO_PROXY: '[::1]:80' }, 'HTTP_PROXY'],
  ['http://a.example', { ALL_PROXY: 'http://p:1' }, 'ALL_PROXY'],
  ['https://a.example', { ALL_PROXY: 'http://p:1', all_proxy: 'http://q:1' }, 'all_proxy'],
  ['https://a.example', { ALL_PROXY: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'HTTPS_PROXY'],
  ['http://a.example', { ALL_PROXY: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'ALL_PROXY'],
  ['http://a.example', { ALL_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
  ['http://10.1.2.3', { HTTP_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8' }, undefined],
  ['http://11.1.2.3', { HTTP_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8' }, 'HTTP_PROXY'],
  ['http://[fd00::1]', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'x.example,fd00::/8' }, undefined],
  ['http://[fd00::1]', { HTTP_PROXY: 'http://p:1', NO_PROXY: '[fd00::]/8' }, undefined],
  ['http://gate.example', { HTTP_PROXY: 'http://p:1', NO_PROXY: '0.0.0.0/0' }, 'HTTP_PROXY'],
  ['http://10.1.2.3', { HTTP_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/99' }, 'HTTP_PROXY'],
])('for %s and %o the proxy is that of %s', (url, environment, expected) => {
  expect(proxyFor(new URL(url), environment)?.variable).toBe(expected);
  expect(unusedProxy(new URL(url), environment)).toBe(
    expected === undefined ? '' : ` (${expected} is set, and this does not use it)`,
  );
});

test('a proxy of another kind is refused with the name of its variable', () => {
  const environment = { HTTP_PROXY: 'socks5://p:1' };
  expect(() => proxyFor(new URL('http://a.example'), environment)).toThrow(
    'HTTP_PROXY names a SOCKS proxy',
  );
});
