import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { words } from '../support/words.ts';

const run = promisify(execFile);
const root = resolve('.');
/** As in a shell of one's own: the runner that runs this must not tell the one it starts what to do. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_V8|NODE_TEST|NODE_OPTIONS)/.test(name),
  ),
);

test.each([
  ['vitest', 'examples/vitest/gate.test.ts', 3],
  ['node:test', 'examples/node-test/gate.test.js', 3],
  ['node:test and a service in another process', 'examples/other-process/gate.test.js', 1],
])('the example for %s runs as it is shipped, and is short', async (runner, file, tests) => {
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThan(30);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args =
    runner === 'vitest'
      ? [vitest, 'run', '--root', 'examples/vitest', '--reporter', 'tap-flat']
      : ['--test', '--test-reporter', 'tap', file];
  const { stdout } = await run(process.execPath, args, { cwd: root, env });
  expect(stdout.match(/^ok \d+ - /gm)).toHaveLength(tests);
  expect(stdout).not.toMatch(/^not ok/m);
});

/** A project that has this package, and nothing but that, installed. */
function someoneElsesProject(file: string, source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-project-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/ticketscan'));
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, file), source);
  return folder;
}

const STRICT = words`--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes`;
const MODULES = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext.disposable'];

function compile(cwd: string, file: string) {
  const compiler = fileURLToPath(import.meta.resolve('typescript/lib/tsc.js'));
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  return run(
    process.execPath,
    [compiler, ...STRICT, ...MODULES, ...types, '--skipLibCheck', file],
    { cwd },
  );
}

test('the types hold in a strict project, and refuse what does not fit', async () => {
  const good = `
    import { connectTicketscan, startTicketscan, type TicketscanService } from 'ticketscan/testing';
    import { useTicketscan } from 'ticketscan/testing/node-test';
    import { test } from 'ticketscan/testing/vitest';
    await using service: TicketscanService = await startTicketscan({ seed: 'all-states' });
    const code: string = service.ticket('single');
    await service.advance('2h');
    await service.fail({ effect: 'delay', delay: { medianMs: 50, sigma: 0.5 }, times: 3 });
    for (const { explanation } of await service.requests()) console.log(explanation?.answer, code);
    test('typed', async ({ service }) => { const url: string = service.url; console.log(url); });
    const other: TicketscanService = await connectTicketscan(service.url, { testToken: service.testToken, seed: 'keys-only' });
    export const third: TicketscanService = await useTicketscan();
    await other.close();
  `;
  await compile(someoneElsesProject('good.ts', good), 'good.ts');
  const wrong = `
    import { startTicketscan } from 'ticketscan/testing';
    const service = await startTicketscan();
    await service.fail({ effect: 'explode' });
  `;
  await expect(compile(someoneElsesProject('wrong.ts', wrong), 'wrong.ts')).rejects.toMatchObject({
    stdout: expect.stringMatching(/wrong\.ts\(4,.*explode/),
  });
});

test('the fixture for vitest takes the options of a service', async () => {
  const source = `
    import { test } from 'ticketscan/testing/vitest';
    import { expect } from 'vitest';
    const lenient = test.extend({ ticketscan: [{ hardwareAlways200: true }, { scope: 'file' }] });
    const answerTo = ({ url }) => fetch(url + '/scan/hw/consume?key=wrong', { method: 'POST', body: '{}' });
    lenient('each answer is 200', async ({ service }) => {
      expect((await answerTo(service)).status).toBe(200);
      expect(service.ticket('single')).toMatch(/tkt_/);
    });
    test('and only there', async ({ service }) => {
      expect((await answerTo(service)).status).toBe(401);
    });
  `;
  const folder = someoneElsesProject('gate.test.js', source);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--reporter', 'tap-flat'];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  expect(stdout.match(/^ok \d+ - /gm)).toHaveLength(2);
});

test('a service of one’s own ends with its block', async () => {
  const source = `
    import { startTicketscan } from 'ticketscan/testing';
    let url = '';
    {
      await using service = await startTicketscan({ seed: 'all-states' });
      url = service.url;
      console.log((await fetch(url + '/healthz')).status);
      await service.fail({ effect: 'hang' });
      fetch(url + '/scan/validate', { method: 'POST' }).catch(() => {});
      while ((await service.requests()).length < 1) await new Promise(setImmediate);
    }
    console.log(await fetch(url).catch(() => 'ended'));
  `;
  const folder = someoneElsesProject('own.js', source);
  const { stdout, stderr } = await run(process.execPath, ['own.js'], { cwd: folder, env });
  expect([stdout, stderr]).toEqual(['200\nended\n', '']);
});
