import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { backupDatabase } from '../../src/stores/sqlite/backup.ts';
import { CliFolder } from '../support/cli.ts';

/** What a program makes without a thought is 0644 here, else these tests would hold for any program. */
beforeAll(() => expect(process.umask()).toBe(0o022));

/** Name and mode of every file of a folder. */
function modesIn(folder: string): Record<string, string> {
  const modes = readdirSync(folder).flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found ? [[name, (found.mode & 0o777).toString(8)]] : [];
  });
  return Object.fromEntries(modes);
}

test.each([
  ['sqlite', ['a', 'a-shm', 'a-wal']],
  ['json', ['a', 'a.db', 'a.db-shm', 'a.db-wal', 'a.lock']],
])(
  'the files of a new %s store are for their owner, also while it is open',
  async (engine, names) => {
    await using folder = new CliFolder();
    const store = await openStore(`${engine}:${join(folder.path, 'a')}`);
    try {
      await store.checkWritable();
      expect(modesIn(folder.path)).toEqual(Object.fromEntries(names.map((name) => [name, '600'])));
    } finally {
      await store.close();
    }
  },
);

test('so are a backup and the file in which it grows', async () => {
  await using folder = new CliFolder();
  const path = join(folder.path, 'a.db');
  const store = await openStore(`sqlite:${path}`);
  const seen = new Set<string>();
  let isOver = false;
  try {
    const [target, growing] = [join(folder.path, 'b.db'), join(folder.path, 'b.tmp')];
    const backup = backupDatabase(path, target, growing, () => undefined);
    const over = backup.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const [name, mode] of Object.entries(modesIn(folder.path))) seen.add(`${name} ${mode}`);
      await nextTurn();
    }
    await over;
  } finally {
    await store.close();
  }
  expect([...seen]).toContain('b.tmp 600');
  expect([...seen].filter((one) => !one.endsWith(' 600'))).toEqual([]);
  expect(modesIn(folder.path)).toEqual({ 'a.db': '600', 'b.db': '600' });
});

test('doctor and store info name old files that others can read, and the command that helps', async () => {
  await using folder = new CliFolder();
  await folder.run(['seed', '--count', '1']);
  expect((await folder.run(['doctor', '--port', '0'])).out).not.toContain('chmod');
  expect((await folder.run(['store', 'info'])).err).toBe('');
  const path = join(folder.path, 'ticketscan.db');
  chmodSync(path, 0o640);
  const { findings } = await folder.json(['doctor', '--port', '0']);
  expect(findings).toContainEqual({
    check: 'store',
    outcome: 'warning',
    finding: expect.stringContaining(path),
    advice: expect.stringContaining(`chmod 600 ${path}`),
  });
  expect((await folder.run(['store', 'info'])).err).toContain(`chmod 600 ${path}`);
});

test('files with keys or codes are for their owner, also over an old file that was not', async () => {
  await using folder = new CliFolder();
  writeFileSync(join(folder.path, 'target.json'), '{"a":{"b":1}}');
  chmodSync(join(folder.path, 'target.json'), 0o644);
  const { url } = await folder.serve();
  const again = ['seed', '--count', '1', '--out', 'target.json', '--force'];
  expect((await folder.run(again)).code).toBe(0);
  const report = ['--only', '4.1', '--report', 'json=report.json'];
  await folder.run(['check', url, '--target', 'target.json', ...report]);
  await folder.run(['tickets', 'export', '--out', 'tickets.csv']);
  const modes = modesIn(folder.path);
  expect(modes).toMatchObject({ 'tickets.csv': '600', 'target.json': '600', 'report.json': '600' });
  expect(Object.values(modes).filter((mode) => mode !== '600')).toEqual([]);
});

test('so is a store that is made through a link', async () => {
  await using folder = new CliFolder();
  symlinkSync('real.db', join(folder.path, 'link.db'));
  const store = await openStore(`sqlite:${join(folder.path, 'link.db')}`);
  await store.close();
  expect(statSync(join(folder.path, 'real.db')).mode & 0o777).toBe(0o600);
});
