import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { CliFolder } from '../support/cli.ts';

describe('wrong input ends with the right code, one clear message and no stack trace', () => {
  const shared = new CliFolder();
  beforeAll(async () => {
    await shared.run(['events', 'create', '--name', 'Pool']);
    await shared.run(['mint', '--event', 'Pool']);
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  test.each<[string, string[], number, RegExp]>([
    ['an unknown command', ['frobnicate'], 2, /unknown command 'frobnicate'/],
    ['an unknown option', ['serve', '--prot', '1'], 2, /unknown option '--prot'/],
    ['a missing option', ['keys', 'create', '--name', 'x'], 2, /--type.*\n.*--help/],
    [
      'a wrong choice',
      ['keys', 'create', '--name', 'x', '--type', 'turnstile'],
      2,
      /--type must be one of api, hardware/,
    ],
    ['an unknown event', ['mint', '--event', 'Winter'], 2, /Unknown event "Winter"/],
    [
      'too many uses',
      ['mint', '--event', 'Pool', '--type', 'multi', '--uses', '101'],
      2,
      /--uses must be a whole number from 2 to 100/,
    ],
    ['no uses', ['mint', '--event', 'Pool', '--type', 'multi'], 2, /needs its number of uses/],
    [
      'a wrong date',
      ['mint', '--event', 'Pool', '--valid-until', '31/12/2026'],
      2,
      /does not say which number is the day/,
    ],
    ['a wrong format', ['mint', '--event', 'Pool', '--format', 'gif'], 2, /gif/],
    ['an unknown key', ['keys', 'delete', 'nobody'], 2, /Unknown key "nobody"/],
    [
      'half a ticket id',
      ['tickets', 'show', 'tkt_x'],
      2,
      /not a ticket code and not a whole ticket id. Search for it/,
    ],
    ['a taken name', ['events', 'create', '--name', 'Pool'], 2, /already exists/],
    ['a wrong port', ['serve', '--port', '99999'], 2, /--port/],
    [
      'an address of nobody',
      ['serve', '--host', '203.0.113.7', '--tls-elsewhere', '--port', '0'],
      2,
      /not an address of this machine/,
    ],
    ['plain HTTP on the network', ['serve', '--host', '0.0.0.0'], 2, /--tls-self-signed/],
    ['half a certificate', ['serve', '--tls-cert', 'x.pem'], 2, /must be used together/],
    ['an unknown store', ['audit', '--store', 'mysql://u:secret@h/d'], 2, /is not a store URL/],
    [
      'a folder that is not there',
      ['events', 'create', '--name', 'Pool', '--store', 'sqlite:./none/x.db'],
      2,
      /does not exist/,
    ],
    ['no store', ['keys', 'list', '--store', 'sqlite:./none/x.db'], 2, /No store exists at/],
    ['an image that is not there', ['decode', 'none.png'], 2, /none\.png/],
  ])('%s', async (_name, args, code, message) => {
    const ran = await shared.run(args);
    expect(ran.err).toMatch(message);
    expect(ran.code).toBe(code);
    expect(ran.err).not.toMatch(/\n\s+at |secret/);
    expect(ran.out).toBe('');
  });

  test('a missing, an open and a foreign keyring', async () => {
    await using folder = await new CliFolder();
    await folder.run(['events', 'create', '--name', 'Pool']);
    await folder.run(['mint', '--event', 'Pool', '--out', '.', '--format', 'png']);
    const keyring = join(folder.path, 'ticketscan.keyring.json');
    chmodSync(keyring, 0o644);
    expect(await folder.run(['mint', '--event', 'Pool'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/chmod 600/),
    });
    rmSync(keyring);
    const missing = await folder.run(['serve', '--port', '0']);
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringMatching(/keyring .* is missing\. Restore it/),
    });
    expect(existsSync(keyring)).toBe(false);
  });

  test('a file that is no database', async () => {
    await using folder = await new CliFolder();
    writeFileSync(join(folder.path, 'x.db'), 'this is a text file, and it stays one'.repeat(100));
    expect(await folder.run(['audit', '--store', 'sqlite:x.db'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/not a SQLite database/),
    });
  });
});

test('every command has help with examples', async () => {
  await using folder = await new CliFolder();
  for (const { name } of COMMANDS) {
    const { code, out } = await folder.run([name, '--help']);
    expect(code, name).toBe(0);
    expect(out, name).toContain('Examples:');
    expect(out, name).toContain(`ticketscan ${name}`);
  }
  const { out } = await folder.run(['--help']);
  for (const { name, summary } of COMMANDS) {
    expect(out).toContain(name);
    expect(out.replace(/\s+/g, ' ')).toContain(summary);
  }
});

test('without a command: the help, and code 2', async () => {
  await using folder = await new CliFolder();
  expect(await folder.run([])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Tickets and events:'),
  });
});

test('HTTPS with a self-signed certificate that is kept', async () => {
  await using folder = await new CliFolder();
  const first = await folder.serve(['--tls-self-signed']);
  expect(first.url).toMatch(/^https:/);
  await first.stop();
  const second = await folder.serve(['--tls-self-signed']);
  const ca = readFileSync(join(folder.path, 'ticketscan.self-signed.cert.pem'), 'utf8');
  const status = await new Promise((resolve, reject) => {
    https
      .get(`${second.url}/healthz`, { ca }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject);
  });
  expect(status).toBe(200);
  await second.stop();
});

test('settings come from a configuration file, too', async () => {
  await using folder = await new CliFolder();
  writeFileSync(join(folder.path, 'ticketscan.config.json'), '{"store":"sqlite:./gate.db"}');
  await folder.run(['events', 'create', '--name', 'Pool']);
  expect(existsSync(join(folder.path, 'gate.db'))).toBe(true);
});
