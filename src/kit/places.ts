import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isStreamLike } from './result-files.ts';

/**
 * True where two paths lead to the same file, also through links, or would once it is made; and where one of them would have to be a file
 * and a folder at once. Names that differ by their letter case alone are one file on many disks. A device or a pipe keeps nothing.
 */
export function isSamePlace(one: string, other: string): boolean {
  if (isStreamLike(one) || isStreamLike(other)) return false;
  const [a, b] = [canonical(one), canonical(other)];
  if (a === b || isInTheWay(one, a, b) || isInTheWay(other, b, a)) return true;
  const [first, second] = [one, other].map((path) =>
    statSync(path, { throwIfNoEntry: false, bigint: true }),
  );
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** True for what would have to be a folder, and is none. */
function isInTheWay(path: string, place: string, inside: string): boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return !isFolder && inside.startsWith(`${place}${sep}`);
}

/** The path without links, as far as it exists. */
function canonical(path: string): string {
  return withoutLinks(resolve(path)).normalize('NFC').toLowerCase();
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(withoutLinks(above), basename(path));
  }
}
