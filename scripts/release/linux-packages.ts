import { join } from 'node:path';
import { writeCompletions } from './completions.ts';
import { buildDeb } from './deb.ts';
import { executablePath } from './executables.ts';
import { buildImage } from './image.ts';
import { writeManPages } from './man-pages.ts';
import type { Release } from './step.ts';

/** The image and its compose file. */
export function makeImage(release: Release): Promise<string[]> {
  const { folder, epoch } = release;
  return buildImage({ program: executablePath(release, 'linux-x64'), folder, epoch });
}

/** Packs the list of licences too, so it comes after the step that writes it. */
export async function makeDeb(release: Release): Promise<string[]> {
  const { folder, work, epoch } = release;
  const manPages = join(work, 'man');
  const completions = join(work, 'completions');
  await writeManPages(manPages, new Date(epoch * 1000).toISOString().slice(0, 10));
  writeCompletions(completions);
  const program = executablePath(release, 'linux-x64');
  const licences = join(folder, 'THIRD-PARTY-LICENSES.txt');
  return [buildDeb({ program, folder, epoch, manPages, completions, licences })];
}
