import http from 'node:http';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { check, exitCodeOf } from '../../src/check/index.ts';
import { startServer } from '../mutants/reference/server.ts';
import { makeWorld } from '../mutants/reference/world.ts';
import { words } from '../support/words.ts';
import { jsonFile } from './support/files.ts';
import { listen } from './support/listen.ts';
import { runCommand } from './support/run-command.ts';

const targetFile = () => jsonFile(makeWorld().target);
const fast = ['--max-rate', '5000'];

test('nobody listens: exit 3, and one sentence says so', async () => {
  const server = net.createServer();
  const url = await listen(server);
  server.close();
  const { code, stdout, stderr } = await runCommand(['check', url]);
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('nothing listens at')]);
});

/** What such a server does with a connection, and what is said of it after one try. */
const NO_SERVICE: Readonly<Record<string, readonly [(socket: net.Socket) => void, string]>> = {
  hangs: [() => {}, 'gives no answer in time (0.3 s)'],
  'sends a drop now and then': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const timer = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(timer));
    },
    'gives no answer in time (0.3 s)',
  ],
  'closes in the middle of a body': [
    (socket) =>
      socket.once('data', () => {
        socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 500\r\n\r\n{"message":');
      }),
    'ended after 11 bytes of its body (500 were announced)',
  ],
  'is no HTTP server': [(socket) => void socket.end('220 mail ready\r\n'), 'does not speak HTTP'],
};

test.each(Object.entries(NO_SERVICE))('a server that %s: exit 3', async (_, [behave, message]) => {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    behave(socket);
  });
  const { code, stderr } = await runCommand(words`check ${await listen(server)} --timeout 300ms`);
  expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
  expect(connections).toBeLessThan(5);
});

test('a web page instead of a service: exit 2, and the report says that it is one', async () => {
  const url = await listen(
    http.createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Welcome</title>');
    }),
  );
  const { code, stdout } = await runCommand(
    words`check ${url} --target ${targetFile()} --consume ${fast}`,
  );
  expect(code).toBe(2);
  expect(stdout).toContain('Every answer is something else than JSON');
});

test('a redirect is reported and not followed', async () => {
  let followed = 0;
  const elsewhere = await listen(
    http.createServer((_, response) => {
      followed += 1;
      response.end();
    }),
  );
  const url = await listen(
    http.createServer((_, response) => {
      response.writeHead(307, { location: elsewhere });
      response.end();
    }),
  );
  const { code, stdout } = await runCommand(['check', url, '--target', targetFile(), ...fast]);
  expect(code).toBe(2);
  expect(stdout).toContain(`redirect to ${elsewhere}, which is not followed`);
  expect(followed).toBe(0);
});

test('100 MB for an answer: no more than a little of each is read', async () => {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let most = 0;
  const url = await listen(
    http.createServer((_, response) => {
      let sent = 0;
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': 100_000_000,
      });
      const more = () => {
        while (sent < 100_000_000 && !response.destroyed) {
          sent += chunk.length;
          most = Math.max(most, sent);
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', more);
      more();
    }),
  );
  const { code, stdout } = await runCommand(
    words`check ${url} --target ${targetFile()} --consume ${fast}`,
  );
  expect(code).toBe(1);
  expect(stdout).toContain('a body of more than 256 KiB');
  expect(most).toBeLessThan(20_000_000);
});

test('a server that dies on the way: what was seen is reported, and exit 3', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  let left = 60;
  const proxy = http.createServer((request, response) => {
    left -= 1;
    if (left < 0) {
      proxy.close();
      proxy.closeAllConnections();
      return;
    }
    const { headers, method = 'POST', url } = request;
    const forward = http.request(`${server.baseUrl}${url}`, { headers, method }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forward);
  });
  const url = await listen(proxy);
  const target = jsonFile(server.target);
  const args = ['check', url, '--target', target, '--consume', '--json', ...fast];
  const { code, stdout } = await runCommand(args);
  const result = JSON.parse(stdout);
  expect(code).toBe(3);
  expect(result.brokenOff).toContain('stopped answering');
  expect(result.totals.skipped).toBeGreaterThan(100);
  expect(result.cases.length).toBeGreaterThan(100);
});

test('endpoints that never answer fail their own cases, and are soon not asked any more', async () => {
  let asked = 0;
  const server = await startServer({
    write(response, reply) {
      if (response.req.url?.startsWith('/scan/hw/')) asked += 1;
      else response.writeHead(reply.status, reply.headers).end(JSON.stringify(reply.body));
    },
  });
  onTestFinished(() => server.close());
  const target = jsonFile(server.target);
  const args = words`check ${server.baseUrl} --target ${target} --timeout 1s --json ${fast}`;
  const { code, stdout } = await runCommand(args);
  const result = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(result.brokenOff).toBeUndefined();
  const outcomeOf = (id: string) =>
    result.cases.find((one: { id: string }) => one.id === id)?.outcome;
  expect(outcomeOf('4.5/answers')).toBe('failed');
  expect(outcomeOf('4/good-ticket')).toBe('failed');
  expect(outcomeOf('7.1/status')).toBe('passed');
  expect(asked).toBeLessThan(60);
});

test('a run that is stopped reports what it saw, and skips the rest', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const stop = new AbortController();
  const { baseUrl, target } = server;
  const onProgress = (_: unknown, done: number) => done === 20 && stop.abort();
  const result = await check({ baseUrl, target, maxRate: 5000, signal: stop.signal, onProgress });
  expect(result.brokenOff).toContain('stopped');
  expect(exitCodeOf(result)).toBe(3);
  expect(result.totals.passed).toBeGreaterThan(5);
  expect(result.totals.skipped).toBeGreaterThan(60);
});

test('a lost answer to a consume is asked for again with other tickets only', async () => {
  const bodies: string[] = [];
  const server = await startServer({
    alter: (parts) => ({
      finish(reply, { path, body }) {
        if (path === '/scan/consume') bodies.push(body.toString());
        return parts.finish(reply, { path, body } as never);
      },
    }),
    write(response, reply) {
      const isUse = (reply.body as { status?: string }).status === 'consumed';
      if (isUse) response.destroy();
      else response.writeHead(reply.status, reply.headers).end(JSON.stringify(reply.body));
    },
  });
  onTestFinished(() => server.close());
  const only = ['--only', '4/good-ticket{single}@consume', '--consume', '--json'];
  const target = jsonFile(server.target);
  const { code, stdout } = await runCommand(['check', server.baseUrl, '--target', target, ...only]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).findings).toMatchObject([
    { id: '4/good-ticket', endpoints: ['consume'], expected: 'an answer' },
  ]);
  const tickets = bodies.filter((body) => body.includes('REF.'));
  expect(tickets.length).toBeGreaterThan(1);
  expect(new Set(tickets).size).toBe(tickets.length);
});

test('answers nested without end are no JSON, and the run ends', async () => {
  const deep = '['.repeat(120_000);
  const baseUrl = await listen(
    http.createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(deep);
    }),
  );
  const result = await check({ baseUrl, target: { keys: { rest: 'key-1234' } }, maxRate: 5000 });
  expect(exitCodeOf(result)).toBe(2);
});
