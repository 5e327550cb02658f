import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Builds the program with Node inside, as one file that needs nothing beside it. `dist` must be built.
 * @param target where it is written
 */
export function buildExecutable(target: string): void {
  const work = mkdtempSync(join(tmpdir(), 'ticketscan-executable-'));
  try {
    const main = join(work, 'executable-main.js');
    buildSync({ entryPoints: ['src/cli/executable-main.ts'], outfile: main, format: 'esm' });
    const config = join(work, 'sea.json');
    writeFileSync(config, JSON.stringify(configuration(main, resolve(target))));
    execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    rmSync(work, { recursive: true });
  }
}

function configuration(main: string, output: string): object {
  const files = globSync(['*.js', 'assets/*', 'dashboard/index.html', 'dashboard/assets/*'], {
    cwd: 'dist',
  });
  return {
    main,
    mainFormat: 'module',
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // The file is a program of its own: NODE_OPTIONS is meant for other programs.
    execArgvExtension: 'none',
    assets: {
      'executable-main.js': main,
      ...Object.fromEntries(files.sort().map((path) => [path, resolve('dist', path)])),
    },
  };
}

if (import.meta.main) {
  mkdirSync('release', { recursive: true });
  buildExecutable('release/ticketscan-linux-x64');
}
