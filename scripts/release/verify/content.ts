import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_PARTS, type ReleasePart } from './parts.ts';

/** What each part contained when all of its tests passed: the sum of its content, by its name. */
export type Verified = Readonly<Record<string, string>>;

/** The file lies in the repository, so that a commit says by itself which parts it still has to run. */
export const VERIFIED_FILE = 'scripts/release/verify/verified.json';

const NOT_OWN = '**/node_modules';

export function readVerified(): Verified {
  return JSON.parse(readFileSync(VERIFIED_FILE, 'utf8'));
}

/** The parts that are not as they were when they passed. */
export function changedParts(verified: Verified, root = '.'): ReleasePart[] {
  return RELEASE_PARTS.filter((part) => sumOf(part, root) !== verified[part.name]);
}

/**
 * The files of a part, its tests among them, relative to the root and in order.
 * @throws Error when a glob finds no file
 */
export function filesOf({ name, tests, content }: ReleasePart, root = '.'): string[] {
  const found = [...tests, ...content].flatMap((glob) => {
    const files = globSync(glob, { cwd: root, exclude: [NOT_OWN] }).filter((path) =>
      statSync(join(root, path)).isFile(),
    );
    if (files.length > 0) return files;
    throw new Error(`What only a release checks names ${glob} in its part ${name}: no such file.`);
  });
  return [...new Set(found)].sort();
}

/** SHA-256 of a part's content: paths, bytes, and which files can be executed, but no times. In hex. */
export function sumOf(part: ReleasePart, root = '.'): string {
  const sum = createHash('sha256');
  const add = (name: string, bytes: string | Buffer) =>
    sum.update(`${name}\0${Buffer.byteLength(bytes)}\0`).update(bytes);
  for (const path of filesOf(part, root)) {
    const isExecutable = (statSync(join(root, path)).mode & 0o111) !== 0;
    add(isExecutable ? `${path}*` : path, readFileSync(join(root, path)));
  }
  const packageFile = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const member of part.packageMembers ?? []) {
    if (packageFile[member] === undefined)
      throw new Error(`package.json has no "${member}", which the part ${part.name} names.`);
    add(member, JSON.stringify(packageFile[member]));
  }
  return sum.digest('hex');
}
