import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

const folder = new CliFolder();
beforeAll(() => {
  for (const name of ['zero.json', 'zero.png', 'zero.csv'])
    symlinkSync('/dev/zero', join(folder.path, name));
  spawnSync('mkfifo', [join(folder.path, 'pipe.png')]);
});
afterAll(() => folder[Symbol.asyncDispose]());

const URL = 'http://127.0.0.1:9';

test.each([
  ['decode', 'zero.png', '--public-key', 'zero.json'],
  ['scan', 'x', '--key', 'file:/dev/zero', '--url', URL],
  ['scan', 'x', '--key', 'x', '--url', URL, '--ca', '/dev/zero'],
  ['serve', '--config', 'zero.json'],
  ['check', URL, '--target', 'zero.json'],
  ['record', 'send', 'zero.json', URL],
  ['simulate', URL, '--cards-from', 'zero.csv', '--key', 'x'],
])(
  '%s with a file that has no end: it is too large',
  async (...args) => {
    const { code, err } = await folder.run(args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/too large|larger than/) });
  },
  30_000,
);

test.each(['zero.png', 'pipe.png', '/dev/zero'])(
  'decode says that %s is no regular file',
  async (path) => {
    await folder.run(['seed', '--store', 'sqlite:a.db']);
    const { code, out } = await folder.run(['decode', path, '--store', 'sqlite:a.db']);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('not a regular file') });
  },
  30_000,
);
