import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeException, LongFile } from './code-exceptions.ts';
import {
  type CodeProblem,
  codeProblems,
  LINES_MAX,
  LISTED_LINES_MAX,
  linesIn,
} from './code-rules.ts';

interface Excuses {
  readonly exceptions: readonly CodeException[];
  readonly longFiles: readonly LongFile[];
}

interface Verdict {
  readonly files: number;
  /** How many places break a rule that is not yet asked of their folder. */
  readonly excused: number;
  /** One line for each place to repair, and for each excuse that nothing needs any more. */
  readonly problems: readonly string[];
}

interface Source {
  readonly name: string;
  readonly text: string;
}

const LIST = 'scripts/code-exceptions.ts';

/** Judges the sources in folders of `root` by the rules of `code-rules.ts`. A folder without sources is a problem: it has moved. */
export function judgeFolders(
  root: string,
  folders: readonly string[],
  { exceptions, longFiles }: Excuses,
): Verdict {
  const sources = folders.flatMap((folder) => sourcesIn(root, folder));
  const found = sources.flatMap((source) => placesIn(source, longFiles));
  const excused = found.filter((one) => exceptions.some((exception) => excuses(exception, one)));
  const problems = [
    ...folders
      .filter((folder) => !sources.some(({ name }) => name.startsWith(`${folder}/`)))
      .map((folder) => `${folder}: has no source file: is this the checkout?`),
    ...found
      .filter((one) => !excused.includes(one))
      .map(({ name, line, message, rule }) => `${name}:${line} ${message} (${rule})`),
    ...exceptions
      .filter((exception) => !excused.some((one) => excuses(exception, one)))
      .map(({ folder, rule }) => `${folder}: ${rule} excuses nothing: remove it from ${LIST}`),
    ...longFiles
      .filter(({ file }) => !sources.some((one) => one.name === file && isLong(one)))
      .map(({ file }) => `${file}: needs no more than ${LINES_MAX} lines: remove it from ${LIST}`),
  ];
  return { files: sources.length, excused: excused.length, problems };
}

function sourcesIn(root: string, folder: string): Source[] {
  return globSync(`${folder}/**/*.{ts,tsx,css}`, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
}

type Place = CodeProblem & { readonly name: string };

function placesIn({ name, text }: Source, longFiles: readonly LongFile[]): Place[] {
  const linesMax = longFiles.some(({ file }) => file === name) ? LISTED_LINES_MAX : LINES_MAX;
  return codeProblems(name, text, linesMax).map((problem) => ({ ...problem, name }));
}

function isLong({ text }: Source): boolean {
  return linesIn(text) > LINES_MAX;
}

function excuses(exception: CodeException, { name, rule }: Place): boolean {
  return exception.rule === rule && name.startsWith(`${exception.folder}/`);
}
