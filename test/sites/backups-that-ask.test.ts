import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOfEvent } from '../../src/features/sites/site-records.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { InProcess } from '../support/in-process.ts';
import { CentreHere } from './support.ts';

test('a backup of a centre asks its sites by itself: somebody may put it in place by hand', async () => {
  await using folder = new InProcess();
  await using centre = await CentreHere.open();
  await centre.token('North');
  const store = `sqlite:${join(centre.folder, 'centre.db')}`;
  const file = join(folder.path, 'backup.db');
  const made = await folder.run(['store', 'backup', file, '--store', store]);
  expect(made.code, made.err).toBe(0);

  const backup = await openStore(`sqlite:${file}`);
  const { home } = await homeOfEvent(backup, centre.event.id);
  const { problems } = await backup.verify();
  await backup.close();
  expect([home.at, problems]).toEqual(['asking', []]);
  expect((await homeOfEvent(centre.store, centre.event.id)).home.at).toBe('centre');
});

test('the store of a centre is not copied into a document, in which no centre can be', async () => {
  await using folder = new InProcess();
  await using centre = await CentreHere.open();
  const store = `sqlite:${join(centre.folder, 'centre.db')}`;
  const copy = (name: string) =>
    folder.run(['store', 'copy', store, `json:${join(folder.path, name)}`]);
  expect((await copy('before.json')).code).toBe(0);

  await centre.token('North');
  const { code, err } = await copy('after.json');
  expect(code).not.toBe(0);
  expect(err).toContain('A centre needs a SQLite or PostgreSQL store');
});
