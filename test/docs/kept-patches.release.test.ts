import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEPT_PATCHES, patchOf } from './support/kept-patches.ts';

const NOT_COPIED = new Set(
  ['node_modules', '.ci/outside/node_modules', 'dist', '.git'].map((name) => resolve(name)),
);
/** The proofs that hold what a patch writes down: schemas, statements about operations, columns and questions. */
const PROOFS = [
  'test/docs/schemas.proof.test.ts',
  'test/admin/openapi-administration.proof.test.ts',
  'test/cli/confirm.proof.test.ts',
  'test/stores/formats.proof.test.ts',
];
const TREE_MS_MAX = 1_800_000;
const SOMEBODY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

const tree = mkdtempSync(join(tmpdir(), 'ticketscan-kept-patches-'));
async function run(command: string, ...args: string[]): Promise<string> {
  // The programs that wait for commands of this run are those of the checkout, without the patches; what is built is for users;
  // and the tests there run as `npm test` runs them: their stores have no threads.
  const env = {
    ...process.env,
    TICKETSCAN_TEST_ON_DEMAND: undefined,
    NODE_ENV: undefined,
    TEST_STORE_THREADS: undefined,
  };
  const options = { cwd: tree, env, maxBuffer: 1e8 };
  return promisify(execFile)(command, args, options).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${args.join(' ').slice(0, 200)}\n${stdout}${stderr}`);
    },
  );
}
const tool = (name: string) => resolve('node_modules/.bin', name);

/** A copy with a history of one commit: what the patches change is told from that. */
beforeAll(async () => {
  // Tests of forbidden files load sources as another user.
  chmodSync(tree, 0o755);
  cpSync(resolve('.'), tree, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
  // Its caches are its own: what was green in the checkout is not green here.
  mkdirSync(join(tree, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((one) => one !== '.cache'))
    symlinkSync(resolve('node_modules', name), join(tree, 'node_modules', name));
  await run('git', 'init', '--quiet', '--initial-branch', 'tree');
  await run('git', 'add', '--all');
  await run('git', ...SOMEBODY, 'commit', '--quiet', '--no-verify', '--message', 'As it is');
});
afterAll(() => rmSync(tree, { recursive: true }));

// They do not touch each other's lines, so one build and one run prove all of them.
test('the kept patches have their types, and pass every test that they affect', {
  timeout: TREE_MS_MAX,
}, async () => {
  for (const name of Object.keys(KEPT_PATCHES))
    await run('git', 'apply', '--index', '--3way', patchOf(name));
  // One after the other: tests wait for clocks, and types take a processor.
  await run('npm', 'run', '--silent', 'types');
  await run(process.execPath, 'scripts/build.ts');
  const listed = await run(process.execPath, 'scripts/test-changed.ts', '--list');
  const affected = listed.trim().split('\n');
  // Those of each patch are among them.
  expect(affected).toEqual(
    expect.arrayContaining([
      'test/contract/personal-texts.test.ts',
      'test/core/codecs.test.ts',
      'test/cli/commands.test.ts',
      'test/cli/messages.test.ts',
      'test/admin/every-route.test.ts',
      'test/device-files/golden-packets.test.ts',
    ]),
  );
  await run(
    tool('vitest'),
    ...['run', '--project', 'tests', '--project', 'proofs', ...affected, ...PROOFS],
  );
});
