import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTemporary } from '../../src/stores/file-guards.ts';
import { whileLocked } from '../../src/stores/file-lock.ts';
import { temporaryName, writeAtomically } from '../../src/tickets/files.ts';
import { InProcess } from '../support/in-process.ts';

let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-links-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(['missing', 'empty', 'full'])(
  'a lock is not made through a link to a %s file',
  (kind) => {
    const [target, file] = [path(`${kind}.target`), path(`${kind}.json`)];
    if (kind !== 'missing') writeFileSync(target, kind === 'full' ? 'of somebody else' : '');
    symlinkSync(target, `${file}.lock`);
    expect(() => whileLocked(file, () => {})).toThrow(/is a link/);
    expect(existsSync(target)).toBe(kind !== 'missing');
    if (kind === 'full') expect(readFileSync(target, 'utf8')).toBe('of somebody else');
  },
);

test('keys are not rotated through a link in place of the lock', async () => {
  await using place = new InProcess();
  await place.run('seed --count 1');
  const target = join(place.path, 'nologin');
  rmSync(join(place.path, 'ticketscan.keyring.json.lock'), { force: true });
  symlinkSync(target, join(place.path, 'ticketscan.keyring.json.lock'));
  expect((await place.run('signing-keys rotate')).code).not.toBe(0);
  expect(existsSync(target)).toBe(false);
});

test('a file that grows under a name that can be guessed does not grow elsewhere', async () => {
  const [target, result] = [path('elsewhere'), path('tickets.csv')];
  symlinkSync(target, temporaryName(result));
  await writeAtomically(result, async (stream) => stream.write('names'));
  expect(existsSync(target)).toBe(false);
  expect(readFileSync(result, 'utf8')).toBe('names');
});

test('neither does a copy of a store', () => {
  const [target, copy] = [path('other'), path('.store.db.1.tmp')];
  symlinkSync(target, copy);
  createTemporary(copy);
  expect(existsSync(target)).toBe(false);
  expect(lstatSync(copy).isFile()).toBe(true);
});
