import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.ts';
import { SERVER_SETTINGS } from '../../src/config/settings.ts';
import { safePath } from '../../src/scan/http/request-log.ts';
import { runServer } from '../../src/serve/run-server.ts';
import { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import { rawExchange } from '../support/raw-http.ts';
import { TestService } from '../support/service.ts';

test.each([
  ['/scan/hw/consume?key=tscn_hw_secret', '/scan/hw/consume'],
  [`/scan/hw/tscn_hw_${'a'.repeat(38)}`, '/scan/hw/…'],
  ['/TSCN%5Fhw', '/TSCN%5Fhw'],
  ['/tickets/TS1.tkt_abcdefgh_0123456789abcdefghij.signature', '/tickets/…'],
  ['/devices/vguang/4711', '/devices/…'],
  ['/devices', '/devices'],
  ['/nope', '/nope'],
  [`/${'a/'.repeat(500)}`, `/${'a/'.repeat(500)}`.slice(0, 200)],
])('%s is shown as %s', (url, shown) => {
  expect(safePath(url)).toBe(shown);
});

test('at the level debug each request is a line, without its query, its key and its code', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const code = await service.mint();

  await service.rest('consume', code, { 'x-request-id': 'proxy-7' });
  await service.card('validate', code);
  await service.post(
    `/scan/hw/heartbeat?key=${service.key('hardware').slice(0, -1)}`,
    '{"Key":1,"Serial":"TOR1"}',
    { 'x-request-id': service.key('hardware') },
  );
  await fetch(`${service.url}/healthz?secret=1`);
  await fetch(`${service.url}/nope/${service.key('rest')}`);

  const lines = service.logs
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request');
  expect(lines).toMatchObject([
    {
      level: 20,
      method: 'POST',
      path: '/scan/consume',
      status: 200,
      ms: expect.any(Number),
      id: 'proxy-7',
      keyId: expect.stringMatching(/^key_/),
      address: '127.0.0.1',
    },
    {
      level: 20,
      method: 'POST',
      path: '/scan/hw/validate',
      status: 200,
      keyId: expect.stringMatching(/^key_/),
      serial: expect.any(String),
    },
    {
      path: '/scan/hw/heartbeat',
      status: 401,
      key: `${service.key('hardware').slice(0, 12)}…`,
      serial: 'TOR1',
      id: expect.stringMatching(/^[0-9a-f]{6}-\d+$/),
    },
    { level: 20, method: 'GET', path: '/healthz', status: 200 },
    { level: 20, method: 'GET', path: '/nope/…', status: 404 },
  ]);
  for (const secret of [code, service.key('rest'), service.key('hardware'), 'secret']) {
    expect(service.logs).not.toContain(secret);
  }
});

test('what others sent controls no terminal that shows the log', async () => {
  const kept: string[] = [];
  const logTo = new Writable({
    write: (chunk, _encoding, done) => {
      kept.push(String(chunk));
      done();
    },
  });
  const sources = {
    flags: { port: '0', logLevel: 'debug' },
    environment: {},
    configFile: undefined,
  };
  const settings = { ...loadSettings(SERVER_SETTINGS, sources), store: 'memory:' };
  const server = await runServer(new MemoryStore(), undefined, settings, logTo);
  const Serial = 'S\u009b31m\u202e\u2028\u007f';
  const body = JSON.stringify({ Card: 'eA==', Serial, Reader: 0 });
  await fetch(`${server.url}/scan/hw/consume?key=x`, { method: 'POST', body });
  await rawExchange(server.url, 'GET /\x9b31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await server.close();
  expect(kept.join('')).not.toMatch(/[\u007f-\u009f\u2028\u202e]/u);
  expect(kept.map((line) => JSON.parse(line).serial)).toContain(Serial);
});
