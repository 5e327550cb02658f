import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder, writeAtomically } from '../../src/tickets/files.ts';
import { writePieces } from '../../src/tickets/lists/write-lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function* lines(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield `line ${index}\n`;
}

test('a file has its name when it is complete, and is readable for its owner alone', async () => {
  const path = join(folder, 'whole.csv');
  writeFileSync(path, 'older');

  await writeAtomically(path, async (stream) => {
    await writePieces(stream, lines(50_000));
    expect(readFileSync(path, 'utf8')).toBe('older');
  });

  expect(readFileSync(path, 'utf8')).toBe([...lines(50_000)].join(''));
  expect(readdirSync(folder)).toEqual(['whole.csv']);
});

test('a file that is given up leaves the older one and nothing else', async () => {
  const path = join(folder, 'given-up.csv');
  writeFileSync(path, 'older');

  const writing = writeAtomically(path, async (stream) => {
    await writePieces(stream, lines(50_000));
    throw new Error('stopped');
  });

  await expect(writing).rejects.toThrow('stopped');
  expect(readFileSync(path, 'utf8')).toBe('older');
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a file that cannot be made is told, however much is to be written', async () => {
  writeFileSync(join(folder, 'in-the-way'), '');
  const path = join(folder, 'in-the-way', 'x.csv');

  const writing = writeAtomically(path, (stream) => writePieces(stream, lines(50_000)));

  await expect(writing).rejects.toThrow(
    `${path}: a part of its path is not a folder (check the path).`,
  );
});

test('a folder is made with those above it; a file in its place and one that cannot be made are told', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  mkdirSync(join(folder, 'half'));

  makeFolder(join(folder, 'half', 'way', 'down'));

  expect(readdirSync(join(folder, 'half', 'way'))).toEqual(['down']);
  expect(() => makeFolder(file)).toThrow('is a file, not a folder');
  expect(() => makeFolder(join(file, 'below'))).toThrow('is a file, not a folder');
});
