import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import type { Plugin } from 'vite';

/** The folder of this checkout alone: several may share their packages. */
const FOLDER = resolve(
  `node_modules/.cache/ticketscan-workers-${hash('sha256', resolve('src')).slice(0, 8)}`,
);
/** What packages in CommonJS ask of Node. */
const REQUIRE_FOR_COMMONJS =
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";
const NAME = /'\.\/([\w-]+-worker)\.ts'/g;

/**
 * Starts each worker thread of the sources from one bundled file, as the built program does. Hundreds of tests open a
 * store: a thread that reads thirty sources takes seven times the processor time.
 */
export function bundledWorkers(): Plugin {
  return {
    name: 'bundled-workers',
    enforce: 'pre',
    configResolved: bundleAll,
    hotUpdate: bundleAll,
    transform: (code, id) =>
      id.includes('/src/') && !id.includes('/src/dashboard/') && code.match(NAME)
        ? code.replaceAll(NAME, (_, name: string) => JSON.stringify(fileOf(name)))
        : undefined,
  };
}

const fileOf = (name: string) => `${FOLDER}/${name}.mjs`;

function bundleAll(): void {
  const sources = globSync('src/**/*-worker.ts', { exclude: ['src/dashboard/**'] });
  const { outputFiles } = buildSync({
    entryPoints: sources,
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    entryNames: '[name]',
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'bundle',
    banner: { js: REQUIRE_FOR_COMMONJS },
    write: false,
  });
  for (const { path, text } of outputFiles) replace(fileOf(basename(path, '.mjs')), text);
}

/** Another run may be starting a thread from this file. */
function replace(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
