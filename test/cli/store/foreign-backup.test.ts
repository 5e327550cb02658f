import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readStoredKeys } from '../../../src/config/keyring-file.ts';
import { InProcess } from '../../support/in-process.ts';

const FOREIGN = {
  trigger: 'CREATE TRIGGER spend AFTER INSERT ON event BEGIN DELETE FROM ticket; END',
  view: 'CREATE VIEW theirs AS SELECT * FROM ticket',
};

test.each(Object.entries(FOREIGN))(
  'a backup with a %s of somebody else is refused, and nothing changes',
  async (kind, sql) => {
    await using folder = new InProcess();
    await folder.run('seed --count 1');
    await folder.run('store backup backup.db');
    const before = readFileSync(join(folder.path, 'ticketscan.db'));
    const database = new DatabaseSync(join(folder.path, 'backup.db'));
    database.exec(sql);
    database.close();
    const { code, err } = await folder.run('store restore backup.db --yes');
    expect(code).not.toBe(0);
    expect(err).toContain(`it has a ${kind}`);
    expect(readFileSync(join(folder.path, 'ticketscan.db'))).toEqual(before);
  },
);

test('a keyring of many megabytes is refused before it is read', async () => {
  await using folder = new InProcess();
  const path = join(folder.path, 'large.json');
  writeFileSync(path, `{"version":1,"keys":[${'{},'.repeat(600_000)}{}]}`, { mode: 0o600 });
  expect(() => readStoredKeys(path)).toThrow(/no keyring is as large/);
});
