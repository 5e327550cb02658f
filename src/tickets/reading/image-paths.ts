import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../files/file-failure.ts';

const IMAGE_NAME = /\.(?:png|jpe?g|svg|pdf)$/iu;

/**
 * The files themselves, and the images in the folders and below, each folder in the order of names.
 * @throws TicketscanError `usage` for a path that is not there and for a folder without images
 */
export async function imagePaths(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (!(await isFolder(path))) {
      files.push(path);
      continue;
    }
    const names = await readdir(path, { recursive: true });
    const images = names.filter((name) => IMAGE_NAME.test(name)).toSorted();
    if (images.length === 0) {
      throw new TicketscanError('usage', `${path} contains no PNG, JPEG, SVG or PDF.`);
    }
    for (const name of images) files.push(join(path, name));
  }
  return files;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw fileFailure(path, error);
  }
}
