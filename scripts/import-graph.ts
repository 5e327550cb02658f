import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A relative module in quotes: behind `from`, in `import(…)`, or the file of a worker thread. */
const MODULE = /(?:\bfrom\s|\bimport\s|\(|= |\? )\s*['"](\.{1,2}\/[\w./-]+)['"]/g;

/** An import that the compiler removes, or that leaves nothing of the module but its name. */
const TYPES_ONLY =
  /^(?:import|export)\s+(?:type\s[^;'"]*?|\{(?:\s*type\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?)+\s*\}\s*)from\s+['"][^'"]+['"]/gm;

interface Following {
  /** Types carry no behaviour. */
  readonly withTypes?: boolean;
}

/** The files of the project that each source file imports; paths from the root of the project. */
export function importGraph(
  folders: readonly string[],
  { withTypes = true }: Following = {},
): Map<string, readonly string[]> {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`));
  return new Map(files.sort().map((file) => [file, importsOf(file, withTypes)]));
}

function importsOf(file: string, withTypes: boolean): string[] {
  const text = readFileSync(file, 'utf8');
  const found = [...(withTypes ? text : text.replace(TYPES_ONLY, '')).matchAll(MODULE)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => existsSync(path) && statSync(path).isFile());
  return [...new Set(found)];
}

/** How many steps each file is away from the nearest of `starts`. */
export function distances(
  starts: readonly string[],
  next: (file: string) => readonly string[] | undefined,
): Map<string, number> {
  const found = new Map<string, number>();
  let reached = new Set(starts);
  for (let count = 0; reached.size > 0; count += 1) {
    for (const file of reached) found.set(file, count);
    reached = new Set(
      [...reached].flatMap((file) => next(file) ?? []).filter((file) => !found.has(file)),
    );
  }
  return found;
}
