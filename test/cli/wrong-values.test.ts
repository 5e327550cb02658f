import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../check/support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-wrong-'));
const STORE = ['--store', `sqlite:${join(folder, 'store.db')}`];

let ticketId = '';

beforeAll(async () => {
  await runCommand(['events', 'create', '--name', 'Pool', ...STORE]);
  const { stdout } = await runCommand(['mint', '--event', 'Pool', '--json', ...STORE]);
  ticketId = JSON.parse(stdout)[0].ticketId;
});
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = ['keys', 'create', '--name', 'x', '--type', 'hardware'];
const COUNTS = [
  [['tickets', 'list'], '--limit'],
  [['log'], '--limit'],
  [['log'], '--after'],
  [['seed'], '--count'],
  [['mint', '--event', 'Pool'], '--count'],
  [['mint', '--event', 'Pool'], '--uses'],
  [['mint', '--event', 'Pool'], '--scale'],
  [['organisations', 'edit'], '--rate'],
  [['organisations', 'edit'], '--burst'],
  [['organisations', 'edit'], '--quota'],
  [['organisations', 'edit'], '--keys-max'],
  [KEY, '--open-seconds'],
] as const;
const NO_NUMBERS = ['', 'nope', '-1', '2,5', '1e3', '0x3', ' 2 ', 'NaN', '99999999999999999999'];

test.each(COUNTS)('%j takes only a number as %s', async (command, option) => {
  for (const value of NO_NUMBERS) {
    const { code, stdout, stderr } = await runCommand([...command, `${option}=${value}`, ...STORE]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      new RegExp(`^ticketscan: ${option} must be a (whole )?number .*, not "`),
    );
    expect(stderr).toContain(`not "${value}"`);
  }
});

test.each([
  [['tickets', 'list'], '--after'],
  [['log'], '--ticket'],
])('%j takes only a ticket as %s', async (command, option) => {
  for (const value of ['', 'nope', 'tkt_', '17', 'tkt_ab12cd_0123']) {
    const { code, stdout, stderr } = await runCommand([...command, `${option}=${value}`, ...STORE]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^ticketscan: ${option} must be a ticket: its id`));
  }
  const printed = ticketId.replace(/[a-z0-9]{5}(?=([a-z0-9]{5})*$)/g, ' $&');
  expect(printed).toMatch(/^tkt_[a-z0-9]{6}_( [a-z0-9]{5}){4}$/);
  expect((await runCommand([...command, option, printed, ...STORE])).code).toBe(0);
});

test.each([
  [['keys', 'create', '--name', 'x', '--type', 'api'], '--expires'],
  [['log'], '--from'],
  [['log'], '--to'],
  [['log', 'prune'], '--before'],
  [['explain', 'x'], '--at'],
  [['stats'], '--from'],
  [['stats'], '--to'],
  [['mint', '--event', 'Pool'], '--valid-from'],
  [['mint', '--event', 'Pool'], '--valid-until'],
  [['tickets', 'edit', 'TICKET'], '--valid-until'],
])('%j names %s when its value is no time', async (command, option) => {
  for (const value of ['', 'nope', '2027-02-30', '99999999999999999999']) {
    const args = command.map((word) => (word === 'TICKET' ? ticketId : word));
    const { code, stderr } = await runCommand([...args, `${option}=${value}`, ...STORE]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${option}: "${value}"`)]);
  }
});

test.each([
  ['--columns', 'type=Art'],
  ['--event-map', 'VIP=Pool'],
  ['--type-map', 'VIP=single'],
  ['--ignore-columns', 'Seat'],
])('mint without a list refuses %s, which would do nothing', async (option, value) => {
  const { code, stderr } = await runCommand(['mint', '--event', 'Pool', option, value, ...STORE]);
  expect([code, stderr]).toEqual([
    2,
    `ticketscan: ${option} is about a list: add --from-csv FILE.\n`,
  ]);
});

test.each([
  [['mint', '--event', 'Pool', '--sheet', 'a4'], '--sheet is for files in the format pdf'],
  [['mint', '--event', 'Pool', '--line', 'x', '--format', 'png', '--out', folder], '--line is for'],
  [['mint', '--event', 'Pool', '--excel'], '--excel is for files in the format csv'],
  [['tickets', 'export', '--excel', '--format', 'jsonl'], '--excel is for files in the format csv'],
  [['tickets', 'export', '--out', 'x.xlsx'], 'name the file .csv or .jsonl, not x.xlsx'],
  [['log', '--from', '2027-02-02', '--to', '2027-02-01'], '--from 2027-02-02 is after --to'],
  [['mint', '--event', 'Pool', '--scale', '0'], '--scale must be a whole number from 2 to 64'],
  [['keys', 'create', '--name', 'x', '--type', 'api', '--relay', 'in'], 'use --type hardware'],
  [[...KEY, '--device', ''], '--device needs the name of a device file'],
  [['keys', 'edit', 'x', '--device', ' '], '--device needs the name of a device file'],
  [['log', 'prune', '--older-than', '90d'], "unknown option '--older-than'"],
  [['log', 'prune'], 'Add --before TIME.'],
])('%j is told what would change nothing, or is missing', async (command, message) => {
  const { code, stdout, stderr } = await runCommand([...command, ...STORE]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test.each([
  [['log']],
  [['stats']],
  [['keys', 'list']],
  [['events', 'list']],
  [['tickets', 'list']],
  [['tickets', 'show', 'tkt_ab12cd_0123456789abcdefghij']],
  [['tickets', 'export']],
])('%j makes no store where none is', async (command) => {
  const path = join(folder, 'nowhere.db');
  const { code, stdout, stderr } = await runCommand([...command, '--store', `sqlite:${path}`]);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('No store exists at sqlite:');
  expect(existsSync(path)).toBe(false);
});

test('an address of another machine is told apart from plain HTTP on the network', async () => {
  const { code, stderr } = await runCommand(['serve', '--host', '300.1.1.1', ...STORE]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^ticketscan: --host 300\.1\.1\.1 is not an address of this machine\./);
});
