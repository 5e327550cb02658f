import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';

const FILE = 'first-sign-in.txt';
/** Hashing a password takes its time on purpose. */

test('the first sign-in can go to a file for its owner instead of to the log, and works', async () => {
  await using folder = new CliFolder();
  const server = await folder.serve(['--first-sign-in', FILE]);
  await expect.poll(server.messages, PATIENTLY).toContain(`The first sign-in is in ${FILE}`);
  const text = readFileSync(join(folder.path, FILE), 'utf8');
  const [, password = ''] = /^password: (\S+)$/m.exec(text) ?? [];

  const response = await fetch(`${server.url}/admin/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'admin', password }),
  });

  expect(response.status).toBe(201);
  expect(text).toContain(`address: ${server.url}/\nname: admin\n`);
  expect(statSync(join(folder.path, FILE)).mode & 0o777).toBe(0o600);
  expect(server.messages()).not.toContain(password);
});

test('a first sign-in that cannot be written is not shown, and the way to another password is', async () => {
  await using folder = new CliFolder();
  mkdirSync(join(folder.path, FILE));
  const store = `sqlite:${join(folder.path, 'my gate.db')}`;
  const server = await folder.serve(['--first-sign-in', FILE, '--store', store]);

  await expect
    .poll(server.messages, PATIENTLY)
    .toContain(`ticketscan accounts password admin --store '${store}'`);
  expect(server.messages()).toContain(`could not be written to ${FILE}: it is a folder`);
  expect(server.messages()).not.toContain('password: ');
});
