import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/files.ts';
import { listen } from './support/listen.ts';
import { runCommand } from './support/run-command.ts';

const refuse: http.RequestListener = (_, response) => {
  response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Forbidden"}');
};
const FEW = ['--only', '7.2/body-of-401', '5/refused-key{no-key}@heartbeat'];

test.each(['300ms', '0.3s'])('--timeout %s', async (timeout) => {
  const url = await listen(net.createServer());
  const { code, stderr } = await runCommand(['check', url, '--timeout', timeout]);
  expect(stderr).toContain('no complete answer within 0.3 s');
  expect(code).toBe(3);
});

test.each(['0', '0s', '-1', '300', 'soon', '10 apples'])(
  '--timeout %s is a usage error',
  async (timeout) => {
    const { code } = await runCommand(['check', 'http://127.0.0.1:9', '--timeout', timeout]);
    expect(code).toBe(2);
  },
);

test('a report without a format has that of its ending; what is no format belongs to the name', async () => {
  const url = await listen(http.createServer(refuse));
  const folder = temporaryFolder();
  const files = ['a.json', 'a.xml', 'a.html', 'a.md', 'a.sarif', 'a.txt', 'x=y.json'];
  const reports = files.flatMap((name) => ['--report', join(folder, name)]);
  await runCommand(['check', url, ...FEW, ...reports, '--report', `json=${join(folder, 'b.txt')}`]);
  const beginnings = [...files, 'b.txt'].map((name) =>
    readFileSync(join(folder, name), 'utf8').slice(0, 5),
  );
  expect(beginnings[1]).toBe('<?xml');
  expect(beginnings[2]).toMatch(/^<!doc/i);
  for (const place of [0, 4, 6, 7]) expect(beginnings[place]).toMatch(/^\{/);
  const unknown = await runCommand(['check', url, ...FEW, '--report', join(folder, 'c.pdf')]);
  expect(unknown.stderr).toContain('.sarif');
  expect(unknown.code).toBe(2);
  expect(existsSync(join(folder, 'c.pdf'))).toBe(false);
});

test('--insecure-tls accepts any certificate, and the report says so', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'else' }]);
  const { port } = new URL(await listen(https.createServer({ cert, key }, refuse)));
  const url = `https://127.0.0.1:${port}`;
  const strict = await runCommand(['check', url, ...FEW]);
  expect(strict.stderr).toContain('--insecure-tls');
  expect(strict.code).toBe(3);
  const { code, stdout } = await runCommand(['check', url, ...FEW, '--insecure-tls', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).notes).toContain(
    'The TLS certificate was not verified (--insecure-tls).',
  );
});
