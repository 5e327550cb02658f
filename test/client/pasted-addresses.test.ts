import { expect, test } from 'vitest';
import { readBaseUrl } from '../../src/check/requests/base-url.ts';
import { ScanClient } from '../../src/client/scan-client.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { Upstream } from '../../src/record/proxy/upstream.ts';
import { Endpoint } from '../../src/simulate/network/endpoint.ts';

test.each(['/scan/validate', '/gate/scan/consume/', '/scan/hw/validate', '/scan/hw/heartbeat'])(
  'a base address that ends with %s is refused with what to give',
  (path) => {
    const url = `http://127.0.0.1:9${path}`;
    const given = `give http://127.0.0.1:9${path.startsWith('/gate') ? '/gate' : ''}.`;
    expect(() => new ScanClient({ baseUrl: url, apiKey: 'abcdefgh' })).toThrow(given);
    expect(() => readBaseUrl(url, false)).toThrow(given);
    expect(() => new Endpoint({ baseUrl: url, key: 'k' })).toThrow(given);
  },
);

test('a base address may end with a path of its own', () => {
  for (const path of ['', '/gate', '/scan', '/scan/gate']) {
    expect(readBaseUrl(`http://127.0.0.1:9${path}`, false).pathname).toBe(path || '/');
  }
});

test.each([
  ['https://gate.example/scan/consume', 'https://gate.example', '/scan/consume'],
  [
    'https://gate.example/scan/hw/consume?key=tscn_hw_x',
    'https://gate.example',
    '/scan/hw/consume?…',
  ],
  ['https://gate.example/scan/hw/', 'https://gate.example', '/scan/hw'],
  ['https://gate.example/pool/admin', 'https://gate.example/pool', '/admin'],
  ['https://gate.example/admin/v1/keys?after=x', 'https://gate.example', '/admin/v1/keys?…'],
  ['https://gate.example/docs/', 'https://gate.example', '/docs'],
  ['https://gate.example/healthz', 'https://gate.example', '/healthz'],
  ['https://gate.example/devices/tscn_hw_x/open', 'https://gate.example', '/devices/…/open'],
  ['https://gate.example/#/tickets?text=Ada', 'https://gate.example', '#/tickets'],
  ['https://gate.example/pool/#/scanner', 'https://gate.example/pool', '#/scanner'],
])('%s as the address of a server is refused with what to give', (given, base, end) => {
  for (const flag of ['url', 'baseUrl'] as const) {
    const read = () =>
      loadSettings([flag], { flags: { [flag]: given }, environment: {}, configFile: undefined });
    expect(read).toThrow(`must be the address of the server alone, ${base}, without ${end}`);
    expect(read).not.toThrow(/tscn_hw_x|Ada/);
  }
});

test.each(['https://gate.example', 'https://gate.example/', 'https://gate.example/pool/'])(
  '%s is the address of a server',
  (url) => {
    const sources = { flags: { url }, environment: {}, configFile: undefined };
    expect(loadSettings(['url'], sources)).toEqual({ url });
  },
);

test.each([
  '/scan/consume?key=tscn_hw_x',
  '/devices/tscn_hw_x/open',
  '/admin/v1/keys',
  '/#/tickets',
])('check and record say what to give for an address that ends with %s', (end) => {
  const url = `http://127.0.0.1:9/pool${end}`;
  for (const read of [() => readBaseUrl(url, false), () => new Upstream(url)]) {
    expect(read).toThrow('give http://127.0.0.1:9/pool.');
    expect(read).not.toThrow('tscn_hw_x');
  }
});
