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
import { InProcess } from '../support/in-process.ts';
import { TestService } from '../support/service.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The outcomes, in a few words; whatever failed says what to do, and shows no key. */
function outcomesOf(found: Found | Finding | readonly (Found | Finding)[]): string[] {
  return [found].flat().map((one) => {
    const { outcome, advice, finding } = one;
    if (outcome === 'failed' || outcome === 'warning') expect(advice).toMatch(/^[A-Z].{20,}/);
    expect(`${finding} ${advice}`).not.toMatch(/tscn_(hw|api)_\w{5}/);
    return 'check' in one ? `${one.check} ${outcome}` : outcome;
  });
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function certificate(days: number, host = 'localhost') {
  const { cert, private: key } = await selfsigned.generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 100 * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  return { cert, key };
}

/** A server over TLS for localhost that answers as a device expects it, and what it was asked. */
async function deviceServer(days = 90, status = 200) {
  const { cert, key } = await certificate(days);
  const asked: (string | undefined)[] = [];
  const server = createHttps({ cert, key }, (request, response) => {
    asked.push(request.url);
    const isHealth = request.url === '/healthz';
    const answer = isHealth ? '{"status":"ok"}' : '{"AcsRes":"0","Key":"x"}';
    request.on('data', () => {}).on('end', () => response.writeHead(status).end(answer));
  });
  return { cert, asked, port: await listening(server) };
}

test.each([
  ['v26.1.0 v24.7.0 v25.0.0 v22.20.0 v22.23.3', 'good'],
  ['v24.6.0 v23.11.0 v22.19.0 v20.20.2', 'failed'],
])('Node %s is %s', (versions, outcome) => {
  for (const version of versions.split(' '))
    expect(outcomesOf(checkNode(version))).toEqual([outcome]);
});

test('a store: not there and not made, sound, with copies of a killed backup, unsound, and none of ours', async () => {
  await using folder = new InProcess();
  const path = (name: string) => join(folder.path, name);
  const check = async (name = 'ticketscan.db') => {
    const { findings, tickets } = await checkStore(`sqlite:${path(name)}`);
    return [outcomesOf(findings), tickets] as const;
  };
  expect(await check('none.db')).toEqual([['store warning'], 0]);
  expect(existsSync(path('none.db'))).toBe(false);
  await folder.run('seed --count 1');
  const sound = ['store good', 'store good', 'quota good', 'audit good', 'backup skipped'];
  expect(await check()).toEqual([sound, 17]);

  const left = [
    '.ticketscan.db.4999999.tmp',
    '.ticketscan.db.4999999.tmp.0123456789ab.tmp',
    '.ticketscan.backup.4999999.tmp',
    '.keyring.json.4999999.tmp.0123456789ab.tmp',
    '.ticketscan.self-signed.key.pem.4999999.tmp',
    'ticketscan.db.replaced-20270101T000000Z',
    'keyring.json.replaced-20270101T000000Z',
  ].map(path);
  for (const name of left) writeFileSync(name, '');
  const { findings } = await checkStore(`sqlite:${path('ticketscan.db')}`, path('keyring.json'));
  const warnings = findings.filter(({ outcome }) => outcome === 'warning');
  const said = warnings.map(({ finding }) => finding).join();
  for (const name of left) expect(said).toContain(name);
  for (const name of left) rmSync(name);

  const database = new DatabaseSync(path('ticketscan.db'));
  database.exec('UPDATE ticket_use SET uses_consumed = uses_consumed + 1');
  database.close();
  expect((await check())[0]).toEqual(sound.with(3, 'audit failed'));
  writeFileSync(path('letter.txt'), 'Dear database, this is no database.'.repeat(200));
  expect((await check('letter.txt'))[0]).toEqual(['store failed']);
});

test('the keyring: missing, good, readable by others, without an active key, damaged', () => {
  const path = join(aFolder(), 'keyring.json');
  const check = (tickets = 3) => {
    const found = checkKeyring(path, { tickets, isSite: false });
    return [...outcomesOf(found), found.finding];
  };
  expect(check(0)[0]).toBe('skipped');
  expect(check()).toEqual(['failed', expect.stringContaining('has 3 tickets')]);
  createKeyring(path);
  expect(check()[0]).toBe('good');
  chmodSync(path, 0o640);
  expect(check()).toEqual(['failed', expect.stringContaining('chmod 600')]);
  chmodSync(path, 0o600);
  const keys = readStoredKeys(path).map((key) => ({ ...key, state: 'verify-only' as const }));
  writeStoredKeys(path, keys);
  expect(check()).toEqual(['failed', expect.stringContaining('no active key')]);
  writeFileSync(path, '{');
  expect(check()).toEqual(['failed', expect.stringContaining('damaged')]);
});

test('the port: free, ours, ours over TLS, somebody else’s, not of this machine', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const taken = await listening(createHttp((_request, response) => response.end('hello')));
  const ours = Number(new URL(service.url).port);
  const check = async (port: number, host = '127.0.0.1') => outcomesOf(await checkPort(host, port));
  expect(await check(0)).toEqual(['good']);
  expect((await checkPort('127.0.0.1', ours)).finding).toMatch(/already serves on/);
  expect(await check((await deviceServer()).port)).toEqual(['good']);
  expect(await check(taken)).toEqual(['failed']);
  expect(await check(0, '192.0.2.1')).toEqual(['failed']);
});

test.each([
  [90, 'localhost', ['tls good', 'tls good', 'tls good']],
  [10, 'localhost', ['tls good', 'tls warning', 'tls good']],
  [-1, 'scan.example.org', ['tls good', 'tls failed', 'tls failed']],
])('a certificate of %i days, made for localhost, seen as %s', async (days, hostname, expected) => {
  const folder = aFolder();
  const { cert, key } = await certificate(days);
  const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key);
  const question = { tlsCert, tlsKey, hostname, now: Date.now() };
  expect(outcomesOf(named('tls', checkTlsFiles(question)))).toEqual(expected);

  const alone = { ...question, hostname: undefined, tlsKey: undefined };
  expect(outcomesOf(named('tls', checkTlsFiles(alone)))).toEqual(['tls failed']);
  writeFileSync(tlsKey, (await certificate(90)).key);
  const ofAnother = named('tls', checkTlsFiles({ ...question, hostname: undefined }));
  expect(outcomesOf(ofAnother)[0]).toBe('tls failed');
  writeFileSync(tlsCert, 'no certificate');
  expect(outcomesOf(named('tls', checkTlsFiles(question)))).toEqual(['tls failed']);
});

test('a base URL: reached, with a clock that agrees or not', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const at = async (offsetMs: number) => {
    const clock = { ...systemClock, now: () => Date.now() + offsetMs };
    return outcomesOf(await checkBaseUrl(new URL(service.url), undefined, clock));
  };
  expect(await at(0)).toEqual(['base-url good', 'clock good']);
  expect(await at(-30_000)).toEqual(['base-url good', 'clock warning']);
  expect(await at(3_600_000)).toEqual(['base-url good', 'clock failed']);
});

test('a base URL: nothing there, no such name, no scan service, a card URL, no HTTP', async () => {
  const other = await listening(createHttp((_request, response) => response.writeHead(404).end()));
  const card = `http://127.0.0.1:${other}/scan/hw/consume?key=tscn_hw_${'a'.repeat(38)}`;
  const nobody = ['http://127.0.0.1:1', 'http://nobody.invalid', `http://127.0.0.1:${other}`];
  for (const url of [...nobody, card, `https://127.0.0.1:${other}`]) {
    const [first] = outcomesOf(await checkBaseUrl(new URL(url)));
    expect([url, first]).toEqual([url, 'base-url failed']);
  }
});

const SELF_SIGNED = ['base-url good', 'base-url-tls good', 'base-url-tls warning', 'clock good'];
const OTHER_NAME = ['base-url good', 'base-url-tls good', 'base-url-tls failed'];

test.each([
  ['self-signed', 90, 'localhost', false, SELF_SIGNED],
  [
    'one that has expired',
    -1,
    'localhost',
    false,
    ['base-url good', 'base-url-tls failed', 'clock good'],
  ],
  [
    'for another name',
    90,
    '127.0.0.1',
    false,
    [...OTHER_NAME, 'base-url-tls warning', 'clock good'],
  ],
  ['trusted, but for another name', 90, '127.0.0.1', true, [...OTHER_NAME, 'clock good']],
])('a certificate that is %s: what is found, and no key is sent', async (...row) => {
  const [, days, host, isTrusted, expected] = row;
  const { cert, asked, port } = await deviceServer(days, 401);
  const ca = isTrusted ? cert : undefined;
  const findings = await checkBaseUrl(new URL(`https://${host}:${port}`), ca);
  expect(outcomesOf(findings)).toEqual(expected);
  asked.length = 0;
  const url = (path: string) =>
    new URL(`https://${host}:${port}/scan/hw/${path}?key=tscn_hw_secret`);
  for (const found of [
    await checkCardUrl(url('consume'), ca),
    await checkHeartUrl(url('heartbeat'), ca),
  ]) {
    expect(outcomesOf(found)).toEqual(['failed']);
    expect(found.finding).toMatch(/key was not sent: the certificate/);
    if (!isTrusted) expect(found.advice).toMatch(/--ca FILE/);
  }
  expect(asked).toEqual([]);
});

test('the kept self-signed certificate: not made yet, good, without a name of this machine, ending, torn', async () => {
  const path = join(aFolder(), 'cert.pem');
  const check = (...needed: string[]) => {
    const names = { needed: needed.map((name) => [name]), findMore: async () => [] };
    return outcomesOf(named('tls', checkSelfSigned(path, names, Date.now())));
  };
  expect(check('localhost')).toEqual(['tls skipped']);
  writeFileSync(path, (await certificate(90)).cert);
  expect(check('localhost')).toEqual(['tls good', 'tls good']);
  expect(check('localhost', '10.1.2.3')).toEqual(['tls good', 'tls warning']);
  writeFileSync(path, (await certificate(29)).cert);
  expect(check('localhost')).toEqual(['tls warning', 'tls good']);
  writeFileSync(path, 'torn');
  expect(check('localhost')).toEqual(['tls warning']);
});

test.each([
  ['', ['good', 'good', 'good']],
  ['hardwareAlways200', ['good', 'good', 'good']],
])('device URLs as a device calls them: nothing is consumed %s', async (option, good) => {
  const options = option === '' ? {} : { hardwareAlways200: true };
  await using service = await TestService.start({ store: 'memory', ...options });
  const url = (path: string, key: Parameters<TestService['key']>[0]) =>
    new URL(`${service.url}/scan/hw/${path}?key=${service.key(key)}`);
  const cards = [url('consume', 'hardware'), url('validate', 'hardware')];
  const found = [
    ...(await Promise.all(cards.map((one) => checkCardUrl(one)))),
    await checkHeartUrl(url('heartbeat', 'hardware')),
  ];
  expect(outcomesOf(found)).toEqual(good);
  const entries = await service.store.readLog({ limit: 100 });
  const own = entries.filter(({ serial }) => serial === 'ticketscan-doctor');
  expect(own.map(({ operation }) => operation)).toEqual(['validate', 'validate']);

  const page = await listening(createHttp((_request, response) => response.end('<html>')));
  const elsewhere = (path: string) =>
    new URL(`http://127.0.0.1:${page}/scan/hw/${path}?key=tscn_hw_x`);
  const bad = await Promise.all([
    checkCardUrl(url('consume', 'hardwareDisabled')),
    checkCardUrl(url('consume', 'hardwareDeleted')),
    checkHeartUrl(url('heartbeat', 'rest')),
    checkCardUrl(url('heartbeat', 'hardware')),
    checkHeartUrl(new URL(`${service.url}/scan/hw/heartbeat`)),
    checkCardUrl(new URL('http://127.0.0.1:1/scan/hw/consume?key=tscn_hw_abcdefgh')),
    checkCardUrl(elsewhere('consume')),
    checkHeartUrl(elsewhere('heartbeat')),
  ]);
  expect(outcomesOf(bad)).toEqual(Array(bad.length).fill('failed'));
});

test('the command: what it found, its exit code, and the key sent with --ca only', async () => {
  await using folder = new InProcess();
  const fine = await folder.run('doctor --port 0');
  expect([fine.code, fine.err]).toEqual([0, '']);
  expect(fine.out).toMatch(/^ok {4}node {10}Node v\d.*, ticketscan \d/);
  expect(fine.out).toContain('Configuration file: none.');

  const { cert, asked, port } = await deviceServer();
  writeFileSync(join(folder.path, 'ca.pem'), cert);
  const key = 'tscn_hw_0123456789abcdefghijklmnopqrstuvwxyz01';
  const path = `/scan/hw/validate?key=${key}`;
  const env = { CARD: `https://localhost:${port}${path}` };
  const bad = await folder.run('doctor --port 0 --card-url env:CARD --json', env);
  expect([bad.code, asked]).toEqual([1, []]);
  const { ok, findings } = JSON.parse(bad.out) as { ok: boolean; findings: Finding[] };
  const machine = ['node', 'config', 'store', 'keyring', 'port', 'tls'];
  const checks = [...machine, 'base-url', 'card-url', 'heart-url'];
  expect([ok, findings.map(({ check }) => check)]).toEqual([false, checks]);
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  expect(failed).toMatchObject([{ check: 'card-url' }]);
  const trusted = await folder.run('doctor --port 0 --card-url env:CARD --ca ca.pem', env);
  expect([trusted.code, asked]).toEqual([0, [path]]);
  for (const { out, err } of [fine, bad, trusted]) expect(out + err).not.toContain(key);
});
