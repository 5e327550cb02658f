import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServe } from '../support/cli.ts';
import { NETWORK_ADDRESS, shownFingerprint } from '../support/network.ts';
import { RemoteFolder } from '../support/remote.ts';

/** Reaches the server, but is not in its certificate. */
const OTHER_ADDRESS = '127.0.0.2';
/** Presents the card without the time that a person takes. */
const CARD_AT_ONCE = [
  '--card',
  'env:CODE',
  '--rate',
  'max',
  '--operation',
  'validate',
  '--no-live',
];
const CERT = 'ticketscan.self-signed.cert.pem';

let folder: RemoteFolder;
let server: RunningServe;
let port: string;
beforeAll(async () => {
  folder = await RemoteFolder.start();
  server = await folder.cli.serve(['--host', '0.0.0.0', '--tls-self-signed']);
  port = new URL(server.url).port;
});
afterAll(() => folder[Symbol.asyncDispose]());

const at = (address: string) => `https://${address}:${port}`;

const hasOpenssl = () => spawnSync('openssl', ['version']).status === 0;

/** Whether OpenSSL accepts the server under a name. */
function opensslAccepts(check: string, name: string): boolean {
  const cert = join(folder.cli.path, CERT);
  const args = ['s_client', '-connect', `127.0.0.1:${port}`, '-CAfile', cert];
  const verify = ['-verify_return_error', check, name];
  try {
    execFileSync('openssl', [...args, ...verify], { input: '', stdio: 'pipe' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    return false;
  }
}

test.runIf(process.env['CI'] || (NETWORK_ADDRESS && hasOpenssl()))(
  'a self-signed certificate is for the addresses of this machine and for no other',
  () => {
    expect(NETWORK_ADDRESS, 'this machine has no address on a network').toBeDefined();
    expect(opensslAccepts('-verify_ip', NETWORK_ADDRESS ?? '')).toBe(true);
    expect(opensslAccepts('-verify_ip', '127.0.0.1')).toBe(true);
    expect(opensslAccepts('-verify_hostname', 'localhost')).toBe(true);
    expect(opensslAccepts('-verify_ip', '0.0.0.0')).toBe(false);
    expect(opensslAccepts('-verify_ip', OTHER_ADDRESS)).toBe(false);
    expect(opensslAccepts('-verify_hostname', 'gate.example')).toBe(false);
  },
);

test('the first line shows the fingerprint of the certificate that is served', async () => {
  const shown = server.firstLine['certificateSha256'];
  const ca = readFileSync(join(folder.cli.path, CERT), 'utf8');
  expect(new X509Certificate(ca).fingerprint256).toBe(shown);
  expect(await shownFingerprint(server.url, { ca })).toBe(shown);
});

describe('with --ca a client accepts the certificate under the names that it has', () => {
  const clients: [string, (url: string) => string[], code: number][] = [
    ['check', (url) => ['check', url, '--only', '1/plain-http-closed'], 3],
    ['scan', (url) => ['scan', 'env:CODE', '--key', 'env:REST', '--url', url], 3],
    ['simulate', (url) => ['simulate', url, ...CARD_AT_ONCE, '--key', 'env:HARDWARE'], 3],
    ['record send', (url) => ['record', 'send', 'gate.jsonl', url, '--key', 'env:REST'], 3],
    ['doctor', (url) => ['doctor', '--port', '0', '--card-url', `${url}${CARD}`], 1],
    ['the admin API', (url) => ['events', 'list', '--token', 'env:TOKEN', '--url', url], 3],
  ];
  const CARD = '/scan/hw/consume?key=file:';

  beforeAll(async () => {
    const { cli, restKey, target } = folder;
    const upstream = at(NETWORK_ADDRESS ?? '127.0.0.1');
    const [, proxy] = await cli.runUntil(
      ['record', upstream, '--port', '0', '--out', 'gate.jsonl', '--ca', CERT],
      /(http:\/\/127\.0\.0\.1:\d+)/,
    );
    const body = JSON.stringify({ ticketCode: target.tickets['multi']?.[0] });
    const headers = { 'x-api-key': restKey, 'content-type': 'application/json' };
    const answer = await fetch(`${proxy}/scan/validate`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  });

  test.each(clients)('%s', async (_name, argsFor, refusal) => {
    const { cli, restKey, token, target } = folder;
    const environment = {
      CODE: target.tickets['multi']?.[0] ?? '',
      REST: restKey,
      HARDWARE: target.keys['hardware'] ?? '',
      TOKEN: token,
    };
    const run = (address: string, ca: string[], more: Record<string, string> = {}) => {
      const args = argsFor(at(address)).map((arg) =>
        arg.endsWith(CARD) ? arg.replace('file:', environment.HARDWARE) : arg,
      );
      return cli.run([...args, ...ca], { ...environment, ...more });
    };
    const address = NETWORK_ADDRESS ?? '127.0.0.1';
    const [trusted, untrusted, misnamed] = await Promise.all([
      // Each client reads the setting in the same way.
      run(address, [], { TICKETSCAN_CA: CERT }),
      run(address, []),
      run(OTHER_ADDRESS, ['--ca', CERT]),
    ]);
    expect(trusted.code, trusted.err + trusted.out).toBe(0);
    expect(untrusted.code).toBe(refusal);
    expect(untrusted.out + untrusted.err).toMatch(/is not trusted.*--ca/s);
    expect(misnamed.code).toBe(refusal);
    expect(misnamed.out + misnamed.err).toMatch(/for another name/);
    expect(misnamed.out + misnamed.err).not.toMatch(/--ca FILE/);
  });
});

test('any certificate is accepted with --insecure-tls', async () => {
  const { cli, target } = folder;
  const args = ['simulate', at('127.0.0.1'), ...CARD_AT_ONCE, '--key', 'env:KEY'];
  const environment = {
    KEY: target.keys['hardware'] ?? '',
    CODE: target.tickets['multi']?.[0] ?? '',
  };
  expect((await cli.run([...args, '--insecure-tls'], environment)).code).toBe(0);
  expect((await cli.run([...args, '--insecure'], environment)).code).toBe(2);
});

test('a file for --ca that is none is refused with what to give', async () => {
  const { cli } = folder;
  for (const file of ['nowhere.pem', 'ticketscan.keyring.json']) {
    const { code, err } = await cli.run(['check', server.url, '--ca', file]);
    expect(code).toBe(2);
    expect(err).toMatch(new RegExp(`--ca ${file} cannot be used: .*Give a PEM file`));
  }
});
