import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Release } from './step.ts';

/** The package as the npm registry takes it. `dist` must be built. */
export function packNpmPackage({ folder }: Release): string[] {
  const options = ['--silent', '--ignore-scripts', '--pack-destination', folder];
  return [join(folder, execFileSync('npm', ['pack', ...options], { encoding: 'utf8' }).trim())];
}
