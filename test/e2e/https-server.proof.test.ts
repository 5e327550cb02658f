import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { expect, test, vi } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { shownFingerprint } from '../support/network.ts';
import { PATIENTLY } from '../support/patience.ts';

interface Pair {
  readonly cert: string;
  readonly key: string;
}

async function aPair(name: string): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { cert: made.cert, key: made.private };
}

/** Asks without a pause until it is told to stop. @returns the statuses, and what went wrong */
function askingFor(url: string, ca: string[], keepAlive: boolean) {
  const agent = new https.Agent({ keepAlive, maxSockets: 1, ca });
  const seen = { answers: 0, failures: [] as string[] };
  let stopped = false;
  const ask = async () => {
    const request = https.get(`${url}/healthz`, { agent });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    if ((await text(response)) === '{"status":"ok"}') seen.answers += 1;
    else seen.failures.push(`HTTP ${response.statusCode}`);
  };
  const running = (async () => {
    while (!stopped) await ask().catch((error) => seen.failures.push(String(error)));
    agent.destroy();
  })();
  const stop = async () => {
    stopped = true;
    await running;
    return seen;
  };
  return { seen, stop };
}

test('a renewed certificate is used without a lost request; half of one changes nothing and is logged once', async () => {
  await using folder = new CliFolder();
  const write = (name: string, content: string) => {
    writeFileSync(join(folder.path, `${name}.new`), content);
    renameSync(join(folder.path, `${name}.new`), join(folder.path, name));
  };
  const [first, second, third] = await Promise.all([aPair('a'), aPair('b'), aPair('c')]);
  write('cert.pem', first.cert);
  write('key.pem', first.key);
  const files = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
  const server = await folder.serve(['--store', 'memory:', ...files]);
  const url = server.url.replace('127.0.0.1', 'localhost');
  const ca = [first.cert, second.cert, third.cert];
  const load = [true, true, false, false].map((keepAlive) => askingFor(url, ca, keepAlive));
  const fingerprint = () => shownFingerprint(url, { ca });
  const before = await fingerprint();
  const errors = () => server.messages().match(/the changed certificate cannot be used/g) ?? [];

  write('cert.pem', second.cert);
  await vi.waitFor(() => expect(errors()).toHaveLength(1), PATIENTLY);
  expect(server.messages()).toContain('key.pem is not the key of cert.pem');
  write('cert.pem', second.cert.slice(0, 200));
  await vi.waitFor(() => expect(errors()).toHaveLength(2), PATIENTLY);
  write('cert.pem', `${second.cert.slice(0, 200)} `);
  await wait(2500);
  expect(errors()).toHaveLength(2);
  expect(await fingerprint()).toBe(before);

  write('cert.pem', second.cert);
  write('key.pem', second.key);
  await vi.waitFor(async () => expect(await fingerprint()).not.toBe(before), PATIENTLY);
  const renewed = await fingerprint();
  expect(server.messages()).toContain(renewed);

  write('cert.pem', third.cert);
  write('key.pem', third.key);
  server.process.kill('SIGHUP');
  await vi.waitFor(async () => expect(await fingerprint()).not.toBe(renewed), PATIENTLY);

  const answered = load.map(({ seen }) => seen.answers);
  await vi.waitFor(() => {
    for (const [at, { seen }] of load.entries())
      expect(seen.answers).toBeGreaterThan((answered[at] ?? 0) + 5);
  }, PATIENTLY);
  for (const { failures } of await Promise.all(load.map(({ stop }) => stop())))
    expect(failures).toEqual([]);
  expect(await server.stop()).toBe(0);
});

test('a start that replaces the self-signed certificate says so', async () => {
  await using folder = new CliFolder();
  const start = async (names: string) => {
    const server = await folder.serve(['--tls-self-signed', '--tls-name', names]);
    const messages = server.messages();
    await server.stop();
    const { certificateSha256: sha256, urls } = server.firstLine;
    return { sha256, urls, messages };
  };
  const first = await start('gate.local');
  expect(first.messages).not.toContain('self-signed certificate');
  const second = await start('gate.local,10.1.2.3');
  expect(second.urls).toEqual([
    expect.stringMatching(/127\.0\.0\.1/),
    expect.stringMatching(/^https:\/\/gate\.local:\d+$/),
    expect.stringMatching(/^https:\/\/10\.1\.2\.3:\d+$/),
  ]);
  expect(second.sha256).not.toBe(first.sha256);
  expect(second.messages).toMatch(
    /A new self-signed certificate .* not valid for 10\.1\.2\.3\. .*--tls-name/,
  );
});

test.each([
  [
    ['--tls-cert', 'codes.txt', '--tls-key', 'codes.txt'],
    /codes\.txt contains no certificate in PEM/,
  ],
  [['--tls-cert', 'nowhere.pem', '--tls-key', 'nowhere.pem'], /nowhere\.pem cannot be read/],
  [['--tls-name', 'gate.local'], /add --tls-self-signed/],
  [['--tls-self-signed', '--tls-name', 'https://gate'], /--tls-name must be names and addresses/],
])('serve %j is refused with what to do', async (args, expected) => {
  await using folder = new CliFolder();
  writeFileSync(join(folder.path, 'codes.txt'), 'TS1.secret');
  const { code, err } = await folder.run(['serve', '--port', '0', '--store', 'memory:', ...args]);
  expect(code).toBe(2);
  expect(err).toMatch(expected);
  expect(err).not.toMatch(/TS1\.secret|internal/);
});

test.each([[], ['--tls-self-signed']])(
  'a port that ticketscan itself has says so %j; SIGHUP ends no server',
  async (...tls) => {
    await using folder = new CliFolder();
    const running = await folder.serve(['--store', 'memory:', ...tls]);
    running.process.kill('SIGHUP');
    const port = new URL(running.url).port;
    const { code, err } = await folder.run(['serve', '--port', port, '--store', 'memory:']);
    expect(code).toBe(2);
    expect(err).toContain(`Port ${port} is taken: ticketscan serves there already.`);
    expect(await running.stop()).toBe(0);
  },
);
