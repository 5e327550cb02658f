import { closeSync, fchownSync, fsyncSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** The mode of files with keys, codes or the names of visitors. */
export const OWNER_ONLY = 0o600;

/**
 * Gives a new, open file to the owner of the first of `models` that exists: of the file that it will replace, or of its folder. Changes
 * something only for root, whose commands would otherwise leave files that the service, which runs as its own user, cannot open.
 * Where the system refuses (a container without that right), the file stays root's.
 */
export function takeOwnerOf(file: number, ...models: readonly string[]): void {
  if (process.geteuid?.() !== 0) return;
  for (const model of models) {
    const found = statSync(model, { throwIfNoEntry: false });
    if (!found) continue;
    try {
      fchownSync(file, found.uid, found.gid);
    } catch {
      // Root can open the file; whether the service can is shown by `doctor` and by its own start.
    }
    return;
  }
}

/**
 * Brings a file, or the names in a folder, to the disk: the name of a file is kept by its folder, and without this a power
 * cut may forget it. Does nothing on Windows, which keeps names by itself and opens no folders.
 */
export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** As `syncPath`, before it returns. */
export function syncPathNow(path: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
