import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../check/support/run-command.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-organisations-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  runCommand([...args, '--store', `sqlite:${join(folder, 'gate.db')}`], {
    PW: 'correct horse battery',
  });

async function account(name: string, organisation: string): Promise<void> {
  const who = ['--name', name, '--role', 'owner', '--organisation', organisation];
  const made = await run('accounts', 'create', ...who, '--password', 'env:PW');
  expect(made.code).toBe(0);
}

test('the accounts in the way of a deletion are named, and go with --with-accounts', async () => {
  await run('organisations', 'create', '--name', 'Pool');
  await run('organisations', 'create', '--name', 'Typo');
  await account('ada', 'Typo');

  const refused = await run('organisations', 'delete', 'Typo', '--yes');
  const last = await run('organisations', 'delete', 'Typo', '--with-accounts', '--yes');
  await account('bob', 'Pool');
  const asked = await run('organisations', 'delete', 'Typo', '--with-accounts');
  const done = await run('organisations', 'delete', 'Typo', '--with-accounts', '--yes');

  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('still has 1 account: ada (owner). Add --with-accounts'),
  ]);
  expect([last.code, last.stderr]).toEqual([
    2,
    expect.stringContaining('without these accounts nobody could sign in'),
  ]);
  expect(asked.stderr).toContain('is deleted permanently, with 1 account: ada (owner). Add --yes');
  expect([done.code, done.stderr]).toEqual([0, '']);
  const { stdout } = await run('accounts', 'list', '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'bob' }]);
});

test('a time zone is taken away again with none', async () => {
  await run('organisations', 'create', '--name', 'Pool', '--time-zone', 'Europe/Berlin');

  const edited = await run('organisations', 'edit', '--time-zone', 'none', '--json');
  const wrong = await run('organisations', 'edit', '--time-zone', 'Mars/Base');

  expect(JSON.parse(edited.stdout)).not.toHaveProperty('timeZone');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('is not a time zone')]);
});
