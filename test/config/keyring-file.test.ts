import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeyring, readKeyring } from '../../src/config/keyring-file.ts';
import { makeTicketCode, verifyTicketCode } from '../../src/core/ticket-code.ts';

const NOBODY = 65_534;
const newPath = () => join(mkdtempSync(join(tmpdir(), 'keyring-')), 'keyring.json');
const ID = 'tkt_abcdef_0123456789abcdefghij';

test('a new keyring is readable for its owner alone and signs both formats', () => {
  const path = newPath();
  createKeyring(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const keyring = readKeyring(path);
  for (const format of ['TS1', 'TS2'] as const) {
    expect(verifyTicketCode(makeTicketCode(ID, keyring, format), readKeyring(path))).toMatchObject({
      ticketId: ID,
    });
  }
});

test('a keyring that is there is left alone', () => {
  const path = newPath();
  createKeyring(path);
  const before = readFileSync(path, 'utf8');
  createKeyring(path);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a keyring that others may read is refused, with the command that mends it', () => {
  const path = newPath();
  createKeyring(path);
  chmodSync(path, 0o644);
  expect(() => readKeyring(path)).toThrow(`chmod 600 ${path}`);
});

test.each([
  ['no JSON', () => '{'],
  ['another version', (text: string) => text.replace('"version": 1', '"version": 2')],
  ['no keys', () => '{"version":1,"keys":[]}'],
  ['a cut secret', (text: string) => text.replace(/"secret": "[^"]{20}/, '"secret": "')],
])('a damaged keyring is refused: %s', (_name, damage) => {
  const path = newPath();
  createKeyring(path);
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  expect(() => readKeyring(path)).toThrow(/is damaged: .*Restore it from a backup/s);
});

test('a missing keyring is named', () => {
  expect(() => readKeyring('/nowhere/keyring.json')).toThrow(
    /\/nowhere\/keyring.json cannot be read: no such file or folder \(check the path\)\. .*restore it/,
  );
});

test('a folder is no keyring, whoever may read it', () => {
  const path = dirname(newPath());
  chmodSync(path, 0o755);
  expect(() => readKeyring(path)).toThrow(`${path} cannot be read: it is a folder`);
});

test('a keyring whose folder is missing is named, not the file that it is first written to', () => {
  expect(() => createKeyring('/nowhere/keyring.json')).toThrow(
    /^The keyring \/nowhere\/keyring.json cannot be written: no such file or folder \(check the path\)\. Check/,
  );
});

test('a keyring of another user is not called damaged', () => {
  const path = newPath();
  createKeyring(path);
  chmodSync(dirname(path), 0o755);
  chmodSync(path, 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    expect(() => readKeyring(path)).toThrow(
      /cannot be read: no permission to read or write it \(.*\)\. This is user \w+\. .*chown/,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
