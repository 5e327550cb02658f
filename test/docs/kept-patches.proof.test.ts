import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const patchOf = (name: string) => resolve(`fixtures/cost/${name}.patch`);
const NOT_COPIED = new Set(['node_modules', 'dist', '.git'].map((name) => resolve(name)));
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

beforeAll(() => {
  cpSync(resolve('.'), tree, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
});
afterAll(() => rmSync(tree, { recursive: true }));

test.each([
  // Its route and use case, its command, its button on a page with both languages, and its test.
  ['add-operation', 4],
  // A text of a ticket: stored, listed, exported and imported, shown and changed by page, API and command, and its test.
  ['add-ticket-field', 8],
])('the kept patch %s is an addition to %i source files', async (name, files) => {
  const touched = readFileSync(patchOf(name), 'utf8').match(/(?<=^\+\+\+ b\/)src\/.*$/gm);

  expect(touched).toHaveLength(files);
  await run('git', 'apply', patchOf(name));
});

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
