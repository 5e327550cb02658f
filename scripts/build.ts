import { cpSync, existsSync, globSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import packageFile from '../package.json' with { type: 'json' };
import { ASSETS } from '../src/tickets/assets.ts';
import { buildDashboard } from './build-dashboard.ts';
import { PACKAGE_LISTS, packagesOf } from './bundled-packages.ts';
import { writeTypes } from './package-types.ts';

/** What is started on its own: the program, and each worker thread; and what other programs import. The folder stays flat, so that chunks find workers. */
const ENTRY_POINTS = {
  main: 'src/cli/main.ts',
  'job-worker': 'src/tickets/job-worker.ts',
  'document-worker': 'src/stores/json/document-worker.ts',
  index: 'src/index.ts',
  check: 'src/check/index.ts',
  client: 'src/client/index.ts',
  simulate: 'src/simulate/index.ts',
  testing: 'src/testing/index.ts',
  'testing-vitest': 'src/testing/vitest.ts',
  'testing-node-test': 'src/testing/node-test.ts',
  // Few servers make a certificate: the file for `serve` loads it from here, in place of a copy of half a megabyte.
  selfsigned: fileURLToPath(import.meta.resolve('selfsigned')),
  // Only sites call another server.
  undici: fileURLToPath(import.meta.resolve('undici')),
};

/** What must start soon: the program for `serve`, and the thread of each command that opens a store. One file loads in half the time of a hundred. */
const IN_ONE_FILE = {
  serve: 'src/cli/main.ts',
  'sqlite-worker': 'src/stores/sqlite/sqlite-worker.ts',
};

/** What `--device-file` knows by name. */
const DEVICE_FILES = 'fixtures/device-files';

/** What `--map` knows by name. */
const SHOP_MAPS = 'fixtures/shop-maps';

/** CommonJS packages inside the bundle call `require`, which an ES module has to be given. */
const REQUIRE_FOR_COMMONJS =
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** Modules are run in the order of their imports: an older Node is refused before it reads what it does not know. */
const SUPPORTED_NODE = "import '../bin/supported-node.cjs';";

/**
 * Imported, these read all their members, also those that load more at first use: undici, streams, the standard input. That is
 * 20 ms of a start. Required, they read what is used.
 */
const REQUIRED: Plugin = {
  name: 'required',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:(fs|http|process)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => {
      const members = Object.getOwnPropertyDescriptors(process.getBuiltinModule(path));
      const names = Object.keys(members).filter((name) => 'value' in (members[name] ?? {}));
      return {
        contents: `const required = process.getBuiltinModule('${path}');
export default required;
export const { ${names.join(', ')} } = required;`,
      };
    });
  },
};

/** Leaves out the commands that a file for one of them never runs, and what lies in a file of its own. */
const SERVE_ALONE: Plugin = {
  name: 'serve-alone',
  setup({ onResolve }) {
    onResolve({ filter: /^(selfsigned|undici)$/ }, ({ path }) => ({
      path: `./${path}.js`,
      external: true,
    }));
    onResolve({ filter: /^/ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' &&
      importer.includes('/src/cli/') &&
      !path.endsWith('/testing/commands/serve.ts')
        ? { path, external: true }
        : undefined,
    );
  },
};

const COMMONJS_ENTRY =
  "'use strict';\nmodule.exports = require('../bin/require-module.cjs')(__filename);\n";

const { resolve } = createRequire(import.meta.url);

/** True for tests: they need the program, not the types beside it. */
const withoutTypes = process.argv.includes('--without-types');

// The dashboard is built only when its sources have changed, so what was built before stays.
for (const entry of existsSync('dist') ? readdirSync('dist') : []) {
  if (entry !== 'dashboard' && !(withoutTypes && entry.startsWith('types')))
    rmSync(`dist/${entry}`, { recursive: true, force: true });
}
const types = withoutTypes
  ? undefined
  : writeTypes({
      imported: publicEntries(({ types: file }) => file),
      required: publicEntries(({ require: { types: file } = {} }) => file),
    });
const options = {
  outdir: 'dist',
  bundle: true,
  metafile: true,
  format: 'esm',
  platform: 'node',
  external: [
    // The test runner is the user's own: two of them in one process know nothing of each other.
    'vitest',
    // The framework requires these only where it is given no others (src/scan/http/app.ts).
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
  ],
  target: 'node22.20',
  minifySyntax: true,
  minifyWhitespace: true,
  // Names inside a file that nobody reads are a tenth of it; functions keep theirs for the report of a crash.
  minifyIdentifiers: true,
  keepNames: true,
  legalComments: 'linked',
  banner: { js: `${SUPPORTED_NODE} ${REQUIRE_FOR_COMMONJS}` },
  chunkNames: '[name]-[hash]',
  // For compressed fonts; Node has it.
  alias: { 'brotli/decompress.js': resolvePath('scripts/node-brotli.ts') },
  plugins: [REQUIRED],
  logLevel: 'warning',
} as const satisfies BuildOptions;
const built = await Promise.all([
  build({ ...options, entryPoints: ENTRY_POINTS, splitting: true }),
  build({ ...options, entryPoints: IN_ONE_FILE, plugins: [REQUIRED, SERVE_ALONE] }),
]);
for (const file of publicEntries(({ require: { default: file } = {} }) => file))
  writeFileSync(file, COMMONJS_ENTRY);
for (const asset of Object.values(ASSETS)) cpSync(resolve(asset), `dist/assets/${basename(asset)}`);
for (const name of globSync('*.json', { cwd: SHOP_MAPS }))
  cpSync(join(SHOP_MAPS, name), `dist/assets/shop-${name}`);
for (const name of globSync('*.yaml', { cwd: DEVICE_FILES }))
  cpSync(join(DEVICE_FILES, name), `dist/assets/${name}`);
await types;
await buildDashboard();
const read = [
  ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)),
  ...Object.values(ASSETS).map((asset) => resolve(asset)),
];
writeFileSync(PACKAGE_LISTS[0], JSON.stringify(packagesOf(read)));

/** What package.json exports under one name. */
interface ExportedEntry {
  readonly types?: string;
  readonly require?: { readonly types?: string; readonly default?: string };
}

/** The files that package.json exports, without those that are exported as they are. */
function publicEntries(fileOf: (entry: ExportedEntry) => string | undefined): string[] {
  const entries: (string | ExportedEntry)[] = Object.values(packageFile.exports);
  return entries.flatMap((entry) => (typeof entry === 'object' ? (fileOf(entry) ?? []) : []));
}
