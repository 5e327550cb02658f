import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import sea from 'node:sea';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

// The files that belong to the program and are not its code. They are inside the single executable, in `dist`
// beside the built code, or, when the sources run as they are, in `dist`, among the sources and in the packages that bring them.

const isSource = import.meta.url.endsWith('.ts');

/** What the single executable contains, by the path in the package. Empty for a program that a copy of Node runs. */
const embedded: ReadonlySet<string> = new Set(sea.isSea() ? sea.getAssetKeys() : []);

/** Begins a thread of the single executable; which one, its name says. */
const BOOT = 'executable-main.js';

/**
 * @param path in `dist`, for example `dashboard/index.html`
 * @returns undefined when the build has not made it
 */
export function readProgramFile(path: string): Buffer<ArrayBuffer> | undefined {
  if (embedded.has(`dist/${path}`)) return Buffer.from(sea.getAsset(`dist/${path}`));
  const file = inDist(path);
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** The names of the files in a folder of `dist`, for example `dashboard/assets`; none when the build has not made it. */
export function programFilesIn(folder: string): string[] {
  const start = `dist/${folder}/`;
  const inside = [...embedded].filter((path) => path.startsWith(start));
  if (inside.length > 0) return inside.map((path) => path.slice(start.length));
  return existsSync(inDist(folder)) ? readdirSync(inDist(folder)) : [];
}

/** The folders of `docs` with pages for users; those for contributors are in no package. */
const PAGE_FOLDERS = ['', 'gate/', 'devices/', 'testing/'];

/** The pages of the manual by their name, such as `postgres` for `docs/gate/postgres.md`: the paths in `docs`. */
export function manualPages(): ReadonlyMap<string, string> {
  const paths = PAGE_FOLDERS.flatMap((folder) => filesInDocs(folder).map((file) => folder + file));
  const pages = paths.filter((path) => path.endsWith('.md') && path !== 'README.md');
  return new Map(pages.map((path) => [basename(path, '.md'), path]));
}

/** @param path in `docs`, as `manualPages` has it @returns undefined where the program came without its pages */
export function readManualPage(path: string): string | undefined {
  const asset = `docs/${path}`;
  if (embedded.has(asset)) return sea.getAsset(asset, 'utf8');
  const file = inDist(`../${asset}`);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function filesInDocs(folder: string): string[] {
  const start = `docs/${folder}`;
  const inside = [...embedded].filter((path) => path.startsWith(start));
  if (inside.length > 0)
    return inside.map((path) => path.slice(start.length)).filter((name) => !name.includes('/'));
  const path = inDist(`../${start}`);
  return existsSync(path) ? readdirSync(path) : [];
}

/**
 * A file that a package brings and the build copies into `dist/assets`.
 * @param packaged as an import names it, for example `zxing-wasm/reader/zxing_reader.wasm`
 * @throws when the build left it out, or the package lacks it
 */
export function readPackageFile(packaged: string): Buffer<ArrayBuffer> {
  const built = isSource ? undefined : readProgramFile(`assets/${basename(packaged)}`);
  return built ?? readFileSync(createRequire(import.meta.url).resolve(packaged));
}

/**
 * Starts a thread of the program. In `dist` all threads are beside the code that starts them.
 * @param source as the module with the address `from` would import it, for example `./job-worker.ts`
 */
export function startThread(source: string, from: string, options?: WorkerOptions): Worker {
  const name = basename(source, '.ts');
  const file = isSource ? source : `./${name}.js`;
  const address = embedded.has(BOOT) ? dataUrl(sea.getAsset(BOOT)) : new URL(file, from);
  return new Worker(address, { ...options, name });
}

/** Node takes the code of a thread from a file or from its address. */
function dataUrl(code: ArrayBuffer): URL {
  return new URL(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

function inDist(path: string): string {
  return fileURLToPath(new URL(`${isSource ? '../../dist/' : './'}${path}`, import.meta.url));
}

/**
 * Lets other work go first: lowers the priority of the calling thread, and of the threads that it starts later. It cannot be raised
 * again, and must not hold a lock that others wait for. On Linux only: other systems know priorities of whole processes.
 */
export function workInBackground(): void {
  if (process.platform !== 'linux') return;
  try {
    // 0 means the thread that calls.
    setPriority(0, constants.priority.PRIORITY_LOW);
  } catch {
    // Some containers forbid it; the work is done all the same.
  }
}
