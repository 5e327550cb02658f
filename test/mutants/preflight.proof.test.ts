import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodeOf } from '../../src/check/index.ts';
import { reply } from './faults/faulty-server.ts';
import { type CheckedServer, checkServer } from './found.ts';

/** The probes stop before the first case. */
async function expectStopped(observed: RegExp, how: (server: CheckedServer) => object) {
  const result = await checkServer({}, how);
  expect(result.preflight?.observed).toMatch(observed);
  expect(result.cases).toEqual([]);
  expect(exitCodeOf(result)).toBe(2);
}

test('a check with the keys of another run stops', () =>
  expectStopped(/every request with a key.*401/i, ({ target }) => {
    const keys = Object.entries(target.keys).map(([name, key]) => [name, `${key}x`]);
    return { target: { ...target, keys: Object.fromEntries(keys) } };
  }));

test('a check at a wrong base path stops', () =>
  expectStopped(/answers HTTP 404/, ({ baseUrl }) => ({ baseUrl: `${baseUrl}/gate` })));

test('a check of another service stops', async () => {
  const page = http.createServer((_, response) => response.end('<!doctype html><h1>Hello</h1>'));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  await expectStopped(/something else than JSON/, () => ({ baseUrl: `http://127.0.0.1:${port}` }));
});

test('a mistyped key of the target is a finding of its own, and the run goes on', async () => {
  const result = await checkServer({}, ({ target }) => ({
    target: { ...target, keys: { ...target.keys, restScoped: 'mistyped' } },
  }));
  expect(result.findings).toMatchObject([
    {
      id: '5/own-event',
      cause: expect.stringContaining('The key "restScoped" of the target file'),
    },
  ]);
  expect(result.totals.passed).toBeGreaterThan(80);
});

test('a service that answers 503 to everything is none', async () => {
  const down = reply(() => ({ status: 503, headers: {}, body: 'down' }));
  await expect(checkServer({ alter: down })).rejects.toThrow('answers every request with HTTP 503');
});
