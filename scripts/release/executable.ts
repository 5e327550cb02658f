import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_ENTRIES } from '../program-entries.ts';

/** CommonJS packages inside the bundle call `require`; code inside an executable has no file of its own to give them one. */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as createRequireForBundle } from 'node:module'; const require = createRequireForBundle(process.execPath);";

/** What goes into the executable as a file: the folder of `dist` that it comes from. */
const ASSET_FOLDERS = ['assets', 'dashboard', 'dashboard/assets'];

/**
 * Builds the program with Node inside, as one file that needs nothing beside it. `dist` must be built.
 * @param target where it is written
 */
export async function buildExecutable(target: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'ticketscan-executable-'));
  try {
    await bundle(work);
    const config = join(work, 'sea.json');
    writeFileSync(config, JSON.stringify(configuration(work, resolve(target))));
    execFileSync(process.execPath, ['--build-sea', config], { stdio: 'ignore' });
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** One file for the program and one for each of its threads: inside an executable nothing can be imported by address. */
async function bundle(folder: string): Promise<void> {
  await build({
    entryPoints: PROGRAM_ENTRIES,
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    banner: { js: REQUIRE_FOR_COMMONJS },
    logLevel: 'warning',
  });
}

function configuration(work: string, output: string): object {
  const files = ASSET_FOLDERS.flatMap((folder) =>
    readdirSync(`dist/${folder}`, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(({ name }) => `${folder}/${name}`),
  );
  const threads = Object.keys(PROGRAM_ENTRIES).filter((name) => name !== 'main');
  return {
    main: join(work, 'main.js'),
    mainFormat: 'module',
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // The file is a program of its own: NODE_OPTIONS is meant for other programs.
    execArgvExtension: 'none',
    assets: Object.fromEntries([
      ...files.sort().map((path) => [path, resolve('dist', path)]),
      ...threads.map((name) => [`${name}.js`, join(work, `${name}.js`)]),
    ]),
  };
}

if (import.meta.main) {
  mkdirSync('release', { recursive: true });
  await buildExecutable('release/ticketscan-linux-x64');
}
