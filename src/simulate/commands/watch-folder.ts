import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileFailure } from '../../kit/failures.ts';
import { isImageName, readImage } from '../cards/read-image.ts';
import { SimulateError } from '../errors.ts';
import type { Card } from '../scan-attempt.ts';

const LOOK_EVERY_MS = 200;

export interface FolderWatcher {
  card(card: Card): void;
  problem(message: string): void;
}

/**
 * Reports every image that appears in `folder` after the start. A file is read when its size has stopped changing, so that
 * one that is still being copied is not taken for a damaged one. Polling works on every file system.
 * @returns a function that ends the watching
 * @throws SimulateError `usage` when the folder cannot be read
 */
export async function watchFolder(folder: string, watcher: FolderWatcher): Promise<() => void> {
  const seen = new Map<string, string>();
  for (const [name, state] of await imagesIn(folder)) seen.set(name, state);
  const done = new Set(seen.keys());
  let busy = false;
  const look = async (): Promise<void> => {
    for (const [name, state] of await imagesIn(folder)) {
      const steady = seen.get(name) === state;
      if (!steady) done.delete(name);
      else if (!done.has(name)) {
        done.add(name);
        watcher.card(await readImage(join(folder, name)));
      }
      seen.set(name, state);
    }
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    look()
      .catch((error: Error) => watcher.problem(error.message))
      .finally(() => {
        busy = false;
      });
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** Image names and a text that changes when the file does. */
async function imagesIn(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new SimulateError('usage', `${folder} cannot be watched: ${fileFailure(error)}.`);
  });
  const images = new Map<string, string>();
  for (const name of names.filter(isImageName).sort()) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts && facts.size > 0) images.set(name, `${facts.size} ${facts.mtimeMs}`);
  }
  return images;
}
