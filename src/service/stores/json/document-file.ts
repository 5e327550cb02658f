import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OWNER_ONLY, syncPath, takeOwnerOf } from '../../../kit/files.ts';

const PERMISSIONS = 0o777;

/** The bytes of a file, undefined when there is none. */
export async function readBytes(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Another text after every change of what is in the file, or of which file it is; undefined when there is none. */
export async function fileVersion(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

const TEMPORARY = /^(?:\.log)?\.[0-9a-f]{12}\.tmp$/;

/** Removes what a killed program left of files that it was about to replace; only their one writer may call it. */
export function removeUnfinished(path: string): void {
  for (const name of namesBeside(path)) {
    const end = name.startsWith(basename(path)) ? name.slice(basename(path).length) : '';
    if (TEMPORARY.test(end)) rmSync(join(dirname(path), name), { force: true });
  }
}

/** None where the folder may be used but not listed. */
function namesBeside(path: string): string[] {
  try {
    return readdirSync(dirname(path));
  } catch {
    return [];
  }
}

/** Replaces a file as a whole and keeps its permissions, for root also its owner; a crash leaves the old or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (found) => found.mode & PERMISSIONS,
    () => OWNER_ONLY,
  );
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      takeOwnerOf(file.fd, path, dirname(path));
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncPath(dirname(path));
}
