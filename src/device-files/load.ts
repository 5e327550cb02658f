import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { fileFailure } from '../kit/failures.ts';
import { readBoundedText } from '../kit/files.ts';
import { programFilesIn, readProgramFile } from '../kit/program-files.ts';
import { unknownMember } from '../kit/unknown-member.ts';
import { type Position, readYaml, type YamlText } from '../kit/yaml.ts';
import { checkDeviceFile } from './checks.ts';
import { safeDeniers } from './opening.ts';
import { type DeviceFile, DeviceFileSchema, deviceFileJsonSchema, type Problem } from './schema.ts';

/** A device file cannot be used; the message says where and why, one line for each problem. */
export class DeviceFileError extends Error {}

const FILE_BYTES_MAX = 64 * 1024;
const FILES_MAX = 100;
const ENDING = '.yaml';

/**
 * Reads and checks device files.
 * @param places files, folders whose files that end in .yaml or .yml are read, and names of files that come with the program
 * @throws DeviceFileError that names file, line and column of what is wrong
 */
export function loadDeviceFiles(...places: string[]): DeviceFile[] {
  const read = places.flatMap(filesAt);
  if (read.length > FILES_MAX) {
    throw new DeviceFileError(`These are ${read.length} device files; at most ${FILES_MAX}.`);
  }
  for (const [index, { path, file }] of read.entries()) {
    const first = read.findIndex((one) => one.file.name === file.name);
    if (first === index) continue;
    throw new DeviceFileError(
      `${path}: the name "${file.name}" is already that of ${read[first]?.path}; keys could not tell them apart.`,
    );
  }
  refuseSharedPaths(read);
  return read.map(({ file }) => file);
}

/** Of files with the same path, one must answer the requests that could belong to any of them. */
function refuseSharedPaths(read: readonly { path: string; file: DeviceFile }[]): void {
  const sharing = Map.groupBy(
    read.flatMap((one) => [...routesOf(one.file)].map((route) => ({ route, ...one }))),
    ({ route }) => route,
  );
  for (const [route, files] of sharing) {
    if (safeDeniers(files.map(({ file }) => file)).length > 0) continue;
    throw new DeviceFileError(
      `${files.map(({ path }) => path).join(', ')}: ${route} is a path of each of them, and a denial of each can be a grant of another, so that a refused key could open a door. Give them different paths, or load them on different servers.`,
    );
  }
}

function routesOf({ requests }: DeviceFile): Set<string> {
  return new Set(
    requests.flatMap(({ method = 'POST', path }) =>
      path === undefined ? [] : `${method} ${path}`,
    ),
  );
}

function filesAt(place: string): { path: string; file: DeviceFile }[] {
  const own = builtIn(place);
  if (own) return [{ path: place, file: parseDeviceFile(own, place) }];
  return deviceFilesAt(place).map((path) => ({
    path,
    file: parseDeviceFile(readText(path), path),
  }));
}

/** Undefined for a path, which a file or folder of that name is too. */
function builtIn(name: string): string | undefined {
  if (existsSync(name) || !builtInNames().includes(name)) return undefined;
  return readProgramFile(`assets/${name}${ENDING}`)?.toString();
}

/** The names of the files that come with the program: those of `fixtures/device-files`, which the build copies. */
export function builtInNames(): string[] {
  const names = programFilesIn('assets').filter((name) => name.endsWith(ENDING));
  return names.map((name) => name.slice(0, -ENDING.length)).sort();
}

function unreadable(path: string, error: unknown): DeviceFileError {
  if (error instanceof DeviceFileError) return error;
  const hint = isMissing(error) ? ` These come with ticketscan: ${builtInNames().join(', ')}.` : '';
  return new DeviceFileError(`${path} cannot be read: ${fileFailure(error)}.${hint}`, {
    cause: error,
  });
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

function deviceFilesAt(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter(
      (name) => name.endsWith('.yaml') || name.endsWith('.yml'),
    );
    if (names.length > 0 && names.length <= FILES_MAX)
      return names.sort().map((name) => join(path, name));
    const wrong = `The folder ${path} has ${names.length} files that end in .yaml or .yml`;
    throw new DeviceFileError(`${wrong}: it must have 1 to ${FILES_MAX}.`);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readText(path: string): string {
  try {
    const status = statSync(path);
    if (!status.isFile())
      throw new DeviceFileError(`${path} is not a regular file. Name a YAML file on the disk.`);
    if (status.size <= FILE_BYTES_MAX) return readBoundedText(path);
    const wrong = `${path} has ${status.size} bytes: a device file has at most`;
    throw new DeviceFileError(`${wrong} ${FILE_BYTES_MAX / 1024} KiB.`);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** @param path for messages @throws DeviceFileError */
export function parseDeviceFile(text: string, path: string): DeviceFile {
  const yaml = readYaml(text);
  const at = ({ line, column }: Position) => `${path}:${line}:${column}`;
  if (yaml.issue) throw new DeviceFileError(`${at(yaml.issue)}: ${yaml.issue.what}`);
  const value = plainValue(yaml, path);
  const written = DeviceFileSchema.safeParse(value, { reportInput: true });
  const checked = written.success
    ? checkDeviceFile(written.data)
    : written.error.issues.flatMap((issue) => explained(issue));
  if (!Array.isArray(checked)) return checked;
  const told = checked.map((one) => {
    const position = one.isName ? yaml.positionOfName(one.at) : yaml.positionOf(one.at);
    return `${at(position)}: ${one.what}`;
  });
  throw new DeviceFileError(told.join('\n'));
}

/** YAML aliases are refused: they can expand without limit, and editors do not complete them. */
function plainValue(yaml: YamlText, path: string): unknown {
  try {
    return yaml.value(0);
  } catch (error) {
    throw new DeviceFileError(`${path}: a device file has no aliases (*name): write it out.`, {
      cause: error,
    });
  }
}

function explained(issue: z.core.$ZodIssue): Problem[] {
  const at = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ at: [...at, key], isName: true, what: unknown(key) }));
  }
  if (at.length === 0) {
    return [{ at, what: 'this is not a device file: it begins with deviceFile: 1' }];
  }
  return [{ at, what: `${at.join('.')}: ${missing(issue) ?? issue.message}` }];
}

/** Undefined for a member that is there: Zod has two codes for one that is not. */
function missing(issue: z.core.$ZodIssue): string | undefined {
  if (issue.input !== undefined) return undefined;
  if (issue.code === 'invalid_type') return 'is missing (ticketscan docs device-files)';
  return issue.code === 'invalid_value'
    ? `is missing: write ${issue.values.join(' or ')}`
    : undefined;
}

function unknown(name: string): string {
  if (name in DeviceFileSchema.shape)
    return `"${name}" is unknown here: it belongs at the top level`;
  return unknownMember(name, deviceFileJsonSchema());
}
