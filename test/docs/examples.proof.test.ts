import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, type TestContext, test } from 'vitest';
import { isOnPath } from '../support/needed-programs.ts';

const run = promisify(execFile);
const EXAMPLES = globSync('examples/**/*.{js,ts}', { exclude: ['**/node_modules/**'] });

function emptyFolder({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('every value that a public entry exports is in an example', () => {
  const text = EXAMPLES.map((file) => readFileSync(file, 'utf8')).join('\n');
  const shown = new Set(text.match(/\w+/g));
  const entries = ['index', 'client', 'check', 'simulate', 'testing', 'testing-node-test'];
  const load = `for (const entry of ${JSON.stringify(entries)}) {
    for (const name of Object.keys(await import(\`${resolve('dist')}/\${entry}.js\`))) console.log(name);
  }`;
  const exported = execFileSync(process.execPath, ['--input-type=module', '-e', load])
    .toString()
    .trim()
    .split('\n');

  expect(exported.length).toBeGreaterThan(30);
  expect(exported.filter((name) => !shown.has(name))).toEqual([]);
});

test.each(
  EXAMPLES.filter((file) => /\bprocess\.env\b/u.test(readFileSync(file, 'utf8'))).map((file) => [
    file,
  ]),
)('%s says which variables it needs, in a line instead of a stack', async (file) => {
  const names = readFileSync(file, 'utf8').match(/(?<=const \{ )[A-Z_, ]+(?= \} = process\.env)/u);
  const { PATH } = process.env;
  const failed = await run(process.execPath, [file], { env: { PATH } }).catch((error) => error);
  expect([failed.code, failed.stderr.trim().split('\n').length]).toEqual([2, 1]);
  for (const name of names?.[0].split(', ') ?? ['']) expect(failed.stderr).toContain(name);
});

test.for([
  ['python3', 'examples/container/test_gate.py'],
  ['java', 'examples/container/Gate.java'],
] as const)('in %s too', async ([program, file], { skip }) => {
  skip(!isOnPath(program), `${program} is not installed`);
  const { PATH, HOME } = process.env;
  const failed = await run(program, [file], { env: { PATH, HOME } }).catch((error) => error);
  expect(failed.stderr.trim().split('\n')).toEqual([
    'Set TICKETSCAN_TEST_URL and TICKETSCAN_TEST_CONTROLS_TOKEN to those of the container.',
  ]);
});

test('every example is run by a test', () => {
  const tests = globSync('test/**/*.test.ts').map((file) => readFileSync(file, 'utf8'));
  const isRun = (file: string) => {
    const path = file.slice('examples/'.length);
    const names = [path, `copyExample('${dirname(path)}'`];
    return tests.some((text) => names.some((name) => text.includes(name)));
  };

  expect(EXAMPLES.filter((file) => !isRun(file))).toEqual([]);
});

// They wait for most of their time.
test.concurrent.for<[string, RegExp[]]>([
  [
    'check/check.js',
    [/^\d{3} cases/, /^exit 0 .*incomplete/m, /^cannot be asked: .*\nno answer$/m],
  ],
  ['check/device.js', [/^3 of \d\d cases passed\nexit 0$/m]],
  ['check/explore.js', [/^nothing in \d+ requests/, /^two servers: alike$/m]],
  [
    'simulate/gate.js',
    [
      /^the image holds the code: true\ngranted IN\na fleet scanned\n"gate" is not a server address/,
    ],
  ],
  ['simulate/virtual-time.js', [/^open: IN\nan hour later: undefined\ngranted: 100\nvirtual true/]],
])('the example %s runs', async ([file, expected], context) => {
  const cwd = emptyFolder(context);
  const { stdout } = await run(process.execPath, [resolve('examples', file)], { cwd });
  for (const line of expected) expect(stdout).toMatch(line);
});

test('the example tickets/mint.js runs on a store of the command line', async (context) => {
  const cwd = emptyFolder(context);
  const ticketscan = (...args: string[]) =>
    run(process.execPath, [resolve('bin/ticketscan.js'), ...args], { cwd });
  const { stdout: created } = await ticketscan('events', 'create', '--name', 'Pool', '--json');
  await ticketscan('mint', '--event', 'Pool', '--out', 'first', '--format', 'json');
  await ticketscan('signing-keys', 'rotate', '--format', 'TS2');
  await ticketscan('signing-keys', 'export-public', '--out', 'public.json');
  const { stdout } = await run(process.execPath, [resolve('examples/tickets/mint.js')], {
    cwd,
    env: {
      ...process.env,
      STORE: 'sqlite:./ticketscan.db',
      KEYRING: 'ticketscan.keyring.json',
      PUBLIC_KEYS: 'public.json',
      EVENT: JSON.parse(created).id,
    },
  });
  expect(stdout).toMatch(/^tkt_\w+: genuine\nnot_found: /);
});
