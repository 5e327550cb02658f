import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { ASSETS } from '../src/mint/asset.ts';

/** What is started on its own: the program, and each worker thread. The folder stays flat, so that chunks find workers. */
const ENTRY_POINTS = {
  main: 'src/cli/main.ts',
  index: 'src/index.ts',
  'sqlite-worker': 'src/stores/sqlite/sqlite-worker.ts',
  'image-worker': 'src/mint/images/image-worker.ts',
};

/** CommonJS packages inside the bundle call `require`, which an ES module has to be given. */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as createRequireForBundle } from 'node:module'; const require = createRequireForBundle(import.meta.url);";

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: ENTRY_POINTS,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  legalComments: 'linked',
  banner: { js: REQUIRE_FOR_COMMONJS },
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
});

const { resolve } = createRequire(import.meta.url);
for (const asset of Object.values(ASSETS)) cpSync(resolve(asset), `dist/assets/${basename(asset)}`);

execFileSync('tsc', ['-p', 'tsconfig.types.json'], { stdio: 'inherit' });
