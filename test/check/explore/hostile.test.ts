import http from 'node:http';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { explore } from '../../../src/check/index.ts';
import { type ServerOptions, startServer, writeReply } from '../../mutants/reference/server.ts';
import { makeWorld } from '../../mutants/reference/world.ts';
import { jsonFile, temporaryFolder } from '../support/files.ts';
import { listen } from '../support/listen.ts';
import { runCommand } from '../support/run-command.ts';

const limits = { rate: 1e6, burst: 1e6 };

async function exploration(url: string, target: object, ...args: string[]) {
  const file = jsonFile({ ...target, baseUrl: url, limits });
  const save = ['--save', `${temporaryFolder()}/fault.json`];
  const common = ['--target', file, '--seed', '7', '--consume', ...save];
  return runCommand(['check', 'explore', ...common, '--budget', '300', ...args]);
}

async function right(options: ServerOptions = {}) {
  const server = await startServer(options);
  onTestFinished(server.close);
  return server;
}

test('a budget that allows no history is a usage error, and nothing is sent', async () => {
  const { code, stderr } = await exploration(
    'http://127.0.0.1:9',
    makeWorld().target,
    '--budget',
    '1',
  );
  expect(stderr).toContain('at least 10 requests');
  expect(code).toBe(2);
});

test('a target without tickets is explored with what it has, and the end says so', async () => {
  const { baseUrl, target } = await right();
  const { code, stdout } = await exploration(baseUrl, { keys: target.keys }, '--budget', '60');
  expect(stdout).toContain('Not tried, because the target has no such ticket: single,');
  expect(code).toBe(0);
});

test.each([
  [
    'an answer that is no HTTP',
    net.createServer((socket) => void socket.end('SSH-2.0\r\n\r\n')),
    3,
  ],
  ['a page', http.createServer((_, response) => void response.end('<html>Welcome</html>')), 1],
] as const)('%s ends with a sentence', async (_, server, exitCode) => {
  const { code, stdout, stderr } = await exploration(await listen(server), makeWorld().target);
  expect(stdout + stderr).toMatch(/does not speak HTTP|wrong-answer/);
  expect(code).toBe(exitCode);
});

test('a server that stops answering in the middle is a fault with a story, and is not waited for for ever', async () => {
  let answers = 0;
  const { baseUrl, target } = await right({
    write(response, reply) {
      answers += 1;
      if (answers < 30) writeReply(response, reply);
    },
  });
  const { code, stdout } = await exploration(
    baseUrl,
    target,
    '--timeout',
    '200ms',
    '--budget',
    '60',
  );
  expect(stdout).toContain('A fault (no-answer');
  expect(code).toBe(1);
});

test('a server that ends in the middle: what was found is told', async () => {
  let answers = 0;
  const world = makeWorld();
  const server = await startServer({
    world,
    write(response, reply) {
      answers += 1;
      if (answers < 30) return writeReply(response, reply);
      response.socket?.destroy();
      void server.close();
    },
  });
  const { code, stdout, stderr } = await exploration(server.baseUrl, world.target);
  expect(stdout + stderr).toContain('stopped answering');
  expect([1, 3]).toContain(code);
});

test('a server that shows what it was sent: no key and no code is told or saved', async () => {
  const { baseUrl, target } = await right({
    alter: (parts) => ({
      finish(reply, incoming) {
        const key = incoming.request.headers['x-api-key'] ?? incoming.query.get('key');
        return { ...parts.finish(reply, incoming), status: 500, body: `${key} ${incoming.body}` };
      },
    }),
  });
  const { stdout, stderr } = await exploration(baseUrl, target, '--json');
  expect(JSON.parse(stdout).failure.observed).toMatch(/\$\w+_KEY|\$TICKET/);
  const secrets = [
    ...Object.values(target.keys),
    ...Object.values(target.tickets).flatMap((tickets) =>
      tickets.map((one) => (typeof one === 'string' ? one : one.code)),
    ),
  ];
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
});

test('Ctrl-C while an answer is waited for ends at once, with a summary', async () => {
  let answers = 0;
  const stop = new AbortController();
  const { baseUrl, target } = await right({
    write(response, reply) {
      answers += 1;
      if (answers < 20) writeReply(response, reply);
      else setTimeout(() => stop.abort(), 50);
    },
  });
  const result = await explore({
    baseUrl,
    target,
    limits,
    consume: true,
    seed: 1,
    // Longer than a test may take.
    timeoutMs: 3_600_000,
    signal: stop.signal,
  });
  expect(result.verdict).toBe('stopped');
  expect(result.requests.find).toBeGreaterThan(10);
});
