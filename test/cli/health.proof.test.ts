import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';

const here = new InProcess();
afterAll(() => here[Symbol.asyncDispose]());

test.each([
  ['plain HTTP', {}],
  ['TLS on all', { TICKETSCAN_HOST: '0.0.0.0', TICKETSCAN_TLS_SELF_SIGNED: 'true' }],
])('health finds the service of the same variables: %s', async (_what, variables) => {
  await using folder = new CliFolder();
  const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const server = await folder.serve(['--store', 'memory:'], ['env', ...environment]);
  const env = { ...variables, TICKETSCAN_PORT: new URL(server.url).port };
  const health = await here.run('health', env);
  expect(health).toMatchObject({ code: 0, out: `${server.url} is ready.\n`, err: '' });
  expect(await server.stop()).toBe(0);
  expect(await here.run('health', env)).toMatchObject({ code: 3, out: '' });
});

test.each([
  [503, 'is not ready: its store cannot write'],
  [404, 'answers /readyz with 404: it is not ticketscan'],
  [101, 'with 101: it is not'],
])('health says no when /readyz answers %i', async (status, words) => {
  const upgrade =
    status === 101 ? 'Upgrade: x\r\nConnection: Upgrade\r\n' : 'Connection: close\r\n';
  const other = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(`HTTP/1.1 ${status} Whatever\r\n${upgrade}\r\n`);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const text = await here.run(`health --port ${port}`);
  expect(text).toMatchObject({ code: 1, out: expect.stringContaining(words) });
  const { code, out } = await here.run(`health --port ${port} --json`);
  const url = `http://127.0.0.1:${port}`;
  expect([code, JSON.parse(out)]).toEqual([1, { ready: false, url, status }]);
});
