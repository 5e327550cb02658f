import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A relative module in quotes: behind `from`, in `import(…)`, or the file of a worker thread. */
const MODULE = /(?:\bfrom\s|\bimport\s|\(|= |\? )\s*['"](\.{1,2}\/[\w./-]+)['"]/g;

/** The files of the project that each source file imports, types as well; paths from the root of the project. */
export function importGraph(folders: readonly string[]): Map<string, readonly string[]> {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`));
  return new Map(files.sort().map((file) => [file, importsOf(file)]));
}

function importsOf(file: string): string[] {
  const found = [...readFileSync(file, 'utf8').matchAll(MODULE)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => existsSync(path) && statSync(path).isFile());
  return [...new Set(found)];
}
