import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A complete operation: its route and use case, its command, its button on a page with both languages, and its test. */
const PATCH = resolve('fixtures/cost/add-operation.patch');
const NOT_COPIED = new Set(['node_modules', 'dist', '.git'].map((name) => resolve(name)));
const TYPES_MS_MAX = 300_000;

const tree = mkdtempSync(join(tmpdir(), 'ticketscan-added-operation-'));
async function run(command: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(command, args, { cwd: tree, maxBuffer: 1e8 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    },
  );
}
const tool = (name: string) => resolve('node_modules/.bin', name);

beforeAll(async () => {
  cpSync(resolve('.'), tree, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  await run('git', 'apply', PATCH);
});
afterAll(() => rmSync(tree, { recursive: true }));

test('an operation with its command and its button is an addition to 4 source files', () => {
  const touched = readFileSync(PATCH, 'utf8').match(/(?<=^\+\+\+ b\/)src\/.*$/gm);

  expect(touched).toHaveLength(4);
});

test.each(['.', 'src/dashboard'])(
  'the types of %s accept it',
  { timeout: TYPES_MS_MAX },
  (project) => run(tool('tsc'), '-p', project),
);

test('its route, its document and its call at a server work', () =>
  run(tool('vitest'), 'run', '--project', 'tests', 'test/cost'));
