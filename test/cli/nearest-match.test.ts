import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../check/support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-nearest-'));
const STORE = ['--store', `sqlite:${join(folder, 'store.db')}`];
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(async () => {
  const create = ['--store', STORE[1] ?? '', '--quiet'];
  await runCommand(['events', 'create', '--name', 'Summer pool', ...create]);
  await runCommand(['keys', 'create', '--name', 'Gate 1', '--type', 'api', ...create]);
  await runCommand(
    ['accounts', 'create', '--name', 'ada', '--role', 'owner', '--password', 'env:PW', ...create],
    { PW: 'correct horse battery' },
  );
  await runCommand(
    ['webhooks', 'create', '--name', 'ERP', '--endpoint', 'https://erp.example.org', ...create],
    {},
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const SCENARIO = `
name: One
devices: { gate: {} }
cards: { card: { state: single } }
steps:
`;

test.each([
  ['a command', ['evnets', 'list'], '(Did you mean events?)'],
  ['an option', ['tickets', 'list', '--evnet', 'x'], '(Did you mean --event?)'],
  [
    'an option with its words in another order',
    ['organisations', 'edit', 'Default', '--max-keys', '5'],
    '(Did you mean --keys-max?)',
  ],
  ['a choice', ['mint', '--type', 'singel'], 'Did you mean "single"?'],
  ['a choice of an argument', ['completion', 'bahs'], 'Did you mean "bash"?'],
  ['a role', ['accounts', 'edit', 'ada', '--role', 'viewr', ...STORE], 'Did you mean "viewer"?'],
  ['an event', ['tickets', 'list', '--event', 'sumer pool', ...STORE], 'mean "Summer pool"?'],
  ['a key', ['keys', 'disable', 'Gate1', ...STORE], 'Did you mean "Gate 1"?'],
  ['an organisation', ['organisations', 'edit', 'Defualt', ...STORE], 'Did you mean "Default"?'],
  ['an account', ['accounts', 'edit', 'adda', '--role', 'viewer', ...STORE], 'mean "ada"?'],
  ['a webhook', ['webhooks', 'test', 'EPR', ...STORE], 'Did you mean "ERP"?'],
  [
    'an event of webhooks',
    ['webhooks', 'edit', 'ERP', '--events', 'scan.grantet', ...STORE],
    'Unknown event "scan.grantet": Choose at least one event. Did you mean "scan.granted"?',
  ],
  ['a file format', ['mint', '--event', 'x', '--format', 'pgn', ...STORE], 'mean "png"?'],
  [
    'a column',
    ['tickets', 'import', file('a.csv', 'a\n'), '--columns', 'firstNmae=a', ...STORE],
    'mean "firstName"?',
  ],
  ['a case', ['check', '--list', '--only', '3.2/single-only-onc'], '3.2/single-only-once'],
  ['a case to skip', ['check', '--list', '--skip', 'single-only-once'], 'Did you mean "3.2/single'],
  ['a case to explain', ['check', '--explain', '3.2/single-only-onc'], '-only-once"?'],
  ['a device', ['simulate', 'virtual:', '--card', 'x', '--model', 'bas'], 'Did you mean "bas-ip"?'],
  ['a fault', ['simulate', 'virtual:', '--faults', 'rest=0.1'], 'Did you mean "reset"?'],
  [
    'a threshold',
    ['simulate', 'virtual:', '--card', 'x', '--expect', 'eror=0'],
    'Did you mean "errors"?',
  ],
  [
    'a step',
    ['simulate', 'virtual:', '--scenario', file('a.yaml', `${SCENARIO}  - presnt: card\n`)],
    'Did you mean "present"?',
  ],
  [
    'a member of a step',
    [
      ...['simulate', 'virtual:', '--scenario'],
      file('b.yaml', `${SCENARIO}  - present: card\n    at: gate\n    exepct: {}\n`),
    ],
    '"exepct" is unknown here. Did you mean "expect"?',
  ],
  [
    'a device of a scenario',
    ['simulate', 'virtual:', '--scenario', file('c.yaml', `${SCENARIO}  - powerOff: gaet\n`)],
    'Did you mean "gate"?',
  ],
  [
    'a setting of the configuration file',
    ['events', 'list', '--config', file('a.json', '{"stroe": "memory:"}')],
    'Did you mean "store"?',
  ],
  ['the value of a setting', ['serve', '--log-level', 'debgu'], 'Did you mean "debug"?'],
] as const)(
  'the message for %s that does not exist names the nearest',
  async (_, args, message) => {
    const { code, stderr } = await runCommand(args);
    expect(stderr).toContain(message);
    expect([code, stderr]).toEqual([2, expect.not.stringMatching(/^ {4}at /m)]);
  },
);

test('without anything near, nothing is suggested', async () => {
  const { stderr } = await runCommand(['tickets', 'list', '--event', 'Christmas', ...STORE]);
  expect(stderr).toContain('Unknown event "Christmas". Choose from:');
});
