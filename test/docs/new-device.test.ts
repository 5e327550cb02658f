import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { recogniseScan } from '../../src/scan/devices/detect.ts';
import type { DeviceModel } from '../../src/scan/devices/device-model.ts';

const page = readFileSync('docs/devices/new-device.md', 'utf8');

/** The adapter that the page shows, with imports that work from anywhere. */
async function adapterOfThePage(): Promise<DeviceModel> {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-new-device-'));
  try {
    const file = join(folder, 'gatex.ts');
    const source = code
      .replaceAll(
        /from '(\.[^']+)'/g,
        (_all, path) => `from '${resolve('src/scan/devices', path)}'`,
      )
      .replace("from 'zod'", `from '${import.meta.resolve('zod')}'`);
    writeFileSync(file, source);
    return (await import(file)).gatex;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the adapter on the page reads the packet of the page and answers it', async () => {
  const gatex = await adapterOfThePage();
  const [, entry = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  const { code, read, model } = JSON.parse(entry);
  const data = Buffer.from(code).toString('base64');
  const json = { media: { type: 'qr', data }, sn: 'GX-2201-77', lane: 1, ts: 1793275200, seq: 41 };
  const body = { text: JSON.stringify(json), json };

  expect(recogniseScan(body)).toBeUndefined();
  expect(gatex.id).toBe(model);
  expect(gatex.read(body)).toEqual({ ticketCode: code, ...read });
  expect(gatex.read({ text: '{}', json: {} })).toBeUndefined();
  expect(gatex.read({ text: '', json: { media: { data: '' } } })?.ticketCode).toBeUndefined();
  expect(gatex.schemas.scan.parse(json)).toEqual(json);
  const denied = JSON.parse(gatex.answer({ granted: false, note: 'Ticket erschöpft' }));
  expect(denied).toEqual({ open: false, text: 'Ticket erschöpft' });
  expect(gatex.schemas.denied.parse(denied)).toEqual(denied);
  const admission = {
    granted: true,
    relay: 'in',
    openSeconds: 5,
    name: 'Ada',
    note: 'ok',
  } as const;
  const granted = JSON.parse(gatex.answer(admission));
  expect(gatex.schemas.granted.parse(granted)).toEqual(granted);
});
