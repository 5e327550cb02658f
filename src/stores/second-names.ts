import {
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TicketscanError } from '../core/errors.ts';
import { isNameOfRestore } from './replaced-files.ts';

// SQLite finds the write-ahead log of a database by its name, and locks are files beside it. So two programs that open one file by two names
// do not see what the other one writes: they would admit a ticket twice, and damage the file (ADR 0012).

/**
 * Refuses a file that another program could open by another name. The name that a restore gives to the old store does not count: a restore that
 * was cut short leaves it, and the store must start all the same.
 * @param named a file that may not exist yet, or a link to it
 * @throws TicketscanError `store_unavailable` that says which other name it is, if that is in the same folder
 */
export function refuseSecondName(named: string): void {
  const found = statSync(named, { throwIfNoEntry: false });
  if (!found?.isFile()) return;
  const path = realpathSync(named);
  if (isMountedAlone(path)) throw mountedAlone(path);
  if (found.nlink < 2) return;
  const names = otherNames(path, found);
  const ofRestores = names.filter(isNameOfRestore);
  if (found.nlink - 1 > ofRestores.length)
    throw secondName(
      path,
      names.find((name) => !isNameOfRestore(name)),
    );
}

/**
 * Ends a restore that was cut short before it replaced the file: removes the names that it gave to the file. The caller has the store locked or
 * open, so that no restore is at work.
 */
export function removeNamesOfRestore(named: string): void {
  const found = statSync(named, { throwIfNoEntry: false });
  if (!found?.isFile() || found.nlink < 2) return;
  for (const name of otherNames(realpathSync(named), found).filter(isNameOfRestore)) {
    // A write-ahead log that was moved belongs to that name.
    if (statSync(`${name}-wal`, { throwIfNoEntry: false })) continue;
    try {
      rmSync(name);
    } catch {
      // Another program was faster, or the folder cannot be written: the name does no harm.
    }
  }
}

/** The other names of a file in its folder. Symbolic links are not among them: they lead to one of its names. */
function otherNames(path: string, { dev, ino }: Stats): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name !== basename(path))
    .map((name) => join(folder, name))
    .filter((name) => {
      const other = lstatSync(name, { throwIfNoEntry: false });
      return other?.ino === ino && other.dev === dev;
    });
}

/** Whether the file was mounted without its folder: then it has another name elsewhere, and a write-ahead log of its own there. */
function isMountedAlone(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const MOUNT_POINT = 4;
  return mountsOfThisProcess()
    .split('\n')
    .some((line) => unescaped(line.split(' ')[MOUNT_POINT] ?? '') === path);
}

function mountsOfThisProcess(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** The system writes a space as `\040`. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/gu, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function secondName(path: string, other: string | undefined): TicketscanError {
  const name = other ?? `in another folder (find it: find / -samefile "${path}")`;
  return new TicketscanError(
    'store_unavailable',
    `${path} has a second name (a hard link): ${name}. Two programs that open it by two names would admit a ticket twice. Stop every program ` +
      'that uses it, then remove one of the names: of a database the one without a file NAME-wal beside it. A copy is made with ticketscan store backup.',
  );
}

function mountedAlone(path: string): TicketscanError {
  return new TicketscanError(
    'store_unavailable',
    `${path} is mounted without its folder, so what is written beside it is not where the file is, and a program that opens it by its other ` +
      'name would admit a ticket twice. Mount its folder instead.',
  );
}
