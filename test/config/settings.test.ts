import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.ts';

const fileWith = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), 'settings-')), 'ticketscan.json');
  writeFileSync(path, text);
  return path;
};
const portFrom = (flags: object, environment: Record<string, string>, file?: string) =>
  loadSettings(['port'], { flags: { ...flags }, environment, configFile: file && fileWith(file) })
    .port;

test('option before environment before file before default', () => {
  expect(portFrom({ port: '1' }, { TICKETSCAN_PORT: '2' }, '{"port":3}')).toBe(1);
  expect(portFrom({}, { TICKETSCAN_PORT: '2' }, '{"port":3}')).toBe(2);
  expect(portFrom({}, { TICKETSCAN_PORT: '' }, '{"port":3}')).toBe(3);
  expect(portFrom({}, {}, '{}')).toBe(8080);
});

test('an empty name of the configuration file is none', () => {
  expect(portFrom({}, { TICKETSCAN_CONFIG: '' })).toBe(8080);
});

test('switches can be set from the environment', () => {
  const environment = { TICKETSCAN_HARDWARE_ALWAYS_200: 'true' };
  const sources = { flags: {}, environment, configFile: undefined };
  expect(loadSettings(['hardwareAlways200'], sources)).toEqual({ hardwareAlways200: true });
});

describe('a wrong value is named with its place', () => {
  test.each([
    [
      'an option',
      () => portFrom({ port: 'x' }, {}),
      /^--port must be a whole number from 0 to 65535, not "x"[.]$/,
    ],
    [
      'the environment',
      () => portFrom({}, { TICKETSCAN_PORT: '70000' }),
      /^TICKETSCAN_PORT must be a whole number from 0 to 65535, not "70000"[.]$/,
    ],
    [
      'the file',
      () => portFrom({}, {}, '{"port":-1}'),
      /^"port" in .*\.json must be a whole number from 0 to 65535, not "-1"[.]$/,
    ],
    ...[' ', '', '0x10', '1e3', '80.0', '+80'].map((text): [string, () => unknown, RegExp] => [
      `digits alone, not "${text}"`,
      () => portFrom({ port: text }, {}),
      /^--port must be a whole number from 0 to 65535/,
    ]),
    ...['""', 'null', 'true', '[]', '80.5'].map((value): [string, () => unknown, RegExp] => [
      `the file with ${value}`,
      () => portFrom({}, {}, `{"port":${value}}`),
      /^"port" in .*\.json must be a whole number from 0 to 65535/,
    ]),
    [
      'an unknown setting',
      () => portFrom({}, {}, '{"prot":1}'),
      /setting "prot" that does not exist/,
    ],
    [
      'a switch',
      () =>
        loadSettings(['hardwareAlways200'], {
          flags: {},
          environment: { TICKETSCAN_HARDWARE_ALWAYS_200: 'maybe' },
          configFile: undefined,
        }),
      /^TICKETSCAN_HARDWARE_ALWAYS_200 must be true or false, not "maybe"[.]$/,
    ],
    [
      'a word',
      () =>
        loadSettings(['logLevel'], {
          flags: { logLevel: 'verbose' },
          environment: {},
          configFile: undefined,
        }),
      /^--log-level must be one of debug, info, warn, error, silent, not "verbose"[.]$/,
    ],
    ['a file that is no JSON', () => portFrom({}, {}, 'port = 1'), /cannot be read/],
    ['a file that is no object', () => portFrom({}, {}, '[]'), /must contain a JSON object/],
  ])('%s', (_name, load, message) => {
    expect(load).toThrow(message);
  });
});
