import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };

/** Each entry of the package, and what it imports before it runs. */
const ENTRIES = Object.values(packageFile.exports).flatMap((entry) =>
  typeof entry === 'object' ? [entry.default] : [],
);
const STATIC_IMPORT = /\b(?:import|from)\s*["']([^"']+)["']/g;

/** What a file imports before its first line runs. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)].map(([, name = '']) => name);

/** The files that an entry imports before it runs, with itself. */
function filesOf(entry: string): ReadonlySet<string> {
  const files = new Set([join(entry)]);
  // A set visits what is added while it is walked.
  for (const file of files)
    for (const name of importsOf(file))
      if (/^\..*\.js$/.test(name)) files.add(join(dirname(file), name));
  return files;
}

test.each(ENTRIES)('an older Node can load %s far enough to be refused', (entry) => {
  const files = [...filesOf(entry)];
  expect(files.some((file) => importsOf(file).some((name) => name.startsWith('node:')))).toBe(true);
  expect(files.filter((file) => importsOf(file).includes('node:sqlite'))).toEqual([]);
});
