import { expect, test } from 'vitest';
import { PATIENTLY } from '../support/patience.ts';
import { open, serve } from './support/served.ts';

/** More than a server reads at once: what comes after the refusal is refused with it. */
const HEAD = `GET /metrics HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`;

test('a head that is too long is counted once, in however many packets it comes', async () => {
  const served = await serve({});
  for (const port of [served.port, served.metricsPort]) open(port).resume().write(HEAD);

  await expect.poll(served.metrics, PATIENTLY).toMatch(/reason="head_too_long"\} [2-9]/);
  expect(await served.metrics()).toMatch(/reason="head_too_long"\} 2\n/);
});
