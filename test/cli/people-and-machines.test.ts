import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-people-'));
const STORE = ['--store', `sqlite:${join(folder, 'store.db')}`];
let zone: string | undefined;

// The program keeps the clock of the zone that it first showed: this file and the next one load it anew.
vi.resetModules();
const { shownTime } = await import('../../src/core/time-zone.ts');
const { runCommand } = await import('../check/support/run-command.ts');
const run = (...args: string[]) => runCommand([...args, ...STORE], { PW: 'correct horse battery' });

beforeAll(async () => {
  zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  await run('organisations', 'create', '--name', 'Lido');
  await run('events', 'create', '--name', 'Pool');
  const accounts = ['accounts', 'create', '--name', 'north', '--role', 'scanner', '--events'];
  await run(...accounts, 'Pool', '--password', 'env:PW');
  await run('mint', '--event', 'Pool', '--valid-until', '2027-09-30T18:00:00Z');
  await run('keys', 'create', '--name', 'A', '--type', 'api', '--events', 'Pool');
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
  vi.resetModules();
  rmSync(folder, { recursive: true });
});

test('people read local times and names, machines UTC and ids', async () => {
  const { stdout } = await run('tickets', 'list');
  expect(stdout).toMatch(
    /^ID +EVENT +TYPE .* VALID UNTIL\ntkt_\w+ +Pool +single .* 2027-09-30 14:00:00\n$/,
  );
  const [ticket] = JSON.parse((await run('tickets', 'list', '--json')).stdout);
  expect(ticket.validUntil).toBe('2027-09-30T18:00:00.000Z');
  const [key] = JSON.parse((await run('signing-keys', 'list', '--json')).stdout);
  expect((await run('signing-keys', 'list')).stdout).toContain(
    shownTime(key.createdAt, 'America/New_York'),
  );
});

test.each([
  [['accounts', 'list'], /Pool \(\w{6}\) +Lido \(org_\w{10}\) +never/],
  [['events', 'list'], /Pool +Lido \(org_\w{10}\)/],
  [['keys', 'list'], /Pool \(\w{6}\)/],
  [['tickets', 'list'], / Pool /],
])('%j names what it refers to', async (args, text) => {
  expect((await run(...args)).stdout).toMatch(text);
  expect((await run(...args, '--json')).stdout).not.toMatch(text);
});

test('a second key or webhook of one name is pointed out', async () => {
  const key = await run('keys', 'create', '--name', 'A', '--type', 'api');
  expect(key.stderr).toMatch(
    /^Another key \(key_\w{10}\) is named "A" too: in commands, give the id/,
  );
  const webhook = ['webhooks', 'create', '--name', 'W', '--endpoint', 'https://w.example.org'];
  expect((await run(...webhook)).stderr).not.toContain('Another');
  expect((await run(...webhook)).stderr).toMatch(/^Another webhook \(wh_\w{10}\) is named "W" too/);
});

test.each([
  ['accounts', 'create', '--name', 'x', '--role', 'owner', '--password', 'env:PW'],
  ['webhooks', 'create', '--name', 'x', '--endpoint', 'https://w.example.org'],
  ['events', 'create', '--name', 'x'],
  ['keys', 'create', '--name', 'x', '--type', 'api'],
  ['stats'],
])('with two organisations, "%s %s" asks for one', async (...args) => {
  await run('organisations', 'create', '--name', 'Other');
  const { code, stderr } = await run(...args);
  expect(stderr).toMatch(
    /^ticketscan: Which organisation\? Add --organisation NAME\. Choose from:/,
  );
  expect(code).toBe(2);
});
