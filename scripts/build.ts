import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { ASSETS } from '../src/tickets/asset.ts';
import { buildDashboard } from './build-dashboard.ts';

/** What is started on its own: the program, and each worker thread; and what other programs import. The folder stays flat, so that chunks find workers. */
const ENTRY_POINTS = {
  main: 'src/cli/main.ts',
  'sqlite-worker': 'src/service/stores/sqlite/sqlite-worker.ts',
  'image-worker': 'src/tickets/images/image-worker.ts',
  'sheet-worker': 'src/tickets/sheets/sheet-worker.ts',
  index: 'src/index.ts',
  check: 'src/check/index.ts',
  client: 'src/client/index.ts',
  simulate: 'src/simulate/index.ts',
  testing: 'src/testing/index.ts',
  'testing-vitest': 'src/testing/vitest.ts',
  'testing-node-test': 'src/testing/node-test.ts',
};

/** CommonJS packages inside the bundle call `require`, which an ES module has to be given. */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as createRequireForBundle } from 'node:module'; const require = createRequireForBundle(import.meta.url);";

const { resolve } = createRequire(import.meta.url);

/** For tests: they need the program, not the types beside it. */
const withoutTypes = process.argv.includes('--without-types');

// The dashboard is built only when its sources have changed, so what was built before stays.
for (const entry of existsSync('dist') ? readdirSync('dist') : []) {
  if (entry !== 'dashboard' && !(withoutTypes && entry === 'types'))
    rmSync(`dist/${entry}`, { recursive: true, force: true });
}
const types = withoutTypes ? undefined : writeTypes();
await build({
  entryPoints: ENTRY_POINTS,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // The test runner is the user's own: two of them in one process know nothing of each other.
  external: ['vitest'],
  target: 'node24',
  minifySyntax: true,
  legalComments: 'linked',
  banner: { js: REQUIRE_FOR_COMMONJS },
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
});
for (const asset of Object.values(ASSETS)) cpSync(resolve(asset), `dist/assets/${basename(asset)}`);
await types;
await buildDashboard();

/** The types of what other programs import, beside the bundle. */
function writeTypes(): Promise<unknown> {
  const compiler = resolve('typescript/lib/tsc.js');
  return promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.types.json']);
}
