import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../check/support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-verbosity-'));
const store = `sqlite:${join(folder, 'store.db')}`;
const config = join(folder, 'own.json');

beforeAll(async () => {
  writeFileSync(config, JSON.stringify({ store }));
  expect(await runCommand(['events', 'create', '--name', 'Pool', '--store', store])).toMatchObject({
    code: 0,
    stderr: `New store: ${join(folder, 'store.db')}\n`,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('--quiet leaves out messages, and keeps results', async () => {
  const create = ['keys', 'create', '--name', 'A', '--type', 'api', '--store', store];
  const { stdout, stderr } = await runCommand([...create, '--quiet']);
  expect(stdout).toContain('tscn_api_');
  expect(stderr).toBe('');
  const loud = await runCommand(create);
  expect(loud.stderr).toContain('Keep the value now');
  expect(await runCommand(['log', '--store', store, '--quiet'])).toEqual({
    stdout: '',
    stderr: '',
    code: 0,
  });
});

test('--quiet keeps errors, also in front of the command', async () => {
  const { stderr, code } = await runCommand([
    ...['--quiet', 'keys', 'disable', 'B', '--store', store],
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Unknown key "B"')]);
});

test('--verbose says what is read and how long it takes', async () => {
  const list = ['events', 'list', '--json'];
  const verbose = await runCommand([...list, '--verbose', '--config', config]);
  expect(verbose.stderr.split('\n')).toEqual([
    `Configuration file: ${config}`,
    `Setting store: from "store" in ${config}`,
    expect.stringMatching(`^Store: ${store}, opened in \\d+ ms$`),
    expect.stringMatching(/^Took \d+\.\d\d s\.$/),
    '',
  ]);
  expect(verbose.stdout).toBe((await runCommand([...list, '--store', store])).stdout);
});

test('--verbose never shows a token or a password', async () => {
  const token = 'tscn_pat_0000000000000000000000000000000000000';
  const { stderr } = await runCommand(['events', 'list', '--verbose'], {
    TICKETSCAN_URL: 'http://ada:secret@127.0.0.1:1',
    TICKETSCAN_TOKEN: token,
  });
  expect(stderr).toContain('Setting token: from TICKETSCAN_TOKEN');
  expect(stderr).toContain('Server: http://127.0.0.1:1');
  expect(stderr).not.toMatch(/secret|tscn_pat_0/);
});

test('a mistyped variable is named, others are left alone', async () => {
  const run = (env: Record<string, string>) =>
    runCommand(['events', 'list', '--store', store], env);
  const { stderr, code } = await run({ TICKETSCAN_STROE: 'sqlite:x.db', TICKETSCAN_GATE: 'a' });
  expect(code).toBe(0);
  expect(stderr).toBe(
    'The environment variable TICKETSCAN_STROE is not a setting. Did you mean TICKETSCAN_STORE?\n',
  );
});
