import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../world/world.ts';
import type { PlantedBug } from './bug.ts';

/**
 * Copies the sources, plants the bug and returns the script to start; Node runs the sources as they are.
 * @throws Error when a text to replace is not there exactly once: the bug must follow the sources
 */
export function plant(bug: Pick<PlantedBug, 'name' | 'edits'> & Partial<PlantedBug>): string {
  const folder = newFolder('planted');
  cpSync(resolve('src'), join(folder, 'src'), { recursive: true });
  // The simulation runs inside the copy, on the sources with the bug.
  cpSync(resolve('prove'), join(folder, 'prove'), { recursive: true });
  cpSync(resolve('package.json'), join(folder, 'package.json'));
  // Parts of the proof import helpers of the tests.
  for (const name of ['node_modules', 'test']) symlinkSync(resolve(name), join(folder, name));
  for (const { file, text, becomes } of bug.edits) {
    const path = join(folder, 'src', file);
    const parts = readFileSync(path, 'utf8').split(text);
    if (parts.length !== 2) {
      throw new Error(
        `The bug "${bug.name}" cannot be planted: src/${file} holds ${parts.length - 1} times\n  ${text}\n` +
          'Adapt the bug to what stands there now.',
      );
    }
    writeFileSync(path, parts.join(becomes));
  }
  return join(folder, 'src/cli/main.ts');
}
