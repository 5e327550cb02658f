import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = 'src/check';

/** The rooms of the checker from the bottom up: each may use those before it, and none after it. */
const ROOMS = [
  ...['specification', 'time', 'facts', 'deployment', 'pace', 'requests', 'key-changes', 'law'],
  ...['cases', 'requirement-sets', 'results', 'stimuli', 'judging', 'reports', 'samples'],
  ...['planning', 'rates', 'device', 'sections', 'run', 'explore', 'commands'],
];

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join(ROOT, file));

const roomOf = (file: string): string => relative(ROOT, file).split('/')[0] ?? '';

/** The files of the checker that a file imports. */
function importedBy(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g)]
    .map(([, from, later]) => join(dirname(file), from ?? later ?? ''))
    .filter((target) => target.startsWith(`${ROOT}/`));
}

test('every folder of the checker has its place among the rooms', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.toSorted()).toEqual(ROOMS.toSorted());
});

test('no room uses one above it', () => {
  const upwards = files.flatMap((file) => {
    const place = ROOMS.indexOf(roomOf(file));
    // What the package exports stands above the rooms, and the commands use that.
    const isBelow = (target: string) =>
      target === `${ROOT}/index.ts`
        ? roomOf(file) === 'commands'
        : ROOMS.slice(0, place + 1).includes(roomOf(target));
    return importedBy(file)
      .filter((target) => place >= 0 && !isBelow(target))
      .map((target) => `${file} -> ${target}`);
  });
  expect(files.flatMap(importedBy).length).toBeGreaterThan(500);
  expect(upwards).toEqual([]);
});
