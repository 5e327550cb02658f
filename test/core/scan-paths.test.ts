import { expect, test } from 'vitest';
import { ADMIN_PREFIX } from '../../src/operations/operation.ts';
import {
  deviceUrls,
  HARDWARE_PATHS,
  HEARTBEAT_PATH,
  isDevicePath,
  REST_PATHS,
} from '../../src/scan/http/scan-paths.ts';

test('the paths are those of section 4 and of the administration', () => {
  expect(REST_PATHS).toEqual({ validate: '/scan/validate', consume: '/scan/consume' });
  expect(HARDWARE_PATHS).toEqual({ validate: '/scan/hw/validate', consume: '/scan/hw/consume' });
  expect(HEARTBEAT_PATH).toBe('/scan/hw/heartbeat');
  expect(ADMIN_PREFIX).toBe('/admin/v1');
});

test.each(['https://gate.example', 'https://gate.example/', 'https://gate.example//'])(
  'a device behind %s is set to consume and to tell that it lives',
  (baseUrl) => {
    expect(deviceUrls('hardware', 'KEY', baseUrl)).toEqual({
      cardUrl: 'https://gate.example/scan/hw/consume?key=KEY',
      heartUrl: 'https://gate.example/scan/hw/heartbeat?key=KEY',
    });
  },
);

test('only the slashes at the end of a base are left away', () => {
  expect(deviceUrls('hardware', 'KEY', 'http://a//b').cardUrl).toBe(
    'http://a//b/scan/hw/consume?key=KEY',
  );
});

test('the key of own software has no URLs', () => {
  expect(deviceUrls('api', 'KEY', 'https://gate.example')).toEqual({});
});

test('a key that names a device file has the address of that file as well', () => {
  expect(deviceUrls('hardware', 'KEY', 'https://gate.example/', 'door')).toEqual({
    cardUrl: 'https://gate.example/scan/hw/consume?key=KEY',
    heartUrl: 'https://gate.example/scan/hw/heartbeat?key=KEY',
    deviceUrl: 'https://gate.example/devices/KEY',
  });
});

test.each([
  ['/scan/hw/consume', true],
  ['/scan/hw/', true],
  ['/devices/KEY/open', true],
  ['/scan/hw', false],
  ['/scan/consume', false],
  ['/x/scan/hw/', false],
  ['/x/devices/', false],
  ['/', false],
])('%s is asked by a device: %s', (path, asked) => {
  expect(isDevicePath(path)).toBe(asked);
});
