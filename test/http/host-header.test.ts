import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hostFault, isHost } from '../../src/kit/host-header.ts';
import { startJudge } from '../check/support/judge.ts';
import { PATIENTLY } from '../support/patience.ts';
import { HOSTS } from './support/hosts.ts';
import { metricOf, open, serve } from './support/served.ts';

test.each(HOSTS.good)('“%s” may be a Host', (host) => {
  expect(isHost(host)).toBe(true);
});

test.each(HOSTS.bad)('“%s” is no Host', (host) => {
  expect(isHost(host)).toBe(false);
});

test.each([
  ['1.1', ['Host', 'a'], undefined],
  ['1.1', ['Host', ''], undefined],
  ['1.1', ['Accept', 'host', 'HOST', 'a'], undefined],
  ['1.1', ['Accept', 'a'], 'host_missing'],
  ['1.0', ['Accept', 'a'], undefined],
  ['1.1', ['Host', 'a', 'Accept', 'b', 'host', 'a'], 'host_missing'],
  ['1.0', ['Host', 'a', 'hOsT', 'b'], 'host_missing'],
  ['1.1', ['Host', 'a b'], 'host_invalid'],
  ['1.0', ['Host', 'a b'], 'host_invalid'],
] as const)('HTTP/%s with %j: %s', (httpVersion, rawHeaders, fault) => {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && /^host$/i.test(name));
  const host = rawHeaders[at + 1];
  const headers = at === -1 || host === undefined ? {} : { host };
  expect(hostFault({ httpVersion, rawHeaders, headers })).toBe(fault);
});

test('the host of a target in absolute form must be one, too', () => {
  const facts = { httpVersion: '1.1', rawHeaders: ['Host', 'gate'] };
  expect(hostFault({ ...facts, headers: { host: 'other:80' } })).toBeUndefined();
  expect(hostFault({ ...facts, headers: { host: 'user@other' } })).toBe('host_invalid');
  expect(hostFault({ ...facts, rawHeaders: [], headers: { host: 'other' } })).toBe('host_missing');
});

/** Requests whose host is at fault, and what they are called. */
const FAULTS = [
  ['host_missing', ''],
  ['host_missing', 'Host: a\r\nHost: a\r\n'],
  ['host_invalid', 'Host: a b\r\n'],
] as const;

describe.each(FAULTS)('%s, of “%s”', (reason, lines) => {
  test('is told by the service, on every path, and by the listener of the metrics', async () => {
    const { port, metricsPort, metrics } = await serve({});
    const asked = [
      ...['/scan/consume', '/scan/hw/consume', '/healthz', '/admin/v1/keys', '/nope'].map(
        (path) => [port, path] as const,
      ),
      [metricsPort, '/metrics'] as const,
    ];
    for (const [index, [to, path]] of asked.entries()) {
      open(to).write(`POST ${path} HTTP/1.1\r\n${lines}Content-Length: 0\r\n\r\n`);
      const count = `${metricOf(reason)} ${index + 1}\n`;
      await expect.poll(metrics, PATIENTLY).toContain(count);
    }
  });

  test('is told by the judge of devices, which sees the request all the same', async () => {
    const { port, refused, requests } = await startJudge(false);
    open(port).write(`POST /scan/hw/consume HTTP/1.1\r\n${lines}Content-Length: 0\r\n\r\n`);
    await expect.poll(() => refused, PATIENTLY).toEqual([reason]);
    await expect.poll(() => requests, PATIENTLY).toEqual(['/scan/hw/consume']);
  });
});

test('no server leaves the Host header to Node, which refuses without a word', () => {
  const silent = globSync('src/**/*.ts').filter((file) => {
    const text = readFileSync(file, 'utf8');
    const isServer =
      /(?:https?\.createServer|createSecureServer)\(|from 'node:https?'[\s\S]*\bcreateServer\(/.test(
        text,
      );
    return isServer && !text.includes('requireHostHeader: false');
  });
  expect(silent).toEqual([]);
});
