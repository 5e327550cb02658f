import { expect, onTestFinished, test } from 'vitest';
import { type CheckOptions, check } from '../../src/check/index.ts';
import { type ServerOptions, startServer, writeReply } from '../mutants/reference/server.ts';

async function checkServer(server: ServerOptions, how: CheckOptions = {}) {
  const { baseUrl, target, close } = await startServer(server);
  onTestFinished(close);
  const result = await check({ baseUrl, target, consume: true, maxRate: 5000, ...how });
  return result.cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'skipped');
}

test('a server that never answers other methods keeps the specification', async () => {
  const hanging: ServerOptions = {
    write(response, reply) {
      if (response.req.method === 'POST') writeReply(response, reply);
    },
  };
  // one case after the other: silence on one method says nothing about the next request
  const how = {
    concurrency: 1,
    timeoutMs: 200,
    only: ['4/other-methods-*', '4.5/*', '4/good-ticket@validate'],
  };
  const found = await checkServer(hanging, how);
  expect(found.map(({ id, observed, reason }) => `${id}: ${observed ?? reason}`)).toEqual([]);
});

test('an endpoint that is said to be asked was asked', async () => {
  const asked = new Set<string>();
  const server = await startServer({
    alter: () => ({
      finish(reply, { method, path }) {
        if (method === 'POST')
          asked.add(path.replace(/^\/scan\//, '').replace('hw/heartbeat', 'heartbeat'));
        return reply;
      },
    }),
  });
  onTestFinished(server.close);
  const { baseUrl, target } = server;
  const upper = { ...target.keys, rest: 'UPPER-CASE-0123' };
  // each case for itself, on a server that knows the key no more: cases end early, or do not apply
  for (const only of [
    '5/refused-key@consume',
    '3.2/consume-counts-one@hw/consume',
    '4/good-ticket@hw/consume',
  ]) {
    asked.clear();
    const how = { baseUrl, target: { ...target, keys: upper }, consume: true, only: [only] };
    const { cases } = await check(how);
    expect([...asked], only).toEqual(expect.arrayContaining([...(cases[0]?.endpoints ?? [])]));
  }
});

test('a server that is gone when many connections are wanted ends the run, and fails nothing', async () => {
  const server = await startServer();
  let closing: Promise<void> | undefined;
  const result = await check({
    baseUrl: server.baseUrl,
    target: server.target,
    consume: true,
    maxRate: 5000,
    concurrency: 1,
    only: ['2.2/code-form', '3.2/race'],
    onProgress: () => {
      closing ??= server.close();
    },
  });
  await closing;
  expect(result.totals.failed).toBe(0);
  expect(result.brokenOff).toContain('stopped answering');
});
