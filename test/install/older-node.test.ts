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

/** The built-in modules of Node that an entry needs before it runs, each with the files that lead to it. */
function builtIns(entry: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const ways = new Map([[entry, entry]]);
  // A map visits what is added while it is walked.
  for (const [file, way] of ways) {
    for (const name of importsOf(file)) {
      if (name.startsWith('node:')) found.set(name, `${way} > ${name}`);
      else if (/^\..*\.js$/.test(name)) {
        const path = join(dirname(file), name);
        if (!ways.has(path)) ways.set(path, `${way} > ${path}`);
      }
    }
  }
  return found;
}

test.each(ENTRIES)('an older Node can load %s far enough to be refused', (entry) => {
  const found = builtIns(entry);
  expect(found.size).toBeGreaterThan(0);
  expect(found.get('node:sqlite')).toBeUndefined();
});
