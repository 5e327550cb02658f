import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeForAll, writeForOwner } from '../../src/kit/files.ts';
import { CliFolder } from '../support/cli.ts';

/** A user without a name on this machine: files know only the numbers. */
const SERVICE = 61_234;

/** Only root may give files to other users. The CI runs as root, so that the tests must run there. */
const asRoot = test.runIf(process.geteuid?.() === 0 || process.env['CI'] === 'true');

/** The files of a folder with owner, group and mode. */
function filesIn(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const { uid, gid, mode } = statSync(join(folder, name));
    return `${name} ${uid}:${gid} ${(mode & 0o777).toString(8)}`;
  });
}

function ofTheService(...names: readonly string[]): string[] {
  return names.map((name) => `${name} ${SERVICE}:${SERVICE} 600`);
}

async function folderOfTheService(): Promise<CliFolder> {
  const folder = new CliFolder();
  chownSync(folder.path, SERVICE, SERVICE);
  return folder;
}

asRoot(
  'commands that root runs on a store leave its files to the owner of the folder',
  async () => {
    await using folder = await folderOfTheService();
    const keyring = 'ticketscan.keyring.json';

    await folder.json(['organisations', 'create', '--name', 'Pool']);
    await folder.json(['keys', 'create', '--name', 'Gate', '--type', 'hardware']);
    const server = await folder.serve();
    await folder.json(['signing-keys', 'rotate']);
    await folder.json(['store', 'backup', 'backup.db']);
    const found = filesIn(folder.path);
    await server.stop();

    const store = ['ticketscan.db', 'ticketscan.db-shm', 'ticketscan.db-wal'];
    expect(found).toEqual(ofTheService('backup.db', ...store, keyring, `${keyring}.lock`));
  },
);

asRoot('a json store that root creates and writes belongs to the owner of the folder', async () => {
  await using folder = await folderOfTheService();

  await folder.json(['organisations', 'create', '--name', 'Pool', '--store', 'json:./gate.json']);

  expect(filesIn(folder.path)).toEqual(ofTheService('gate.json', 'gate.json.db', 'gate.json.lock'));
});

asRoot('a link in the folder of another user does not make root give a file away', async () => {
  await using folder = await folderOfTheService();
  const ofRoot = join(mkdtempSync(join(tmpdir(), 'of-root-')), 'secret');
  writeFileSync(ofRoot, '');
  symlinkSync(ofRoot, join(folder.path, 'link'));

  writeForOwner(join(folder.path, 'link'), 'text');
  writeForOwner(join(folder.path, 'file'), 'text');

  expect(statSync(ofRoot).uid).toBe(0);
  expect(statSync(join(folder.path, 'file')).uid).toBe(SERVICE);
});

asRoot('a device such as /dev/null keeps its mode', async () => {
  await using folder = await folderOfTheService();
  const device = join(folder.path, 'null');
  execFileSync('mknod', ['--mode', '666', device, 'c', '1', '3']);

  writeForAll(device, 'text');
  writeForOwner(device, 'text');

  expect(statSync(device).mode & 0o777).toBe(0o666);
});
