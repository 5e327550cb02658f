import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

function aFolder(): CliFolder {
  const folder = new CliFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder;
}

test.each([
  ['plain HTTP', {}],
  [
    'a certificate on all addresses',
    { TICKETSCAN_HOST: '0.0.0.0', TICKETSCAN_TLS_SELF_SIGNED: 'true' },
  ],
])('health finds the service of the same variables with %s', async (_what, variables) => {
  const folder = aFolder();
  const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const server = await folder.serve(['--store', 'memory:'], ['env', ...environment]);
  const port = new URL(server.url).port;
  const health = await folder.run(['health'], { ...variables, TICKETSCAN_PORT: port });
  expect(health).toEqual({ code: 0, out: `${server.url} is ready.\n`, err: '' });
  expect(await server.stop()).toBe(0);
  const gone = await folder.run(['health'], { ...variables, TICKETSCAN_PORT: port });
  expect(gone).toMatchObject({ code: 3, out: '', err: expect.stringMatching(/nothing listens/i) });
});

test.each([
  [503, 'is not ready: its store cannot write'],
  [404, 'answers /readyz with 404: it is not ticketscan'],
])('health says no when /readyz answers %i', async (status, words) => {
  const other = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 200).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const folder = aFolder();
  const text = await folder.run(['health', '--port', String(port)]);
  expect(text).toMatchObject({ code: 1, out: expect.stringContaining(words) });
  const json = await folder.run(['health', '--port', String(port), '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toEqual({ ready: false, url: `http://127.0.0.1:${port}`, status });
});

test('health says no where a server changes to another protocol', async () => {
  const other = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, out } = await aFolder().run(['health', '--port', String(port)]);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('with 101: it is not') });
});
