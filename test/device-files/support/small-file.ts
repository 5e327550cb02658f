import { expect } from 'vitest';

/** The smallest file that can be loaded. */
export const SMALL = `deviceFile: 1
name: small
title: A small reader
proven: nothing
requests:
  - kind: scan
    code: { form: data }
answers:
  granted: { type: text/plain, body: open }
  denied: { type: text/plain, body: 'shut {{note}}' }
`;

/** The smallest file with one of its texts replaced. */
export const changed = (from: string, to: string): string => {
  expect(SMALL).toContain(from);
  return SMALL.replace(from, to);
};
