import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { TYPE_COMPILER } from './type-compiler.ts';

/** What a declaration may import from outside: Node's own modules, and the test runner that its user has. */
const ALLOWED = /^(?:node:.+|vitest)$/;

const IMPORTED = 'dist/types';
const REQUIRED = 'dist/types-require';

/**
 * Writes the declarations into `dist/types`, and only the files that the entries reach. What a CommonJS program requires gets the
 * same ones in a folder of their own, which calls them CommonJS: a declaration is what its folder says.
 * @param entries declaration files, for example `dist/types/index.d.ts`
 * @throws Error when one of them needs another package: an installation brings none
 */
export async function writeTypes({
  imported,
  required,
}: Readonly<Record<'imported' | 'required', readonly string[]>>): Promise<void> {
  await promisify(execFile)(process.execPath, [TYPE_COMPILER, '-p', 'tsconfig.types.json']);
  const reached = await reachedFrom(imported);
  for (const file of globSync(`${IMPORTED}/**/*.d.ts`)) if (!reached.has(file)) rmSync(file);
  const sources = required.map((entry) => entry.replace(REQUIRED, IMPORTED));
  for (const file of await reachedFrom(sources)) cpSync(file, file.replace(IMPORTED, REQUIRED));
  writeFileSync(join(REQUIRED, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
}

/** These files, and all that they import. */
async function reachedFrom(entries: readonly string[]): Promise<ReadonlySet<string>> {
  const reached = new Set(entries.map((entry) => normalize(entry)));
  // A set visits what is added while it is walked.
  for (const file of reached) for (const imported of await importsOf(file)) reached.add(imported);
  return reached;
}

async function importsOf(file: string): Promise<string[]> {
  const { default: ts } = await import('typescript');
  const names = ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.map((one) => one.fileName);
  return names.flatMap((name) => {
    if (ALLOWED.test(name)) return [];
    const imported = join(dirname(file), name.replace(/\.ts$/, '.d.ts'));
    if (name.startsWith('.') && existsSync(imported)) return [imported];
    throw new Error(`${file} imports ${name}, which an installation does not bring`);
  });
}
