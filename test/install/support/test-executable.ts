import { join } from 'node:path';
import { buildExecutable } from '../../../scripts/release/executable.ts';

/**
 * Builds the single executable that a test packs, unless `TICKETSCAN_TEST_EXECUTABLE` names one. `dist` must be built.
 * @returns its path
 */
export async function testExecutable(folder: string): Promise<string> {
  const given = process.env['TICKETSCAN_TEST_EXECUTABLE'];
  if (given !== undefined) return given;
  const path = join(folder, 'ticketscan-linux-x64');
  await buildExecutable(path);
  return path;
}
