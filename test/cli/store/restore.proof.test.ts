import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameForReplaced } from '../../../src/stores/replaced-files.ts';
import { CliFolder, consume, type RunningServe, type Target, targetOf } from '../../support/cli.ts';
import { InProcess } from '../../support/in-process.ts';

/** A store with a backup, and a server that took uses after it. */
async function withBackup(
  folder: CliFolder,
  uses: number,
): Promise<{ target: Target; server: RunningServe }> {
  await folder.run(['seed', '--count', '3', '--out', 'target.json']);
  await folder.run(['store', 'backup', 'backup.db']);
  const target = targetOf(readFileSync(`${folder.path}/target.json`, 'utf8'));
  const server = await folder.serve();
  for (const code of target.tickets['single']?.slice(0, uses) ?? []) {
    const answer = await consume(server.url, target.keys['rest'] ?? '', code);
    expect(answer.status).toBe('consumed');
  }
  return { target, server };
}

function replacedIn(folder: CliFolder): string[] {
  return readdirSync(folder.path).filter((name) => name.includes('.replaced-'));
}

test('a backup takes the place of the store, says how many uses are forgotten, and keeps the old one', async () => {
  await using folder = new CliFolder();
  const { target, server: running } = await withBackup(folder, 2);
  const refused = await folder.run(['store', 'restore', 'backup.db', '--yes']);
  await running.stop();
  const before = await folder.json(['audit']);
  const asked = await folder.run(['store', 'restore', 'backup.db']);
  const untouched = [await folder.json(['audit']), replacedIn(folder)];
  const done = await folder.json(['store', 'restore', 'backup.db', '--yes']);

  expect(asked.code).toBe(2);
  expect(asked.err).toMatch(/2 later uses are forgotten: .* Add --yes to do it/s);
  expect(refused).toMatchObject({
    code: 3,
    err: expect.stringMatching(/is in use. Stop every program/),
  });
  expect(untouched).toEqual([before, []]);
  expect(done).toMatchObject({
    forgottenUses: 2,
    scans: before.scans - 2,
    tickets: before.tickets,
  });
  expect(readdirSync(folder.path).filter((name) => /\.tmp/u.test(name))).toEqual([]);
  expect(statSync(`${folder.path}/ticketscan.db`).mode & 0o777).toBe(0o600);
  expect(await folder.json(['audit', '--store', `sqlite:${done.replaced}`])).toEqual(before);

  const server = await folder.serve();
  const again = target.tickets['single']?.[0] ?? '';
  expect(await consume(server.url, target.keys['rest'] ?? '', again)).toMatchObject({
    status: 'consumed',
  });
});

test('stores that are replaced in the same second are numbered from 2 on', async () => {
  await using folder = new CliFolder();
  const names = [1, 2, 3].map(() => {
    const name = nameForReplaced(join(folder.path, 'a.db'), 0);
    writeFileSync(name, '');
    return name.slice(folder.path.length + 1);
  });

  const first = 'a.db.replaced-19700101T000000Z';
  expect(names).toEqual([first, `${first}-2`, `${first}-3`]);
});

test('a damaged store is replaced; its write-ahead log never gets into the new one', async () => {
  await using folder = new InProcess();
  await folder.run('seed --count 1');
  await folder.run('store backup backup.db');
  const before = await folder.json('audit --store sqlite:./backup.db');
  writeFileSync(`${folder.path}/ticketscan.db`, 'broken '.repeat(2000));
  writeFileSync(`${folder.path}/ticketscan.db-wal`, 'and this');

  const done = await folder.json('store restore backup.db --yes');

  expect(done.forgottenUses).toBe(null);
  expect(readFileSync(`${done.replaced}-wal`, 'utf8')).toBe('and this');
  expect(existsSync(`${folder.path}/ticketscan.db-wal`)).toBe(false);
  expect(await folder.json('audit')).toEqual(before);
});

test('a JSON store is restored into an empty place, and over a store', async () => {
  await using folder = new InProcess();
  await folder.run('seed --count 1 --store json:./old.json');
  for (const end of ['', '.db'])
    copyFileSync(`${folder.path}/old.json${end}`, `${folder.path}/b.json${end}`);

  const empty = await folder.json('store restore b.json --yes --store json:./new.json');
  await folder.run('events create --name Later --store json:./old.json');
  const over = await folder.json('store restore b.json --yes --store json:./old.json');

  expect(empty).toMatchObject({ forgottenUses: 0, replaced: null });
  expect(over.forgottenUses).toBe(0);
  const audit = await folder.json('audit --store json:./b.json');
  for (const url of ['json:./new.json', 'json:./old.json'])
    expect(await folder.json(['audit', '--store', url])).toEqual(audit);
});
