import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { namesOfServer, type ServerNames, selfSignedPaths } from '../../src/config/addresses.ts';
import { ServedCertificate, selfSigned, tlsFor } from '../../src/serve/certificate.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function somePaths() {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-self-signed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return selfSignedPaths(folder);
}

const named = (...needed: string[][]): ServerNames => ({
  needed,
  findMore: async () => [],
});
const GATE = named(['gate.local'], ['10.1.2.3'], ['fd00::2', 'fd00::3']);

test('a certificate has all names, and its key is readable for the owner alone', async () => {
  const paths = somePaths();
  const { cert, notice } = await selfSigned(
    { ...GATE, findMore: async () => ['gate.pool.example'] },
    paths,
  );
  const certificate = new X509Certificate(cert);
  for (const name of ['gate.local', 'gate.pool.example'])
    expect(certificate.checkHost(name)).toBe(name);
  for (const address of ['10.1.2.3', 'fd00::2', 'fd00::3'])
    expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkIP('10.1.2.4')).toBeUndefined();
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(notice).toBeUndefined();
  expect(statSync(paths.key).mode & 0o777).toBe(0o600);
});

test.each<[string, ServerNames]>([
  ['nothing has changed', GATE],
  ['an address has gone', named(['gate.local'])],
  ['one of several IPv6 addresses is another one', named(['10.1.2.3'], ['fd00::2', 'fd00::9'])],
  ['the name server knows one more name', { ...GATE, findMore: async () => ['gate.example'] }],
])('a certificate is kept when %s', async (_why, names) => {
  const paths = somePaths();
  const first = await selfSigned(GATE, paths);
  expect(await selfSigned(names, paths)).toEqual({ ...first, notice: undefined });
});

test.each<[string, ServerNames, RegExp]>([
  ['an address', named(['10.1.2.4']), /not valid for 10\.1\.2\.4\. Its fingerprint/],
  ['a name', named(['other.local']), /not valid for other\.local\. /],
  ['every IPv6 address', named(['fd00::8', 'fd00::9']), /not valid for fd00::8, fd00::9\. /],
])('a certificate that lacks %s is made anew', async (_what, names, notice) => {
  const paths = somePaths();
  const first = await selfSigned(GATE, paths);
  const second = await selfSigned(names, paths);
  expect(second.cert).not.toBe(first.cert);
  expect(second.notice).toMatch(notice);
  expect(second.notice).toContain(paths.cert);
  expect(await selfSigned(names, paths)).toEqual({ ...second, notice: undefined });
});

test('a certificate that ends soon, and files that do not fit together, are made anew', async () => {
  const paths = somePaths();
  const ending = await generate([{ name: 'commonName', value: 'gate.local' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + 29 * DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'gate.local' }] }],
  });
  writeFileSync(paths.cert, ending.cert);
  writeFileSync(paths.key, ending.private);
  expect((await selfSigned(named(['gate.local']), paths)).notice).toMatch(/the old one ends on 20/);
  writeFileSync(paths.key, ending.private);
  expect((await selfSigned(GATE, paths)).notice).toMatch(/could not be used/);
  writeFileSync(paths.cert, 'torn');
  expect((await selfSigned(GATE, paths)).notice).toMatch(/could not be used/);
});

test('the names of a server: of this machine where others reach it, as given where names are given', async () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const all = namesOfServer('0.0.0.0', undefined).needed.flat();
  const [short] = hostname().split('.', 1);
  expect(all).toEqual(expect.arrayContaining(['localhost', hostname(), `${short}.local`]));
  for (const { address, scopeid = 0 } of own) if (scopeid === 0) expect(all).toContain(address);
  const local = ['localhost', '127.0.0.1', '::1'];
  const flat = async (host: string, given?: string[]) => {
    const { needed, findMore } = namesOfServer(host, given);
    return [...needed.flat(), ...(await findMore())];
  };
  expect(await flat('127.0.0.1')).toEqual(local);
  expect(await flat('0.0.0.0', ['gate.example', '10.1.2.3'])).toEqual([
    ...local,
    'gate.example',
    '10.1.2.3',
  ]);
  expect(await flat('192.0.2.7', ['gate.example'])).toEqual([
    ...local,
    '192.0.2.7',
    'gate.example',
  ]);
  expect(await flat('192.0.2.7')).toEqual(expect.arrayContaining([...local, '192.0.2.7']));
});

test('browsers are told to use HTTPS alone as long as the certificate in use is an issued one', async () => {
  const paths = somePaths();
  const signer = await generate([{ name: 'commonName', value: 'Test CA' }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const issued = await generate([{ name: 'commonName', value: 'gate.example' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + 29 * DAY_MS),
    ca: { key: signer.private, cert: signer.cert },
  });
  const made = await selfSigned(GATE, paths);
  const served = new ServedCertificate({ ...made, paths }, pino({ level: 'silent' }));
  expect([served.isStrictAt('0.0.0.0'), served.notice]).toEqual([false, undefined]);
  writeFileSync(paths.cert, issued.cert);
  writeFileSync(paths.key, issued.private);
  served.reload();
  expect([served.isStrictAt('0.0.0.0'), served.isStrictAt('127.0.0.1')]).toEqual([true, false]);
  expect(served.fingerprint).toBe(new X509Certificate(issued.cert).fingerprint256);
  expect(served.notice).toMatch(/ends on 20.*: renew it/);
});

test('the key is of the kind that is asked for; a restart without the option keeps it', async () => {
  const paths = somePaths();
  const kindOf = (cert: string) => new X509Certificate(cert).publicKey.asymmetricKeyType;
  const rsa = await selfSigned(GATE, paths, 'rsa');
  expect(kindOf(rsa.cert)).toBe('rsa');
  expect(await selfSigned(GATE, paths)).toEqual({ ...rsa, notice: undefined });
  const lacking = await selfSigned(named(['other.local']), paths);
  expect(kindOf(lacking.cert)).toBe('rsa');
  const ec = await selfSigned(GATE, paths, 'ec');
  expect(kindOf(ec.cert)).toBe('ec');
  expect(ec.notice).toMatch(/because the old one has no EC key/);
});

test.each([
  ['--tls-name', { tlsName: 'gate' }],
  ['--tls-key-type', { tlsKeyType: 'rsa' as const }],
])('%s without a self-signed certificate is refused', async (option, given) => {
  const none = { tlsCert: undefined, tlsKey: undefined, tlsName: undefined, tlsElsewhere: false };
  const settings = { ...none, host: '127.0.0.1', tlsSelfSigned: false, ...given };
  await expect(tlsFor(settings, undefined)).rejects.toThrow(
    new RegExp(`^${option} sets .* self-signed certificate: add --tls-self-signed`),
  );
});
