import { lstatSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { CliFolder } from '../support/cli.ts';

const PARALLEL = 4;

interface Key {
  readonly id: string;
  readonly state: string;
}

test('rotations at the same time lose no key, and none brings a retired one back', async () => {
  await using folder = await withKeyring();
  const [first] = (await folder.json(['signing-keys', 'rotate', '--format', 'TS1'])) as Key[];
  const retire = ['signing-keys', 'retire', first?.id ?? '', '--yes'];
  const before: Key[] = await folder.json(['signing-keys', 'list']);

  const rotations = Array.from({ length: PARALLEL }, () =>
    folder.json(['signing-keys', 'rotate', '--format', 'TS1']),
  );
  const [retired, ...shown] = await Promise.all([folder.run(retire), ...rotations]);
  const after: Key[] = await folder.json(['signing-keys', 'list']);

  expect(retired.code, retired.err).toBe(0);
  expect(after).toHaveLength(before.length + PARALLEL);
  const ids = after.map(({ id }) => id);
  for (const keys of shown as Key[][]) expect(ids).toContain(keys.at(-1)?.id);
  expect(after.find(({ id }) => id === first?.id)?.state).toBe('retired');
  expect(after.filter(({ state }) => state === 'active')).toHaveLength(2);
});

test('commands that start together on a new store make one keyring, and all their codes are genuine', async () => {
  await using folder = new CliFolder();
  const { id } = await folder.json(['events', 'create', '--name', 'Pool']);
  const mint = ['mint', '--event', id, '--format', 'txt', '--out'];

  const minted = await Promise.all(
    Array.from({ length: PARALLEL }, (_, index) => folder.run([...mint, `tickets-${index}`])),
  );

  expect(minted.map(({ code, err }) => (code === 0 ? 0 : err))).toEqual(Array(PARALLEL).fill(0));
  expect(await folder.json(['signing-keys', 'list'])).toHaveLength(2);
});

test('a keyring behind a link is changed where it lies', async () => {
  await using folder = await withKeyring();
  const path = join(folder.path, 'ticketscan.keyring.json');
  renameSync(path, join(folder.path, 'real.json'));
  symlinkSync('real.json', path);

  const after: Key[] = await folder.json(['signing-keys', 'rotate', '--format', 'TS1']);

  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(await folder.json(['signing-keys', 'list', '--keyring', 'real.json'])).toEqual(after);
});

test('a retired key is reinstated: its tickets verify again, it signs none, and the audit log tells it', async () => {
  await using folder = await withKeyring();
  const [first]: Key[] = await folder.json(['signing-keys', 'list']);
  const id = first?.id ?? '';
  await folder.run(['signing-keys', 'rotate']);
  await folder.run(['signing-keys', 'retire', id, '--yes']);

  const after: Key[] = await folder.json(['signing-keys', 'reinstate', id]);
  const again = await folder.run(['signing-keys', 'reinstate', id]);

  expect(after.find((key) => key.id === id)?.state).toBe('verify-only');
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('is not retired')]);
  const store = await openStore(`sqlite:${join(folder.path, 'ticketscan.db')}`);
  const [entry] = await store.readAuditLog({ limit: 1 });
  await store.close();
  expect(entry).toMatchObject({ act: 'signing-key.reinstate', subject: id });
});

async function withKeyring(): Promise<CliFolder> {
  const folder = new CliFolder();
  const { id } = await folder.json(['events', 'create', '--name', 'Pool']);
  await folder.run(['mint', '--event', id]);
  return folder;
}
