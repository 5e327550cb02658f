import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import type { Plugin } from 'vite';
import { withShell } from './dashboard-shell.ts';

const SOURCES = 'src/dashboard';
export const DASHBOARD = 'dist/dashboard';
/** Remembers what the page was built from. It begins with a dot, so that it is not served. */
const BUILT_FROM = `${DASHBOARD}/.built-from`;
const COMPRESSED = /\.(?:js|css|svg|png|webmanifest)$/;

/** Vite would leave such an import empty: the page then fails when somebody opens it. */
const WITHOUT_NODE = {
  name: 'without-node',
  enforce: 'pre',
  resolveId(id: string, importer?: string): undefined {
    if (id.startsWith('node:'))
      throw new Error(`${importer} needs ${id}, which no browser has: the page cannot use it.`);
  },
} as const;

/** Which modules each file holds, and which files come with it: the tests see from it what a page loads. Begins with a dot as well. */
const CHUNKS = '.chunks.json';
const WITH_CHUNKS: Plugin = {
  name: 'with-chunks',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).flatMap((chunk) => {
      if (chunk.type !== 'chunk') return [];
      const { fileName, imports } = chunk;
      const modules = Object.keys(chunk.modules).map((id) => relative(process.cwd(), id));
      return [{ fileName, imports, modules }];
    });
    this.emitFile({ type: 'asset', fileName: CHUNKS, source: JSON.stringify(chunks) });
  },
};

/** Builds the dashboard page into `dist/dashboard`, unless it was built from the same sources before. */
export async function buildDashboard(): Promise<void> {
  const sources = hashOfSources();
  if (existsSync(BUILT_FROM) && readFileSync(BUILT_FROM, 'utf8') === sources) return;
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: SOURCES,
    // Addresses are relative: a proxy may serve the page below a path.
    base: './',
    logLevel: 'warn',
    plugins: [WITHOUT_NODE, WITH_CHUNKS, withShell(SOURCES)],
    // Every picture is a file, so that the page needs no data: address for itself.
    build: {
      // What comes over the wire is compressed, and first-load.test.ts weighs it.
      chunkSizeWarningLimit: 700,
      outDir: '../../dist/dashboard',
      emptyOutDir: true,
      license: { fileName: '.packages.json' },
      assetsInlineLimit: 0,
      target: 'es2022',
      rolldownOptions: {
        // 'use client' means something to servers that render React; here all code is the client's.
        onwarn: (warning, warn) => {
          if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
        },
      },
    },
    worker: { format: 'es' },
  });
  for (const file of globSync(`${DASHBOARD}/**/*`)) if (COMPRESSED.test(file)) compress(file);
  writeFileSync(BUILT_FROM, sources);
}

/** The file itself goes: the server has it from either form. */
function compress(file: string): void {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 11, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  rmSync(file);
}

/** What else the page is made from: the packages that the lock file names, its addresses, and these scripts. */
const OTHER_SOURCES = [
  'package-lock.json',
  'src/serve/page.ts',
  'scripts/build-dashboard.ts',
  'scripts/dashboard-shell.ts',
];

/** The page depends on its own files, on what it takes from `core` and `kit`, and on what makes it. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync([`${SOURCES}/**/*.*`, 'src/core/**/*.ts', 'src/kit/**/*.ts']).sort();
  for (const file of [...files, ...OTHER_SOURCES]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}
