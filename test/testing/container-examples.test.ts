import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';

const run = promisify(execFile);
const TOKEN = 'given-0123456789abcdefghij';

/** The examples for a service in a container: here it is another process, called by an address of the network. */
describe('the example for a service in a container', () => {
  const folder = new CliFolder();
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    const args = ['--store', 'memory:', '--host', '0.0.0.0', '--tls-elsewhere'];
    const variable = 'TICKETSCAN_TEST_CONTROLS_TOKEN';
    const { firstLine } = await folder.serve(args, ['env', `${variable}=${TOKEN}`]);
    const [here = '', network] = firstLine['urls'] as string[];
    const url = network ?? here.replace('127.0.0.1', '127.0.0.2');
    env = { PATH: process.env['PATH'], TICKETSCAN_TEST_URL: url, [variable]: TOKEN };
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test('runs with Node', async () => {
    const args = ['--test', '--test-reporter', 'tap', 'examples/container/gate.test.js'];
    const { stdout } = await run(process.execPath, args, { env });
    expect(stdout.match(/^ok \d+ - /gm)).toHaveLength(2);
    expect(stdout).not.toMatch(/^not ok/m);
  });

  const noPython = reasonToSkip({ python3: isOnPath('python3') });
  test.skipIf(noPython !== undefined)('runs with Python', async () => {
    const { stderr } = await run('python3', ['-B', 'examples/container/test_gate.py'], { env });
    expect(stderr).toMatch(/Ran 2 tests in .*\n\nOK\n/s);
  });

  test.skipIf(!isOnPath('javac'))('runs with Java', async () => {
    const { stdout } = await run('java', ['examples/container/Gate.java'], { env });
    expect(stdout).toBe('ok admitted\nok only once\nok expired\n');
  });

  test('fails without the token', async () => {
    const wrong = { ...env, TICKETSCAN_TEST_CONTROLS_TOKEN: `${TOKEN}x` };
    const failed = run(process.execPath, ['examples/container/gate.test.js'], { env: wrong });
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(/has no test controls for this token/),
    });
  });
});
