import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { SOCKET_VARIABLE } from '../support/on-demand/ask.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-started-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The command lines of all programs that a run of test files starts, from the test runner's own on. */
async function startedBy(...files: string[]): Promise<string[]> {
  const trace = join(folder, 'trace');
  const { [SOCKET_VARIABLE]: _, ...env } = process.env;
  await promisify(execFile)(
    'strace',
    [
      ...['-f', '-qq', '-s', '1000', '-e', 'trace=execve', '-e', 'status=successful', '-o', trace],
      ...[process.execPath, resolve('node_modules/vitest/vitest.mjs'), 'run', '--project', 'tests'],
      ...files,
    ],
    { env },
  );
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes('execve('));
}

const programOf = (line: string) => basename(/execve\("([^"]+)"/.exec(line)?.[1] ?? '');
const isOurs = (line: string) => /warm-program|postgres|initdb|pg_ctl|chromium/.test(line);

test.skipIf(reasonToSkip({ strace: isOnPath('strace') }))(
  'a test file that uses no database, program or browser starts none; one that runs a command starts a program',
  async () => {
    const pure = await startedBy('test/core/decision.test.ts');
    expect(pure.filter(isOurs)).toEqual([]);
    expect([...new Set(pure.map(programOf))].sort()).toEqual(['esbuild', 'node']);

    const running = await startedBy('test/cli/signing-keys.test.ts');
    expect(running.filter((line) => line.includes('warm-program'))).toHaveLength(1);
  },
);
