import { expect, test } from 'vitest';
import { leaveBehind } from '../../prove/faults/gone-clients.ts';

test('clients that reset the connection behind a part of a request leave nothing in memory', async () => {
  const { left } = await leaveBehind('sqlite', 5000, 500);
  expect(Math.max(left.Socket, left.HTTPParser, left.IncomingMessage)).toBeLessThan(50);
});
