import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

let folder: CliFolder;
beforeAll(async () => {
  folder = new CliFolder();
  await folder.run(['organisations', 'create', '--name', 'Pool']);
  await folder.run(['events', 'create', '--name', 'Summer']);
});
afterAll(() => folder[Symbol.asyncDispose]());

const CREATE = ['keys', 'create', '--type', 'hardware', '--json', '--name', 'gate'];

test.each<[string, string[], Record<string, string>, RegExp, boolean]>([
  ['nothing is set', [], {}, /^http:\/\/127\.0\.0\.1:8080\/scan/, true],
  [
    'the option',
    ['--base-url', 'https://a.example/svc/'],
    {},
    /^https:\/\/a\.example\/svc\/scan/,
    false,
  ],
  ['the environment', [], { BASE_URL: 'https://b.example' }, /^https:\/\/b\.example\/scan/, false],
  ["the server's port", [], { PORT: '9000' }, /^http:\/\/127\.0\.0\.1:9000\/scan/, true],
  [
    "the server's host",
    [],
    { HOST: 'gate.local', TLS_SELF_SIGNED: 'true' },
    /^https:\/\/gate\.local:8080\/scan/,
    false,
  ],
  [
    'this machine, said aloud',
    ['--base-url', 'http://[::1]:8080'],
    {},
    /^http:\/\/\[::1\]:8080/,
    true,
  ],
])(
  'the URLs of a new hardware key come from %s; it is told when only this machine reaches them',
  async (_name, args, settings, url, isTold) => {
    const named = Object.entries(settings).map(([name, value]) => [`TICKETSCAN_${name}`, value]);
    const { out, err } = await folder.run([...CREATE, ...args], Object.fromEntries(named));
    const { id, cardUrl, heartUrl } = JSON.parse(out);
    await folder.run(['keys', 'delete', id]);
    for (const one of [cardUrl, heartUrl]) expect(one).toMatch(url);
    expect(err.includes('Only this machine') && err.includes('--base-url')).toBe(isTold);
  },
);

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal }) => !internal);

test.each([
  ['0.0.0.0', own.filter(({ family }) => family === 'IPv4')],
  ['::', own.filter(({ scopeid = 0 }) => scopeid === 0)],
])('a server on %s announces addresses that can be opened', async (host, reachable) => {
  await using folder = new CliFolder();
  const { url, firstLine } = await folder.serve([
    '--store',
    'memory:',
    '--host',
    host,
    '--tls-elsewhere',
  ]);
  const { port } = new URL(url);
  expect(firstLine['dashboard']).toBe(`${url}/`);
  const urls = firstLine['urls'] as string[];
  expect(urls[0]).toBe(url);
  for (const { address, family } of reachable) {
    expect(urls).toContain(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
  }
  for (const one of urls) expect((await fetch(`${one}/healthz`)).status).toBe(200);
});

test('browsers are told to use HTTPS alone where a certificate was issued for another name than this machine', async () => {
  await using folder = new CliFolder();
  const signer = await generate([{ name: 'commonName', value: 'Test CA' }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const issued = await generate([{ name: 'commonName', value: 'gate.example' }], {
    keyType: 'ec',
    ca: { key: signer.private, cert: signer.cert },
  });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return name;
  };
  const files = (name: string, one: { cert: string; private: string }) => [
    '--tls-cert',
    write(`${name}.pem`, one.cert),
    '--tls-key',
    write(`${name}.key`, one.private),
  ];
  const headersOf = async (...args: string[]) => {
    const server = await folder.serve(['--store', 'memory:', ...args]);
    const port = Number(new URL(server.url).port);
    const headers = ['/', '/admin/v1/server', '/nope'].map(async (path) => {
      const asked = get({ port, path, host: '127.0.0.1', rejectUnauthorized: false });
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.resume();
      return response.headers['strict-transport-security'];
    });
    return [...new Set(await Promise.all(headers))];
  };
  const everywhere = ['--host', '0.0.0.0'];
  expect(await headersOf(...everywhere, ...files('issued', issued))).toEqual(['max-age=31536000']);
  expect(await headersOf(...everywhere, ...files('own', signer))).toEqual([undefined]);
  expect(await headersOf(...files('issued', issued))).toEqual([undefined]);
});
