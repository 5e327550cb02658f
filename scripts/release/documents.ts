import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages, idOf } from '../bundled-packages.ts';
import type { Release } from './step.ts';

export function copyChangelog({ folder }: Release): string[] {
  const path = join(folder, 'CHANGELOG.md');
  copyFileSync('CHANGELOG.md', path);
  return [path];
}

/** The licences of all packages inside, which ask to be passed on with them. */
export function writeLicences({ folder }: Release): string[] {
  const path = join(folder, 'THIRD-PARTY-LICENSES.txt');
  const parts = bundledPackages().map((one) => {
    const head = `${idOf(one)} (${one.identifier ?? 'no licence stated'})`;
    return `${head}\n${'-'.repeat(head.length)}\n\n${one.text?.trim() ?? 'The package has no file with its licence.'}\n`;
  });
  writeFileSync(path, parts.join('\n\n'));
  return [path];
}
