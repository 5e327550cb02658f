import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { readOptions } from './read-options.ts';
import { TYPE_COMPILER } from './type-compiler.ts';

/**
 * Checks the types of each part of the project. A part reads the declarations of the parts that it references, and not their sources;
 * one is checked again when its files or those declarations have other contents than when it was last green. The contents decide,
 * because `tsc --build` compares times: it sees neither an older file that is put back nor a new version of a package, whose files
 * all carry the same date.
 */
const CACHE = 'node_modules/.cache/types';
/** What concerns every part: the packages that are installed, and the options that the parts share. */
const SHARED = [
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.json',
  'tsconfig.parts.json',
];

const SOURCE = /(?<!\.d)\.tsx?$/;

/** The parts by their folders. Of each row every part needs only parts of earlier rows. */
const ROWS = [['src'], ['src/dashboard', 'test'], ['test/dashboard']];

const USAGE = `Usage: npm run types -- [--whole]

Checks the types of each part of the project whose files have changed since it was last green.
  --whole  checks them all`;

const { values } = readOptions(USAGE, { options: { whole: { type: 'boolean', default: false } } });
if (values.whole) rmSync(CACHE, { recursive: true, force: true });
mkdirSync(CACHE, { recursive: true });
for (const row of ROWS) {
  const outputs = await Promise.all(row.map(check));
  process.stdout.write(outputs.join(''));
}

/** @returns the errors of a part, as the compiler prints them */
async function check(part: string): Promise<string> {
  const key = keyOf(part);
  const kept = join(CACHE, `${part.replace('/', '-')}.green`);
  if (contentOf(kept) === key) return '';
  rmSync(kept, { force: true });
  try {
    await promisify(execFile)(process.execPath, [TYPE_COMPILER, '-p', part], {
      maxBuffer: 2 ** 26,
    });
  } catch (error) {
    process.exitCode = 1;
    const { stdout, stderr, message } = error as Error & Record<'stdout' | 'stderr', string>;
    return `${stdout}${stderr}` || `${message}\n`;
  }
  writeFileSync(kept, key);
  return '';
}

/** A hash of all that decides whether a part has errors. */
function keyOf(part: string): string {
  const { fileNames, projectReferences = [], raw } = partAt(part);
  const declared = projectReferences.flatMap(({ path }) => declarationsOf(path));
  const hash = createHash('sha256').update(`${ts.version} ${JSON.stringify(raw)}`);
  for (const file of [...SHARED, ...fileNames, ...declared].sort())
    hash.update(`\0${file}\0${contentOf(file) ?? ''}`);
  return hash.digest('hex');
}

/** What a part declares for those that reference it; not what it declared before, in files that were removed since. */
function declarationsOf(part: string): string[] {
  const parsed = partAt(part);
  return parsed.fileNames.flatMap((file) =>
    SOURCE.test(file) ? ts.getOutputFileNames(parsed, file, false) : [],
  );
}

function partAt(part: string): ts.ParsedCommandLine {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse };
  const parsed = ts.getParsedCommandLineOfConfigFile(join(part, 'tsconfig.json'), {}, host);
  if (parsed === undefined) throw new Error(`${part} has no tsconfig.json`);
  for (const error of parsed.errors) refuse(error);
  return parsed;
}

function refuse({ messageText }: ts.Diagnostic): void {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It is not there yet: a part that was never green, a declaration that was never written.
    return undefined;
  }
}
