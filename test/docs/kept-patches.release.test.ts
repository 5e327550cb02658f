import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from 'vitest';

const PATCHES = ['add-operation', 'add-ticket-field'].map((name) =>
  resolve(`fixtures/cost/${name}.patch`),
);
const NOT_COPIED = new Set(
  ['node_modules', '.ci/outside/node_modules', 'dist', '.git'].map((name) => resolve(name)),
);
const TREE_MS_MAX = 300_000;

const tree = mkdtempSync(join(tmpdir(), 'ticketscan-kept-patches-'));
async function run(command: string, ...args: string[]): Promise<void> {
  // The programs that wait for commands of this run are those of the checkout, without the patches.
  const env = { ...process.env, TICKETSCAN_TEST_ON_DEMAND: undefined };
  await promisify(execFile)(command, args, { cwd: tree, env, maxBuffer: 1e8 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    },
  );
}
const tool = (name: string) => resolve('node_modules/.bin', name);

beforeAll(async () => {
  cpSync(resolve('.'), tree, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  await run('git', 'apply', ...PATCHES);
});
afterAll(() => rmSync(tree, { recursive: true }));

/** What the patches and their tests reach; the other tests of the tree are as they were. */
const REACHED = { extends: './tsconfig.json', include: ['src', 'test/cost'] };

test('the kept patches have their types, and work in each face of the built program', {
  timeout: TREE_MS_MAX,
}, async () => {
  writeFileSync(join(tree, 'tsconfig.patches.json'), JSON.stringify(REACHED));
  const types = ['tsconfig.patches.json', 'src/dashboard'].map((project) =>
    run(tool('tsc'), '-p', project),
  );
  const works = run(process.execPath, 'scripts/build.ts', '--without-types').then(() =>
    run(tool('vitest'), 'run', '--project', 'tests', 'test/cost', 'test/stores/sqlite-rows'),
  );
  await Promise.all([...types, works]);
});
