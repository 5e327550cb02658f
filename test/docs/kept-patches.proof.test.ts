import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const NOT_COPIED = new Set(['node_modules', 'dist', '.git'].map((name) => resolve(name)));
const TYPES_MS_MAX = 300_000;

async function run(tree: string, command: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(command, args, { cwd: tree, maxBuffer: 1e8 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    },
  );
}
const tool = (name: string) => resolve('node_modules/.bin', name);

describe.each([
  // Its route and use case, its command, its button on a page with both languages, and its test.
  ['add-operation', 4],
  // A text of a ticket: stored, listed, exported and imported, shown and changed by page, API and command, and its test.
  ['add-ticket-field', 8],
])('the kept patch %s', (name, files) => {
  const patch = resolve(`fixtures/cost/${name}.patch`);
  const tree = mkdtempSync(join(tmpdir(), `ticketscan-${name}-`));
  beforeAll(async () => {
    cpSync(resolve('.'), tree, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
    symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
    await run(tree, 'git', 'apply', patch);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  test('is an addition to few source files', () => {
    const touched = readFileSync(patch, 'utf8').match(/(?<=^\+\+\+ b\/)src\/.*$/gm);

    expect(touched).toHaveLength(files);
  });

  test.each(['.', 'src/dashboard'])('has the types of %s', { timeout: TYPES_MS_MAX }, (project) =>
    run(tree, tool('tsc'), '-p', project),
  );

  test('works in each face', () =>
    run(tree, tool('vitest'), 'run', '--project', 'tests', 'test/cost'));
});
