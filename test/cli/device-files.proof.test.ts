import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { BUILT_IN_NAMES } from '../support/device-files.ts';
import { InProcess } from '../support/in-process.ts';

const shipped = (name: string) => resolve('fixtures/device-files', name);

test('from a device file to a turnstile that opens, without code', async () => {
  await using folder = new CliFolder();
  copyFileSync(shipped('control-id.yaml'), join(folder.path, 'turnstile.yaml'));
  await folder.json(['events', 'create', '--name', 'Pool']);
  const create = ['keys', 'create', '--name', 'Gate', '--type', 'hardware'];
  const key = await folder.json([...create, '--device', 'control-id']);
  const mint = ['mint', '--event', 'Pool', '--type', 'single', '--count', '1', '--format', 'json'];
  expect((await folder.run([...mint, '--out', 'tickets'])).code).toBe(0);
  const server = await folder.serve(['--device-file', 'turnstile.yaml']);
  expect(key).toMatchObject({ device: 'control-id' });
  expect(key.deviceUrl.endsWith(`/devices/${key.key}`)).toBe(true);

  const simulate = ['simulate', server.url, '--key', key.key, '--device-file', 'turnstile.yaml'];
  const cards = ['--cards-from', 'tickets/tickets.json', '--pass-time', '10ms'];
  const played = [...simulate, ...cards, '--json'];
  const first = await folder.run(played);
  const second = await folder.run(played);

  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toContain('"event":"door-open"');
  expect(first.out).toContain('"relay":"clockwise"');
  expect(first.out).toContain('"granted":1');
  expect(second.code).toBe(1);
  expect(second.out).toContain('Ticket erschöpft');
  expect(`${first.out}${second.out}${server.messages()}`).not.toContain(key.key);
  expect(server.messages()).not.toContain('was not given');
  expect(await server.stop()).toBe(0);

  const without = await folder.serve();
  expect(without.messages()).toContain('"key":"Gate","device":"control-id"');
  expect(without.messages()).toContain('a device file that the server was not given');
  expect(await without.stop()).toBe(0);
});

test('a folder of device files is checked, and each says what it is proven by', async () => {
  await using folder = new InProcess();
  const good = await folder.json(['device-files', 'check', resolve('fixtures/device-files')]);
  expect(good.map(({ name }: { name: string }) => name)).toEqual(BUILT_IN_NAMES);
  const controlId = { name: 'control-id', proven: 'documents', simulated: true };
  expect(good).toContainEqual(expect.objectContaining(controlId));
  expect(good).toContainEqual(expect.objectContaining({ name: 'akuvox', proven: 'nothing' }));
});
