import { open } from 'node:fs/promises';

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
