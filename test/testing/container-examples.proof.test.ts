import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { serveAsContainer, TOKEN, TOKEN_VARIABLE } from './support/container-example.ts';

const run = promisify(execFile);

describe('the example for a service in a container', () => {
  let service: Awaited<ReturnType<typeof serveAsContainer>>;
  beforeAll(async () => {
    service = await serveAsContainer();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  test('runs with Node', async () => {
    const args = ['--test', '--test-reporter', 'tap', 'examples/container/gate.test.js'];
    const { stdout } = await run(process.execPath, args, { env: service.env });
    expect(stdout.match(/^ok \d+ - /gm)).toHaveLength(2);
    expect(stdout).not.toMatch(/^not ok/m);
  });

  const noPython = reasonToSkip({ python3: isOnPath('python3') });
  test.skipIf(noPython !== undefined)('runs with Python', async () => {
    const { env } = service;
    const { stderr } = await run('python3', ['-B', 'examples/container/test_gate.py'], { env });
    expect(stderr).toMatch(/Ran 2 tests in .*\n\nOK\n/s);
  });

  test('fails without the token', async () => {
    const wrong = { ...service.env, [TOKEN_VARIABLE]: `${TOKEN}x` };
    const failed = run(process.execPath, ['examples/container/gate.test.js'], { env: wrong });
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(/has no test controls for this token/),
    });
  });
});
