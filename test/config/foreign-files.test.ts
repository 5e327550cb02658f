import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';

/** How a file is somebody else's. Only root can give a file away. */
const FOREIGN: Readonly<Record<string, (path: string) => void>> = {
  'that all users may write': (path) => chmodSync(path, 0o666),
  ...(process.getuid?.() === 0 && {
    'of another user': (path: string) => chownSync(path, 65_534, 65_534),
    'that a group may write': (path: string) => {
      chmodSync(path, 0o664);
      chownSync(path, 0, 65_534);
    },
  }),
};
const ways = Object.entries(FOREIGN);

const folder = new InProcess();
const path = (name: string) => join(folder.path, name);
const received: string[] = [];
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(`${request.url} ${JSON.stringify(request.headers)}`);
    request.on('data', (bytes: Buffer) => received.push(bytes.toString()));
    request.on('end', () => response.writeHead(404).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(path('secret.txt'), 'of-this-user-only', { mode: 0o600 });
});
afterAll(async () => {
  server.close();
  await folder[Symbol.asyncDispose]();
});
beforeEach(() => {
  received.length = 0;
});

function foreign(name: string, value: unknown, make: (path: string) => void): string {
  writeFileSync(path(name), JSON.stringify(value));
  chmodSync(path(name), 0o644);
  if (process.getuid?.() === 0) chownSync(path(name), 0, 0);
  make(path(name));
  return name;
}

test.each(ways)('a configuration file %s is refused, with the reason', async (_, make) => {
  const config = { url, token: `file:${path('secret.txt')}` };
  const name = foreign('their.json', config, make);
  const { code, err } = await folder.run(['events', 'list', '--config', name]);
  expect(`${code} ${err}`).toMatch(/^2 .*their\.json is not used: .*(user|group)/s);
  const named = await folder.run('events list', { TICKETSCAN_CONFIG: name });
  expect(named.code).toBe(2);
  expect(received).toEqual([]);
});

test("the user's own configuration is read, and said in one line, but not to a program", async () => {
  foreign('own.json', { store: 'sqlite:./none.db' }, () => {});
  const { err } = await folder.run('events list --config own.json');
  expect(err.match(/Configuration file: own\.json/g)).toHaveLength(1);
  const json = await folder.run('events list --json --config own.json');
  expect(json.err).not.toContain('own.json');
});

/** Every command that reads a target file, and how it is told the address. */
const TARGET_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  check: ['check', '--target', 'FILE', '--timeout', '1s'],
  'check monitor': ['check', 'monitor', '--once', '--target', 'FILE', '--timeout', '1s'],
  'check explore': ['check', 'explore', '--budget', '10', '--target', 'FILE', '--timeout', '1s'],
  simulate: ['simulate', '--cards-from', 'FILE', '--duration', '1s', '--no-live'],
};
const targets = ways.flatMap((way) =>
  Object.entries(TARGET_COMMANDS).map(([name, line]) => [name, way[0], line, way[1]] as const),
);

const secrets = () => ({
  keys: { rest: `file:${path('secret.txt')}`, hardware: 'env:CI_TOKEN' },
  tickets: { single: ['TS1.tkt_a_b.c'] },
});
const CI = { CI_TOKEN: 'of-this-pipeline' };

test.each(targets)(
  '%s sends no secret to the address of a target file %s',
  async (_, __, line, make) => {
    const name = foreign('target.json', { baseUrl: url, ...secrets() }, make);
    const args = line.map((word) => word.replace('FILE', name));
    const { code, err } = await folder.run(args, CI);
    expect(code).toBe(2);
    expect(err).toMatch(/is not sent to the baseUrl of target\.json.*--trust-target/s);
    expect(received).toEqual([]);
  },
);

test.each(['check', 'check monitor', 'check explore'])(
  '%s refuses a file in place of a ticket code',
  async (name) => {
    writeFileSync(path('tls.key'), '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n');
    const target = {
      baseUrl: url,
      keys: { rest: 'tscn_api_x' },
      tickets: { single: [`file:${path('tls.key')}`] },
    };
    writeFileSync(path('odd.json'), JSON.stringify(target));
    const args = (TARGET_COMMANDS[name] ?? []).map((word) => word.replace('FILE', 'odd.json'));
    const { code, err } = await folder.run(args);
    expect(`${code} ${err}`).toMatch(
      /^2 .*(?:is not a ticket code|has a line end inside its value)/s,
    );
    expect(received).toEqual([]);
  },
);

test.each(ways)('with its address in the command a target file %s is used', async (_, make) => {
  const name = foreign('target.json', { baseUrl: 'http://127.0.0.1:1', ...secrets() }, make);
  await folder.run(['check', 'monitor', url, '--once', '--target', name], CI);
  expect(received.join()).toContain('of-this-user-only');
});

test.each(ways)('with --trust-target a target file %s is used', async (_, make) => {
  const name = foreign('target.json', { baseUrl: url, ...secrets() }, make);
  await folder.run(['check', 'monitor', '--trust-target', '--once', '--target', name], CI);
  expect(received.join()).toContain('of-this-user-only');
});

test.each(ways)('simulate sends its own key to no address of a file %s', async (_, make) => {
  const cards = { baseUrl: url, tickets: { single: ['TS1.tkt_a_b.c'] } };
  const name = foreign('target.json', cards, make);
  const args = ['simulate', '--cards-from', name, '--duration', '1s', '--no-live'];
  expect((await folder.run(args, { TICKETSCAN_KEY: 'tscn_hw_own' })).code).toBe(2);
  expect((await folder.run([...args, '--key', 'tscn_hw_own'])).code).toBe(2);
  expect(received).toEqual([]);
});
