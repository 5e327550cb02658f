import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Direction } from '../../src/core/direction.ts';
import { decisionIn } from '../../src/scan/devices/device-answer.ts';
import { DeviceFiles } from '../../src/scan/devices/device-files.ts';
import { openDeviceFiles } from '../../src/scan/devices/open-device-files.ts';
import { aDeviceFile } from '../support/device-files.ts';
import { aTicket } from '../support/tickets.ts';

const ticket = aTicket({ ticketType: 'multi', usesAllowed: 10, usesConsumed: 3 });

const fileNamed = (name: string, path?: string) =>
  aDeviceFile(
    name,
    `  granted: { type: application/json, body: '{"${name}":1,"relay":"{{relay}}"}' }
  denied: { type: application/json, body: '{"${name}":0}' }
opensWhen: [{ json: ${name}, equals: 1 }]`,
    path,
  );
const one = fileNamed('one');
const two = fileNamed('two');
const elsewhere = fileNamed('elsewhere', '/other');
const message = (json: object) => ({ text: JSON.stringify(json), isJson: true });

test.each<[Direction | undefined, Direction | undefined, Direction | 'auto', 'in' | 'out', string]>(
  [
    ['out', 'in', 'in', 'out', 'a grant for the way out never opens the way in'],
    ['in', 'out', 'auto', 'in', 'what the event says comes before what the device says'],
    [
      undefined,
      'out',
      'auto',
      'out',
      'what the device says counts where nobody else says anything',
    ],
    [undefined, undefined, 'auto', 'in', 'the way in is usual'],
    ['in', 'in', 'out', 'out', 'the setting of the key comes first'],
  ],
)('configured %s, said %s, set %s opens %s: %s', (direction, said, relay, opened) => {
  const model = new DeviceFiles([one]).named('one');
  const decided = { status: 'consumed', ticket, scannedAt: 0 } as const;
  const decision = direction ? { ...decided, direction } : decided;
  const door = { relay, openSeconds: 5 };
  const asked = { door, direction: said, message: message({ one: 'x' }) };
  expect(model && decisionIn(model, decision, asked)).toMatchObject({
    text: `{"one":1,"relay":"${opened}"}`,
  });
});

describe('who denies at an endpoint that several files have', () => {
  const files = new DeviceFiles([one, two, elsewhere]);
  const arrival = { at: 'path', method: 'POST', path: '/scan' } as const;
  const denier = (json: object, among = files, also = '') =>
    among.denierAt(message(json), arrival, among.named(also))?.model.id;

  test('the files keep their order and their names', () => {
    expect(files.names).toEqual(['one', 'two', 'elsewhere']);
  });

  test('the one that reads the request, again and again, and the first where none does', () => {
    for (const _again of [1, 2]) {
      expect(denier({ two: 'x' })).toBe(files.named('two')?.id);
      expect(denier({ one: 'x' })).toBe(files.named('one')?.id);
      expect(denier({})).toBe(files.named('one')?.id);
    }
  });

  test('no file that has no such request, unless the device may be of it', () => {
    const apart = new DeviceFiles([elsewhere, two]);
    expect(denier({}, apart)).toBe(apart.named('two')?.id);
    const alone = new DeviceFiles([elsewhere]);
    expect(denier({}, alone)).toBeUndefined();
    expect(denier({}, alone, 'elsewhere')).toBe(alone.named('elsewhere')?.id);
  });
});

describe('the device files of a server', () => {
  test('are none, or those that are named', async () => {
    expect(await openDeviceFiles(undefined, false)).toBeUndefined();
    expect((await openDeviceFiles(['fixtures/device-files'], false))?.names).toContain('akuvox');
  });

  test('that cannot be read are a usage error that says why', async () => {
    await expect(openDeviceFiles(['nowhere'], true)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^nowhere cannot be read/),
      cause: expect.any(Error),
    });
  });

  test('are refused with --hardware-always-200 where a denial of another model would open a door', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'device-files-'));
    const answers = 'answers:\n  granted: { status: 200 }\n  denied: { status: 403 }\n';
    const head = 'deviceFile: 1\nname: by-status\ntitle: x\nproven: nothing\n';
    const scan = 'requests:\n  - kind: scan\n    when: [{ json: x }]\n    code: { json: x }\n';
    writeFileSync(join(folder, 'by-status.yaml'), head + scan + answers);
    expect((await openDeviceFiles([folder], false))?.names).toEqual(['by-status']);
    await expect(openDeviceFiles([folder], true)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^The device file "by-status" .* give the scan of the file a path/,
      ),
    });
  });
});
