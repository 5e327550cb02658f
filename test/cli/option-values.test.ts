import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSecretValue } from '../../src/terminal/options.ts';

const io = { env: { CODE: 'from-environment' } };

test('a value is taken as it is, from the environment, or from a file without its line end', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'secret-')), 'code');
  writeFileSync(file, 'from-file\n');
  expect(readSecretValue('plain', io)).toBe('plain');
  expect(readSecretValue('env:CODE', io)).toBe('from-environment');
  expect(readSecretValue(`file:${file}`, io)).toBe('from-file');
});

test('a place that holds nothing is named', () => {
  expect(() => readSecretValue('env:NONE', io)).toThrow(/NONE is not set/);
  expect(() => readSecretValue('file:/nowhere/x', io)).toThrow(/\/nowhere\/x cannot be read/);
});
