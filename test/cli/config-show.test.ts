import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';
import { InProcess } from '../support/in-process.ts';

let folder: InProcess;

beforeEach(() => {
  folder = new InProcess();
});

afterEach(() => folder[Symbol.asyncDispose]());

interface Shown {
  readonly configFile: string | null;
  readonly settings: Record<string, unknown>[];
}

async function shown(
  args: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<Shown> {
  const { code, out, err } = await folder.run(['config', 'show', ...args, '--json'], environment);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Shown;
}

function settingIn({ settings }: Shown, name: string): Record<string, unknown> {
  const { value, source, place } = settings.find((one) => one['name'] === name) ?? {};
  return { value, source, place };
}

test('every setting shows its value and the place that decides it', async () => {
  const file = { port: 9000, host: '::1', logLevel: 'warn', stopTimeoutMs: 100 };
  writeFileSync(`${folder.path}/gate.json`, JSON.stringify(file));
  const all = await shown(['--config', 'gate.json', '--host', '0.0.0.0'], {
    TICKETSCAN_HOST: '127.0.0.2',
    TICKETSCAN_LOG_LEVEL: 'error',
  });
  expect(all.configFile).toBe('gate.json');
  expect(all.settings.map(({ name }) => name)).toEqual(SETTINGS.map(({ name }) => name));
  expect(settingIn(all, 'host')).toEqual({ value: '0.0.0.0', source: 'option', place: '--host' });
  const level = { value: 'error', source: 'environment', place: 'TICKETSCAN_LOG_LEVEL' };
  expect(settingIn(all, 'logLevel')).toEqual(level);
  const port = { value: 9000, source: 'file', place: '"port" in gate.json' };
  expect(settingIn(all, 'port')).toEqual(port);
  const standard = { value: 10_000, source: 'default', place: null };
  expect(settingIn(all, 'requestTimeoutMs')).toEqual(standard);
  expect(settingIn(all, 'tlsCert')).toEqual({ value: null, source: 'default', place: null });

  const { out } = await folder.run('config show --config gate.json');
  expect(out).toContain('Configuration file: gate.json\n');
  expect(out).toMatch(/^port +9000 +"port" in gate\.json$/m);
  expect(out).toMatch(/^tlsCert +\(not set\) +default$/m);
});

test('passwords and tokens are hidden, wherever they come from', async () => {
  const token = `tscn_pat_${'a'.repeat(38)}`;
  const secrets = {
    TICKETSCAN_STORE: 'postgres://gate:secret1@db.example.org/gate?sslmode=verify-full',
    TICKETSCAN_TOKEN: token,
    TICKETSCAN_URL: 'https://user:secret2@scan.example.org/base',
    TICKETSCAN_KEYRING: `./${token}`,
    TICKETSCAN_DEVICE_FILE: `gate.yaml,${token}.yaml`,
  };
  for (const args of [[], ['--json']]) {
    const { out, code } = await folder.run(['config', 'show', ...args], secrets);
    expect(code).toBe(0);
    for (const secret of ['secret', token]) expect(out).not.toContain(secret);
    expect(out).toContain('postgres://db.example.org/gate');
    expect(out).toContain('(hidden)');
  }
  const named = await shown([], { TICKETSCAN_TOKEN: 'file:/run/secrets/token' });
  expect(settingIn(named, 'token')['value']).toBe('file:/run/secrets/token');
});
