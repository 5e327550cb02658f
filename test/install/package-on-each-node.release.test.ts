import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { CliFolder, consume, targetOf } from '../support/cli.ts';
import { isMissing, JEST, NODE_20, SUPPORTED_NODES } from './support/outside.ts';
import { Stranger } from './support/stranger.ts';

const SCRIPTS = resolve('test/install/support');
const script = (name: string) => readFileSync(join(SCRIPTS, name), 'utf8');

let stranger: Stranger;
beforeAll(() => {
  stranger = new Stranger();
});
afterAll(() => stranger[Symbol.dispose]());

describe.skipIf(isMissing).each(SUPPORTED_NODES)('on Node %s', (_, node) => {
  const program = () => new CliFolder(node, join(stranger.installed, 'bin/ticketscan.js'));

  test('the command mints tickets and reads their images', async () => {
    await using folder = program();
    expect((await folder.run(['--help'])).out).toMatch(/^Usage: ticketscan/);
    await folder.run(['events', 'create', '--name', 'Pool']);
    const mint = ['mint', '--event', 'Pool', '--out', 'out', '--no-verify'];
    expect(await folder.run([...mint, '--format', 'png,svg,pdf'])).toMatchObject({ code: 0 });
    const decoded = await folder.json(['decode', 'out']);
    expect(decoded).toMatchObject(Array(3).fill({ verified: true }));
  });

  test('the command serves, and the server passes the check', async () => {
    await using folder = program();
    await folder.run(['seed', '--count', '5', '--out', 'target.json']);
    const target = targetOf(readFileSync(join(folder.path, 'target.json'), 'utf8'));
    const { url, stop } = await folder.serve();
    const scan = () => consume(url, target.keys['rest'] ?? '', target.tickets['single']?.[0] ?? '');
    expect([(await scan()).status, (await scan()).status]).toEqual(['consumed', 'exhausted']);
    expect(await (await fetch(url)).text()).toContain('<div id="root">');
    const check = ['check', url, '--target', 'target.json', '--consume', '--only', '7.2/*'];
    expect(await folder.run(check)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\d+ passed, 0 failed[\s\S]*The deployment conforms/),
    });
    expect(await stop()).toBe(0);
  });

  test('every entry can be imported and used', async () => {
    await using folder = program();
    const { id } = await folder.json(['events', 'create', '--name', 'Pool']);
    await folder.run(['mint', '--event', id, '--out', 'out']);
    stranger.write('every-entry.mjs', script('every-entry.mjs'));
    const file = join(stranger.folder, 'every-entry.mjs');
    const { stdout } = await stranger.run(node, [file, id, 'ticketscan.keyring.json'], folder.path);
    expect(JSON.parse(stdout)).toEqual({
      minted: true,
      image: 'PNG',
      client: 'consumed',
      device: 'granted',
      check: 'conforms',
      failed: 0,
      requests: 1,
    });
  });

  test('every entry can be required', async () => {
    stranger.write('every-require.cjs', script('every-require.cjs'));
    const { stdout } = await stranger.run(node, ['every-require.cjs']);
    expect(stdout.match(/: true$/gm)).toHaveLength(6);
    expect(stdout).not.toContain('false');
  });

  test('the examples for node:test, Jest and Vitest run', async () => {
    const nodeTest = stranger.copyExample('node-test', 'module');
    const tap = ['--test', '--test-reporter', 'tap'];
    expect((await stranger.run(node, tap, nodeTest)).stdout).toContain('# pass 3');

    const jest = stranger.copyExample('jest', 'commonjs');
    expect((await stranger.run(node, [JEST, '--rootDir', jest], jest)).stderr).toContain(
      'Tests:       2 passed',
    );

    const vitest = stranger.copyExample('vitest', 'module');
    stranger.write('vitest/commonjs.test.cjs', script('vitest-commonjs.test.cjs'));
    const vitestRun = [stranger.borrow('vitest'), 'vitest.mjs'].join('/');
    expect((await stranger.run(node, [vitestRun, 'run'], vitest)).stdout).toMatch(/4 passed/);
  });
});

test.skipIf(isMissing)('a Node that is too old is refused politely at every entry', async () => {
  const refusal =
    /ticketscan needs Node 24\.7 or newer, or Node 22 from 22\.20 on; this is v20\.\d/;
  const program = join(stranger.installed, 'bin/ticketscan.js');
  await using folder = new CliFolder(NODE_20, program);
  const { code, out, err } = await folder.run(['check', 'http://127.0.0.1:1']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(refusal);
  expect(err.trim().split('\n')).toHaveLength(2);
  expect(err).toContain('npm i -D node@26');

  const names = Object.keys(packageFile.exports).filter((name) => !/json$|vitest$/.test(name));
  const ways = names.flatMap((name) => {
    const module = `ticketscan${name.slice(1)}`;
    return [`import('${module}')`, `require('${module}')`];
  });
  for (const way of ways) {
    const said = await stranger.run(NODE_20, ['-e', way]).then(
      () => 'loaded',
      ({ stderr }) => stderr,
    );
    expect(said, way).toMatch(refusal);
    expect(said, way).not.toContain('    at ');
  }
});
