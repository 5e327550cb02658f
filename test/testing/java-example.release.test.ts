import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { serveAsContainer } from './support/container-example.ts';

const run = promisify(execFile);
const noJava = reasonToSkip({ java: isOnPath('java'), javac: isOnPath('javac') });

test.skipIf(noJava !== undefined)(
  'the example for a service in a container runs with Java',
  async () => {
    await using service = await serveAsContainer();
    const { stdout } = await run('java', ['examples/container/Gate.java'], { env: service.env });
    expect(stdout).toBe('ok admitted\nok only once\nok expired\n');
  },
);
