import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import selfsigned from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { type Finding, type Found, named } from '../../src/cli/doctor/finding.ts';
import {
  checkKeyring,
  checkNode,
  checkPort,
  checkSelfSigned,
  checkTlsFiles,
} from '../../src/cli/doctor/machine-checks.ts';
import { checkBaseUrl, checkCardUrl, checkHeartUrl } from '../../src/cli/doctor/service-checks.ts';
import { checkStore } from '../../src/cli/doctor/store-checks.ts';
import { createKeyring, readStoredKeys, writeStoredKeys } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { CliFolder } from '../support/cli.ts';
import { TestService } from '../support/service.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const outcomes = (findings: readonly Finding[]) =>
  findings.map(({ check, outcome }) => `${check} ${outcome}`);

/** Whatever failed says what to do, and shows no key. */
function expectHelpful(findings: readonly Found[]): void {
  for (const { outcome, advice, finding } of findings) {
    if (outcome === 'failed' || outcome === 'warning') expect(advice).toMatch(/^[A-Z].{20,}/);
    expect(`${finding} ${advice}`).not.toMatch(/tscn_(hw|api)_\w{5}/);
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('Node', () => {
  for (const good of ['v26.1.0', 'v24.7.0', 'v25.0.0', 'v22.20.0', 'v22.23.3'])
    expect(checkNode(good).outcome, good).toBe('good');
  for (const old of ['v24.6.0', 'v23.11.0', 'v22.19.0', 'v20.20.2']) {
    expect(checkNode(old).outcome, old).toBe('failed');
    expectHelpful([checkNode(old)]);
  }
});

test('copies that a killed backup or restore left are named', async () => {
  const folder = aFolder();
  const url = `sqlite:${join(folder, 'gate.db')}`;
  await (await openStore(url)).close();
  const left = ['.gate.db.4999999.tmp', '.ticketscan.backup.4999999.tmp'];
  for (const name of left) writeFileSync(join(folder, name), '');

  const { findings } = await checkStore(url);

  expectHelpful(findings);
  const warning = findings.find(({ outcome }) => outcome === 'warning');
  expect(warning?.finding).toBe(
    `A backup or restore was killed, and left copies of the store: ${left.map((name) => join(folder, name)).join(', ')}.`,
  );
});

test('a store that is not there is not made', async () => {
  const path = join(aFolder(), 'none.db');
  const { findings, tickets } = await checkStore(`sqlite:${path}`);
  expect([outcomes(findings), tickets]).toEqual([['store warning'], 0]);
  expect(existsSync(path)).toBe(false);
});

test('a store that is there: sound, unsound, and none of ours', async () => {
  await using folder = new CliFolder();
  await folder.run(['seed', '--count', '1']);
  const path = join(folder.path, 'ticketscan.db');
  const sound = await checkStore(`sqlite:${path}`);
  expect([outcomes(sound.findings), sound.tickets]).toEqual([
    ['store good', 'quota good', 'audit good', 'backup skipped'],
    17,
  ]);

  const database = new DatabaseSync(path);
  database.exec('UPDATE ticket_use SET uses_consumed = uses_consumed + 1');
  database.close();
  const { findings } = await checkStore(`sqlite:${path}`);
  expect(outcomes(findings)).toEqual([
    'store good',
    'quota good',
    'audit failed',
    'backup skipped',
  ]);
  expectHelpful(findings);

  const foreign = join(folder.path, 'letter.txt');
  writeFileSync(foreign, 'Dear database, this is no database.'.repeat(200));
  expect(outcomes((await checkStore(`sqlite:${foreign}`)).findings)).toEqual(['store failed']);
});

test('the keyring: good, missing, readable by others, damaged, without an active key', () => {
  const path = join(aFolder(), 'keyring.json');
  expect(checkKeyring(path, 0).outcome).toBe('skipped');
  expect(checkKeyring(path, 3)).toMatchObject({
    outcome: 'failed',
    finding: expect.stringMatching(/has 3 tickets/),
  });
  createKeyring(path);
  expect(checkKeyring(path, 3).outcome).toBe('good');
  chmodSync(path, 0o640);
  expect(checkKeyring(path, 3)).toMatchObject({
    outcome: 'failed',
    finding: expect.stringMatching(/chmod 600/),
  });
  chmodSync(path, 0o600);
  writeStoredKeys(
    path,
    readStoredKeys(path).map((key) => ({ ...key, state: 'verify-only' })),
  );
  expect(checkKeyring(path, 3)).toMatchObject({
    outcome: 'failed',
    finding: expect.stringMatching(/no active key/),
  });
  writeFileSync(path, '{');
  expect(checkKeyring(path, 3)).toMatchObject({
    outcome: 'failed',
    finding: expect.stringMatching(/damaged/),
  });
  expectHelpful([checkKeyring(path, 3)]);
});

test('the port: free, ours, somebody else’s, not of this machine', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const taken = await listening(createHttp((_request, response) => response.end('hello')));
  expect((await checkPort('127.0.0.1', 0)).outcome).toBe('good');
  const ours = await checkPort('127.0.0.1', Number(new URL(service.url).port));
  expect(ours).toMatchObject({
    outcome: 'good',
    finding: expect.stringMatching(/already serves on/),
  });
  expect(await checkPort('127.0.0.1', taken)).toMatchObject({ outcome: 'failed' });
  const { cert, private: key } = await certificate(90);
  const healthy = createHttps({ cert, key }, (request, response) =>
    response.end(request.url === '/healthz' ? '{"status":"ok"}' : ''),
  );
  expect((await checkPort('127.0.0.1', await listening(healthy))).outcome).toBe('good');
  const elsewhere = await checkPort('192.0.2.1', 0);
  expect(elsewhere.outcome).toBe('failed');
  expectHelpful([elsewhere]);
});

async function certificate(days: number, host = 'localhost') {
  return selfsigned.generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 100 * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
}

test.each([
  [90, 'localhost', ['tls good', 'tls good', 'tls good']],
  [10, 'localhost', ['tls good', 'tls warning', 'tls good']],
  [-1, 'scan.example.org', ['tls good', 'tls failed', 'tls failed']],
])('a certificate of %i days, made for localhost, seen as %s', async (days, hostname, expected) => {
  const folder = aFolder();
  const { cert, private: key } = await certificate(days);
  const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key);
  const findings = named('tls', checkTlsFiles({ tlsCert, tlsKey, hostname, now: Date.now() }));
  expect(outcomes(findings)).toEqual(expected);
  expectHelpful(findings);
});

test('a key of another certificate, a file that is none, one of two', async () => {
  const folder = aFolder();
  const [one, other] = [await certificate(90), await certificate(90)];
  const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(tlsCert, one.cert);
  writeFileSync(tlsKey, other.private);
  const question = { tlsCert, tlsKey, hostname: undefined, now: Date.now() };
  expect(outcomes(named('tls', checkTlsFiles(question)))).toEqual(['tls failed', 'tls good']);
  expect(outcomes(named('tls', checkTlsFiles({ ...question, tlsKey: undefined })))).toEqual([
    'tls failed',
  ]);
  writeFileSync(tlsCert, 'no certificate');
  expect(outcomes(named('tls', checkTlsFiles(question)))).toEqual(['tls failed']);
});

test('a base URL: reached, with a clock that agrees or not', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const at = (offsetMs: number) =>
    checkBaseUrl(new URL(service.url), undefined, {
      ...systemClock,
      now: () => Date.now() + offsetMs,
    });
  expect(outcomes(await at(0))).toEqual(['base-url good', 'clock good']);
  expect(outcomes(await at(-30_000))).toEqual(['base-url good', 'clock warning']);
  expect(outcomes(await at(3_600_000))).toEqual(['base-url good', 'clock failed']);
  expectHelpful(await at(3_600_000));
});

test('a base URL: nothing there, no such name, no scan service, no HTTP', async () => {
  const other = await listening(createHttp((_request, response) => response.writeHead(404).end()));
  const urls = ['http://127.0.0.1:1', 'http://nobody.invalid', `http://127.0.0.1:${other}`];
  const cardUrl = `http://127.0.0.1:${other}/scan/hw/consume?key=tscn_hw_${'a'.repeat(38)}`;
  for (const url of [...urls, cardUrl, `https://127.0.0.1:${other}`]) {
    const findings = await checkBaseUrl(new URL(url));
    expect([url, findings[0]?.outcome]).toEqual([url, 'failed']);
    expectHelpful(findings);
  }
});

test.each([
  [90, ['base-url good', 'base-url-tls good', 'base-url-tls warning', 'clock good']],
  [-1, ['base-url good', 'base-url-tls failed', 'clock good']],
])('a base URL over TLS with a self-signed certificate of %i days', async (days, expected) => {
  const { cert, private: key } = await certificate(days);
  const refuse = createHttps({ cert, key }, (_request, response) => response.writeHead(401).end());
  const port = await listening(refuse);
  const findings = await checkBaseUrl(new URL(`https://localhost:${port}`));
  expect(outcomes(findings)).toEqual(expected);
  expectHelpful(findings);
});

test.each([
  ['is self-signed', 90, 'localhost', 'failed'],
  ['has expired', -1, 'localhost', 'failed'],
  ['is for another name', 90, '127.0.0.1', 'failed'],
])('no key is sent to a server whose certificate %s', async (_why, days, host, outcome) => {
  const { cert, private: key } = await certificate(days);
  const asked: string[] = [];
  const server = createHttps({ cert, key }, (request, response) => {
    asked.push(request.url ?? '');
    request.on('data', () => {}).on('end', () => response.end('{"AcsRes":"0","Key":"x"}'));
  });
  const port = await listening(server);
  const url = (path: string) =>
    new URL(`https://${host}:${port}/scan/hw/${path}?key=tscn_hw_secret`);
  const findings = [await checkCardUrl(url('consume')), await checkHeartUrl(url('heartbeat'))];
  expect(findings.map((one) => one.outcome)).toEqual([outcome, outcome]);
  for (const { finding, advice } of findings) {
    expect(finding).toMatch(/key was not sent: the certificate .* is not trusted/);
    expect(advice).toMatch(/--ca FILE/);
  }
  expect(asked).toEqual([]);
  expectHelpful(findings);
});

test('a certificate for another name is noticed, whether it is trusted or not', async () => {
  const { cert, private: key } = await certificate(90);
  const refuse = createHttps({ cert, key }, (_request, response) => response.writeHead(401).end());
  const url = new URL(`https://127.0.0.1:${await listening(refuse)}`);
  const trusted = await checkBaseUrl(url, cert);
  expect(outcomes(trusted)).toEqual([
    'base-url good',
    'base-url-tls good',
    'base-url-tls failed',
    'clock good',
  ]);
  expect(trusted[2]?.finding).toMatch(/not for 127\.0\.0\.1, but for DNS:localhost/);
  const untrusted = await checkBaseUrl(url);
  expect(outcomes(untrusted).slice(2, 4)).toEqual(['base-url-tls failed', 'base-url-tls warning']);
  const device = await checkCardUrl(new URL('/scan/hw/consume?key=tscn_hw_x', url), cert);
  expect(device.finding).toMatch(/key was not sent: the certificate .* for another name/);
  expectHelpful([...trusted, ...untrusted, device]);
});

test('the kept self-signed certificate: not made yet, good, without a name of this machine, ending', async () => {
  const path = join(aFolder(), 'cert.pem');
  const names = (...needed: string[]) => ({
    needed: needed.map((name) => [name]),
    findMore: async () => [],
  });
  const check = (...needed: string[]) =>
    named('tls', checkSelfSigned(path, names(...needed), Date.now()));
  expect(outcomes(check('localhost'))).toEqual(['tls skipped']);
  writeFileSync(path, (await certificate(90)).cert);
  expect(outcomes(check('localhost'))).toEqual(['tls good', 'tls good']);
  const moved = check('localhost', '10.1.2.3');
  expect(outcomes(moved)).toEqual(['tls good', 'tls warning']);
  expect(moved[1]?.finding).toContain('10.1.2.3');
  writeFileSync(path, (await certificate(29)).cert);
  expect(outcomes(check('localhost'))).toEqual(['tls warning', 'tls good']);
  writeFileSync(path, 'torn');
  expect(outcomes(check('localhost'))).toEqual(['tls warning']);
  expectHelpful([...moved, ...check('localhost')]);
});

test('with --ca the certificate of the service is trusted, and the key is sent', async () => {
  await using folder = new CliFolder();
  const { cert, private: key } = await certificate(90);
  writeFileSync(join(folder.path, 'ca.pem'), cert);
  const asked: string[] = [];
  const server = createHttps({ cert, key }, (request, response) => {
    asked.push(request.url ?? '');
    request.on('data', () => {}).on('end', () => response.end('{"AcsRes":"0"}'));
  });
  const url = `https://localhost:${await listening(server)}/scan/hw/validate?key=tscn_hw_secret`;
  const args = ['doctor', '--port', '0', '--card-url', 'env:CARD'];
  const without = await folder.run(args, { CARD: url });
  expect([without.code, asked]).toEqual([1, []]);
  const trusted = await folder.run([...args, '--ca', 'ca.pem'], { CARD: url });
  expect([trusted.code, asked]).toEqual([0, ['/scan/hw/validate?key=tscn_hw_secret']]);
});

test('device URLs as a device calls them: nothing is consumed', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const url = (path: string, key: string) =>
    new URL(`${service.url}/scan/hw/${path}?key=${service.key(key)}`);
  expect((await checkCardUrl(url('consume', 'hardware'))).outcome).toBe('good');
  expect((await checkCardUrl(url('validate', 'hardware'))).outcome).toBe('good');
  expect((await checkHeartUrl(url('heartbeat', 'hardware'))).outcome).toBe('good');
  const actions = (await service.store.readLog({ limit: 100 })).filter(
    ({ serial }) => serial === 'ticketscan-doctor',
  );
  expect(actions.map(({ operation }) => operation)).toEqual(['validate', 'validate']);
  const bad = [
    await checkCardUrl(url('consume', 'hardwareDisabled')),
    await checkHeartUrl(url('heartbeat', 'rest')),
    await checkCardUrl(url('heartbeat', 'hardware')),
    await checkHeartUrl(new URL(`${service.url}/scan/hw/heartbeat`)),
    await checkCardUrl(new URL('http://127.0.0.1:1/scan/hw/consume?key=tscn_hw_abcdefgh')),
  ];
  expect(bad.map(({ outcome }) => outcome)).toEqual(Array(5).fill('failed'));
  expectHelpful(bad);
});

test('a device URL of a server that always answers 200, and of one that is something else', async () => {
  await using service = await TestService.start({ store: 'memory', hardwareAlways200: true });
  const path = `/scan/hw/consume?key=${service.key('hardware')}`;
  expect((await checkCardUrl(new URL(service.url + path))).outcome).toBe('good');
  const refused = new URL(`${service.url}/scan/hw/consume?key=${service.key('hardwareDeleted')}`);
  expect((await checkCardUrl(refused)).outcome).toBe('failed');
  const page = createHttp((_request, response) => response.end('<html>It works</html>'));
  const elsewhere = new URL(`http://127.0.0.1:${await listening(page)}${path}`);
  const other = [
    await checkCardUrl(elsewhere),
    await checkHeartUrl(new URL(String(elsewhere).replace('consume', 'heartbeat'))),
  ];
  expect(other.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  expectHelpful(other);
});

test('the command: what to do, in words and as JSON, and its exit code', async () => {
  await using folder = new CliFolder();
  const fine = await folder.run(['doctor', '--port', '0']);
  expect([fine.code, fine.err]).toEqual([0, '']);
  expect(fine.out).toMatch(/^ok {4}node {10}Node v\d/);
  const args = ['doctor', '--port', '0', '--card-url', 'env:CARD', '--json'];
  const key = 'tscn_hw_0123456789abcdefghijklmnopqrstuvwxyz01';
  const bad = await folder.run(args, { CARD: `http://127.0.0.1:1/scan/hw/consume?key=${key}` });
  expect(bad.code).toBe(1);
  const { ok, findings } = JSON.parse(bad.out) as { ok: boolean; findings: Finding[] };
  expect(ok).toBe(false);
  const checks = ['node', 'store', 'keyring', 'port', 'tls', 'base-url', 'card-url', 'heart-url'];
  expect(findings.map(({ check }) => check)).toEqual(checks);
  expect(findings.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
    { check: 'card-url' },
  ]);
  const usage = await folder.run(['doctor', '--card-url', `ftp://${key}`]);
  expect(usage.code).toBe(2);
  for (const { out, err } of [fine, bad, usage]) expect(out + err).not.toContain(key);
});
