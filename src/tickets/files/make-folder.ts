import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from './file-failure.ts';

/**
 * Makes a folder and those above it that are missing. One by one: the recursive call of Node never ends on a path in
 * which folders cannot be made, such as one below /proc.
 * @throws TicketscanError `usage` when it cannot be made, or when a file of that name is there
 */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return;
    throw new TicketscanError('usage', `${folder} is a file, not a folder.`);
  }
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    throw fileFailure(folder, error);
  }
}
