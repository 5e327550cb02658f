import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Files of `src` that name `word`, except those below `others`. */
function filesThatName(word: string, ...others: string[]): string[] {
  const named = new RegExp(`\\b${word}\\b`);
  return globSync('src/**/*.{ts,tsx}')
    .filter((file) => !others.some((other) => file.startsWith(`src/${other}`)))
    .filter((file) => named.test(readFileSync(file, 'utf8')));
}

test('a field of a ticket is named in 16 files at most', () => {
  // What judges or plays a service knows tickets by itself; a rule and its explanation name what they decide by.
  const rules = ['core/decision', 'features/explain/', 'features/seed/seed'];
  const files = filesThatName('validUntil', 'check/', 'simulate/', ...rules);

  expect(files.length, files.join('\n')).toBeLessThanOrEqual(16);
});

test.each(['scan/devices', 'simulate/models'])(
  'a device model of %s is a file and an entry in a list',
  (room) => {
    const files = filesThatName('basIp').filter((file) => file.startsWith(`src/${room}/`));

    expect(files).toHaveLength(2);
  },
);
