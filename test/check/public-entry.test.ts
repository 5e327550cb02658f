import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../mutants/reference/server.ts';
import { words } from '../support/words.ts';
import { temporaryFolder } from './support/files.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A project that has this package installed. */
function someoneElsesProject(source: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'ticketscan'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'own-test.ts'), source);
  return folder;
}

test("the checker runs in someone else's test, with types", async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const folder = someoneElsesProject(`
    import { check, type CheckResult, exitCodeOf } from 'ticketscan/check';
    const result: CheckResult = await check({ baseUrl: process.argv[2]!, only: ['7.2/body-of-401{no-key}'] });
    console.log(result.verdict, exitCodeOf(result));
    // @ts-expect-error: an address is a text
    const wrong = () => check({ baseUrl: 1 });
  `);
  const { stdout } = await run(process.execPath, ['own-test.ts', server.baseUrl], { cwd: folder });
  expect(stdout).toBe('conforms 0\n');

  const compiler = fileURLToPath(import.meta.resolve('typescript/lib/tsc.js'));
  const options = words`--noEmit --strict --skipDefaultLibCheck --module nodenext --target es2024 --types node`;
  const typeRoots = ['--typeRoots', join(root, 'node_modules/@types')];
  await run(process.execPath, [compiler, ...options, ...typeRoots, 'own-test.ts'], { cwd: folder });
});
