import { expect, test } from 'vitest';
import { reportFailure } from '../../src/terminal/io.ts';

test.each([
  [
    { code: 'ENOENT', syscall: 'uv_cwd' },
    'ticketscan: The current folder does not exist any more.',
    2,
  ],
  [{ code: 'ENOSPC', syscall: 'write' }, 'ticketscan: A file cannot be used: the disk is full.', 2],
  [{ code: 'ERR_X' }, 'ticketscan: internal error: boom (ERR_X)', 4],
])('%j', (properties, message, code) => {
  const said: string[] = [];
  const codes: number[] = [];
  const io = {
    env: {},
    err: (line: string) => said.push(line),
    exit: (one: number) => codes.push(one),
  };
  reportFailure(io as never, Object.assign(new Error('boom'), properties));
  expect([said, codes]).toEqual([[message], [code]]);
});
