import { execFile } from 'node:child_process';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { words } from '../support/words.ts';

const run = promisify(execFile);
const root = resolve('.');
/** The variables of a shell of one's own: the runner that runs this must not tell the one it starts what to do. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_V8|NODE_TEST|NODE_OPTIONS)/.test(name),
  ),
);

test('the examples for node:test run as they are shipped, also with a service in another process', async () => {
  const files = ['examples/node-test/gate.test.js', 'examples/other-process/gate.test.js'];
  const args = words`--test --test-reporter tap ${files}`;
  const { stdout } = await run(process.execPath, args, { cwd: root, env });
  expect(stdout.match(/^ok \d+ - /gm)).toHaveLength(4);
  expect(stdout).not.toMatch(/^not ok/m);
});

test.each(globSync('examples/{vitest,node-test,other-process}/gate.test.*'))(
  '%s is short',
  (file) => {
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThan(30);
  },
);

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
    import { check, type CheckResult, exitCodeOf } from 'ticketscan/check';
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
    const result: CheckResult = await check({ baseUrl: service.url });
    console.log(result.verdict, exitCodeOf(result));
    // @ts-expect-error: there is no such effect
    await service.fail({ effect: 'explode' });
    // @ts-expect-error: an address is a text
    await check({ baseUrl: 1 });
  `;
  await compile(someoneElsesProject('good.ts', good), 'good.ts');
});

test('the example for vitest runs, and its fixture takes the options of a service', async () => {
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
  copyFileSync('examples/vitest/gate.test.ts', join(folder, 'shipped.test.ts'));
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--reporter', 'tap-flat'];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  expect(stdout.match(/^ok \d+ - /gm)).toHaveLength(5);
});

test('a service of one’s own is checked, and ends with its block', async () => {
  const source = `
    import { check, exitCodeOf } from 'ticketscan/check';
    import { startTicketscan } from 'ticketscan/testing';
    let url = '';
    {
      await using service = await startTicketscan({ seed: 'all-states' });
      url = service.url;
      console.log((await fetch(url + '/healthz')).status);
      const result = await check({ baseUrl: url, only: ['7.2/body-of-401{no-key}'] });
      console.log(result.verdict, exitCodeOf(result));
      await service.fail({ effect: 'hang' });
      fetch(url + '/scan/validate', { method: 'POST' }).catch(() => {});
      while ((await service.faults())[0].hits < 1) await new Promise(setImmediate);
    }
    console.log(await fetch(url).catch(() => 'ended'));
  `;
  const folder = someoneElsesProject('own.js', source);
  const { stdout, stderr } = await run(process.execPath, ['own.js'], { cwd: folder, env });
  expect([stdout, stderr]).toEqual(['200\nconforms 0\nended\n', '']);
});
