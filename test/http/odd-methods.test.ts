import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startJudge } from '../check/support/judge.ts';
import { PATIENTLY } from '../support/patience.ts';
import { open, serve } from './support/served.ts';

/** Requests that Node's HTTP refuses without a word, unless a server listens to them. */
const SILENT = {
  'an expectation that nobody knows': (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nExpect: something\r\n\r\n`,
  CONNECT: (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`,
};

async function firstLine(port: number, text: string): Promise<string> {
  const socket = open(port);
  socket.write(text);
  const [answer] = await once(socket, 'data');
  return String(answer).split('\r\n')[0] ?? '';
}

test.each(Object.entries(SILENT))('the judge of devices sees %s as a request', async (_, head) => {
  const judge = await startJudge(false);
  expect(await firstLine(judge.port, head('/scan'))).toBe('HTTP/1.1 200 OK');
  expect(judge.requests).toEqual(['/scan']);
  // Two requests on a connection get two answers, in order.
  const socket = open(judge.port);
  let said = '';
  socket.on('data', (bytes) => {
    said += bytes;
  });
  socket.write(`GET /one HTTP/1.1\r\nHost: x\r\n\r\n${head('/two')}`);
  await expect.poll(() => said.match(/HTTP\/1\.1 200/g), PATIENTLY).toHaveLength(2);
  expect(judge.requests).toEqual(['/scan', '/one', '/two']);
});

test('the listener of the metrics answers them as any request, and counts what it refuses', async () => {
  const { metricsPort, metrics } = await serve({});
  const expected = await firstLine(
    metricsPort,
    SILENT['an expectation that nobody knows']('/metrics'),
  );
  expect(expected).toBe('HTTP/1.1 401 Unauthorized');
  expect(await firstLine(metricsPort, SILENT.CONNECT('/metrics'))).toBe(
    'HTTP/1.1 405 Method Not Allowed',
  );
  const text = await metrics();
  expect(text).toContain('ticketscan_refused_requests_total{reason="metrics_token"} 1\n');
  expect(text).toContain('ticketscan_refused_requests_total{reason="wrong_method"} 1\n');
});
