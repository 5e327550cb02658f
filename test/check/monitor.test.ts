import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../mutants/reference/server.ts';
import { freePort } from '../support/free-port.ts';
import { jsonFile } from './support/files.ts';
import { runCommand } from './support/run-command.ts';

async function server(alter?: Parameters<typeof startServer>[0]) {
  const started = await startServer(alter);
  onTestFinished(() => started.close());
  return { ...started, file: jsonFile({ baseUrl: started.baseUrl, ...started.target }) };
}

const failsOnGoodTickets: Parameters<typeof startServer>[0] = {
  alter: (parts) => ({
    statusOf: (outcome, side) =>
      side === 'rest' && outcome.status === 'validated' ? 500 : parts.statusOf(outcome, side),
  }),
};

function monitor(...args: string[]) {
  return runCommand(['check', 'monitor', '--once', ...args]);
}

test('a right server: exit 0, one line, and no use is taken', async () => {
  const { file, world } = await server();
  const before = JSON.stringify([...world.tickets.values()]);
  const { code, stdout } = await monitor('--target', file);
  expect(stdout).toMatch(/^\d{4}-.* good .* 3 passed, \d+ ms\n$/);
  expect(code).toBe(0);
  expect(JSON.stringify([...world.tickets.values()])).toBe(before);
});

test('a server with wrong answers: exit 1, and the case with what was seen', async () => {
  const { file } = await server(failsOnGoodTickets);
  const { code, stdout } = await monitor('--target', file, '--json');
  const probe = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(probe).toMatchObject({ event: 'probe', result: 'deviates', passed: 2 });
  expect(probe.failed).toEqual([{ id: '4/good-ticket', observed: expect.stringContaining('500') }]);
});

test('a server that is gone: exit 3, and why', async () => {
  const { file } = await server();
  const { code, stdout } = await monitor(`http://127.0.0.1:${await freePort()}`, '--target', file);
  expect(stdout).toMatch(/unreachable .*connection refused/);
  expect(code).toBe(3);
});

test('a device needs no ticket for its heartbeat; without a key there is nothing to ask', async () => {
  const { baseUrl, target } = await server();
  const device = jsonFile({ baseUrl, keys: { hardware: target.keys['hardware'] } });
  expect(await monitor('--target', device)).toMatchObject({ code: 0 });
  const empty = await monitor('--target', jsonFile({ baseUrl }));
  expect(empty.code).toBe(2);
  expect(empty.stderr).toContain('keys.hardware');
  const none = await monitor(baseUrl);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('--target');
});

test('it goes on until Ctrl-C, which ends it with 0', async () => {
  const { file } = await server();
  const args = ['check', 'monitor', '--target', file, '--every', '1s', '--json'];
  const child = spawn(process.execPath, ['bin/ticketscan.js', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [first] = await once(createInterface(child.stdout), 'line');
  expect(JSON.parse(first)).toMatchObject({ result: 'good' });
  child.kill('SIGINT');
  expect((await once(child, 'exit'))[0]).toBe(0);
});
