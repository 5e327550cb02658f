import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { checkExecutable } from './executable-format.ts';
import { type Platform, runtimeFor } from './runtimes.ts';

/** The files of the package that the program needs when it runs. */
const FILES = [
  'bin/*.cjs',
  'dist/*.js',
  'dist/assets/*',
  'dist/dashboard/{index.html,manifest.webmanifest.*,service-worker.js.*}',
  'dist/dashboard/assets/*',
  // What `ticketscan docs` prints.
  'docs/*.md',
  'docs/{gate,devices,testing}/*.md',
];

/** The script by its relative name: the name is in the executable, which must not depend on the folder of the build. */
const MAIN = 'executable-main.js';

/**
 * Builds the program with Node inside, as one file that needs nothing beside it. `dist` must be built. The same sources give the
 * same bytes.
 * @param output where it is written
 * @throws Error when Node cannot build it, or built something that would not start
 */
export async function buildExecutable(output: string, platform: Platform = 'linux-x64') {
  const work = mkdtempSync(join(tmpdir(), 'ticketscan-executable-'));
  try {
    buildSync({ entryPoints: ['src/cli/executable-main.ts'], outfile: join(work, MAIN) });
    const configuration = {
      ...CONFIGURATION,
      executable: await runtimeFor(platform, work),
      output: resolve(output),
      assets: assets(work),
    };
    writeFileSync(join(work, 'sea.json'), JSON.stringify(configuration));
    execFileSync(process.execPath, ['--build-sea', 'sea.json'], {
      cwd: work,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    checkExecutable(output, platform);
  } finally {
    rmSync(work, { recursive: true });
  }
}

const CONFIGURATION = {
  main: MAIN,
  mainFormat: 'module',
  disableExperimentalSEAWarning: true,
  // A cache differs with every build (ADR 0083).
  useCodeCache: false,
  // The file is a program of its own: NODE_OPTIONS is meant for other programs.
  execArgvExtension: 'none',
};

function assets(work: string): Record<string, string> {
  const files = globSync(FILES).sort();
  if (!files.includes('dist/main.js')) throw new Error('dist is not built. Run: npm run build');
  return {
    [MAIN]: join(work, MAIN),
    ...Object.fromEntries(files.map((path) => [path, resolve(path)])),
  };
}
