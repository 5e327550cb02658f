import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageFile from '../../package.json' with { type: 'json' };
import { checkCasesPage } from '../check-cases-page.ts';
import { deviceCasesPage } from '../device-cases-page.ts';
import type { Release } from './step.ts';

/** The files that npm packs besides the entries of `files`. */
const ALWAYS = ['README.md', 'LICENSE'];

/** The package as the npm registry takes it. `dist` must be built. */
export function packNpmPackage({ folder }: Pick<Release, 'folder'>): string[] {
  const staged = mkdtempSync(join(tmpdir(), 'ticketscan-package-'));
  try {
    const entries = packageFile.files.filter((entry) => !entry.startsWith('!'));
    for (const entry of [...ALWAYS, ...entries].filter((one) => existsSync(one))) {
      const filter = (path: string) => !path.endsWith('/node_modules');
      cpSync(entry, join(staged, entry), { recursive: true, filter });
    }
    writeFileSync(join(staged, 'docs/testing/check-cases.md'), checkCasesPage());
    writeFileSync(join(staged, 'docs/testing/device-check-cases.md'), deviceCasesPage());
    // They are those of a checkout, which an install from a git address runs: npm warns of a `prepare` that is not in the package.
    const { scripts: _, allowScripts: __, ...published } = packageFile;
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    const options = ['--silent', '--ignore-scripts', '--pack-destination', folder];
    const name = execFileSync('npm', ['pack', staged, ...options], { encoding: 'utf8' }).trim();
    return [join(folder, name)];
  } finally {
    rmSync(staged, { recursive: true });
  }
}
