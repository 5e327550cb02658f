import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTicketscan } from '../../src/testing/start.ts';

test('a device of a file is answered, its key stays bound over a reset, and its reports change nothing', async () => {
  await using service = await startTicketscan({
    ticketsPerState: 1,
    deviceFiles: ['control-id'],
    devices: { hardware: { file: 'control-id' } },
  });
  const post = (path: string, body: object) =>
    fetch(`${service.url}/devices/${service.keys.hardware}${path}`, {
      method: 'POST',
      body: JSON.stringify({ device_id: 47, ...body }),
    });
  const code = service.ticket('single');
  const present = async () => {
    const answer = await post('/new_qrcode.fcgi', { qrcode_value: code });
    return ((await answer.json()) as { result: { event: number } }).result.event;
  };
  const report = (name: string) =>
    post('/api/notifications/catra_event', { event: { type: 7, name } });

  expect([await present(), await present()]).toEqual([7, 6]);
  await service.reset();
  expect(await present()).toBe(7);
  for (const name of ['TURN LEFT', 'GIVE UP']) {
    expect((await report(name)).status).toBe(200);
    expect(await present()).toBe(6);
  }
});

test('a file that is not there, and one that was not loaded, are refused', async () => {
  await expect(startTicketscan({ deviceFiles: ['none.yaml'] })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('none.yaml cannot be read'),
  });
  await using service = await startTicketscan({ deviceFiles: ['akuvox'] });
  const devices = { hardware: { file: 'control-id' } };
  await expect(service.reset({ seed: 'keys-only', devices })).rejects.toThrow(
    'The service has no device file "control-id"; it was started with: akuvox.',
  );
});

test('a file whose doors any answer with status 200 opens is refused with hardwareAlways200', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'device-files-'));
  const path = join(folder, 'door.yaml');
  writeFileSync(
    path,
    `deviceFile: 1
name: door
title: A door that looks at the status alone
proven: nothing
requests:
  - kind: scan
    code: { form: data }
answers:
  granted: { status: 200 }
  denied: { status: 403 }
`,
  );
  await expect(
    startTicketscan({ deviceFiles: [path], hardwareAlways200: true }),
  ).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('The device file "door" calls the Card URL and opens at'),
  });
  await (await startTicketscan({ deviceFiles: [path] })).close();
  rmSync(folder, { recursive: true });
});
