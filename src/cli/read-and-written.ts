import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { givenVariable } from '../config/given-value.ts';
import { TicketscanError } from '../core/errors.ts';
import { isSamePlace } from '../kit/places.ts';
import { sanitizeForTerminal } from '../kit/text.ts';

/** The options that name a file for a result. Every other option or argument that names a file is read. */
export const RESULT_OPTIONS: ReadonlySet<string> = new Set([
  '--out',
  '--report',
  '--save',
  '--session',
  '--sheet',
  '--learn',
  '--first-sign-in',
]);
/** The options whose file is both read and written: a resumed session continues in its file. */
const GOES_ON: ReadonlySet<string> = new Set(['--resume']);

/**
 * Refuses a command whose result would replace a file that the same command reads: no `--force` or `--overwrite` means that. Links and
 * other spellings of a path are the same file.
 * @throws TicketscanError `usage`
 */
export function refuseReadAndWritten(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const read = new Map<string, string>();
  for (const path of [...readPaths(command), ...targetPaths(command, env)]) {
    const file = fileOf(path);
    if (file !== undefined) read.set(file, path);
  }
  if (read.size === 0) return;
  for (const { flag, path } of resultPaths(command)) {
    if (!read.has(fileOf(path) ?? '')) continue;
    throw new TicketscanError(
      'usage',
      `${sanitizeForTerminal(path)}: this command reads that file, so its result cannot replace it. Name another place with ${flag}.`,
    );
  }
}

/**
 * Refuses a command of which two results would go to the same file: the second would be refused, or replace the first, when all the
 * work is done.
 * @throws TicketscanError `usage`
 */
export function refuseSameResult(command: Command): void {
  const results = namedResults(command);
  for (const [index, { flag, path }] of results.entries()) {
    const other = results.slice(0, index).find((one) => isSamePlace(one.path, path));
    if (other === undefined) continue;
    const flags = other.flag === flag ? `Two values of ${flag}` : `${other.flag} and ${flag}`;
    throw new TicketscanError(
      'usage',
      `${flags} lead to the same place: ${sanitizeForTerminal(path)}. Name another file for one of them.`,
    );
  }
}

/** Matches an option that names a place. The `--sheet` of `mint` names a kind of paper instead. */
const NAMES_PLACE = /<(?:file|path|dir|folder|format=file)(?:\.\.\.)?>/;

/** Each result that the command line names, once; of `json=report.json` the file alone. */
function namedResults(command: Command): { flag: string; path: string }[] {
  return command.options.flatMap((option) => {
    const flag = option.long ?? '';
    if (!RESULT_OPTIONS.has(flag) || !NAMES_PLACE.test(option.flags)) return [];
    const values = [command.getOptionValue(option.attributeName())].flat();
    return values.flatMap((value) => {
      const path = pathsOf(value).at(flag === '--report' ? -1 : 0);
      return path === undefined ? [] : [{ flag, path }];
    });
  });
}

/** Only commands that take a target read the one of the environment. */
function targetPaths(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const takesTarget = command.options.some(({ long }) => long === '--target');
  return takesTarget ? pathsOf(givenVariable(env, 'TICKETSCAN_TARGET')) : [];
}

function readPaths(command: Command): string[] {
  const options = command.options
    .filter(({ long }) => long && !RESULT_OPTIONS.has(long) && !GOES_ON.has(long))
    .flatMap((option) => pathsOf(command.getOptionValue(option.attributeName())));
  return [...options, ...command.processedArgs.flatMap(pathsOf)];
}

/** The results, also those that `mint` writes into its folder under names that a list may have too. */
function resultPaths(command: Command): { flag: string; path: string }[] {
  const lists = pathsOf(command.getOptionValue('format')).map((format) => `tickets.${format}`);
  return command.options.flatMap((option) => {
    const flag = option.long ?? '';
    if (!RESULT_OPTIONS.has(flag)) return [];
    const named = pathsOf(command.getOptionValue(option.attributeName()));
    const inside = named.flatMap((folder) => lists.map((name) => join(folder, name)));
    return [...named, ...inside].map((path) => ({ flag, path }));
  });
}

/** What may be the path of a file in the value of an option: also of `json=report.json`, `file:key.txt` and lists. */
function pathsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(pathsOf);
  if (typeof value === 'object' && value !== null && 'file' in value) return pathsOf(value.file);
  if (typeof value !== 'string' || value === '') return [];
  const [, rest = ''] = /^(?:file:|[a-z]+=)(.+)$/su.exec(value) ?? [];
  return rest === '' ? [value] : [value, rest];
}

/** Identifies a file, whatever path leads to it; undefined if there is no file. */
function fileOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found?.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    // A text that is no path, or a folder that may not be entered: the command itself will say so.
    return undefined;
  }
}
