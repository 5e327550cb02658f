import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { recogniseScan } from '../../src/scan/devices/detect.ts';
import type { DeviceAnswer } from '../../src/scan/devices/device-model.ts';
import { heartbeatAnswer } from '../../src/scan/devices/heartbeat.ts';

interface Packet {
  readonly file: string;
  readonly model: string;
  readonly deviceFile?: string;
  readonly operation: string;
  readonly code?: string;
  readonly read?: { readonly serial: string | null; readonly reader: string | null };
}

const folder = new URL('../../fixtures/devices/', import.meta.url);
const bodyOf = (file: string) => {
  const text = readFileSync(new URL(file, folder), 'utf8');
  return text.slice(text.indexOf('\r\n\r\n') + 4);
};
const { packets } = JSON.parse(readFileSync(new URL('packets.json', folder), 'utf8')) as {
  packets: readonly Packet[];
};
/** Those of device files have a test of their own. */
const ofModels = packets.filter(({ deviceFile }) => deviceFile === undefined);
const cards = ofModels.filter(({ operation }) => operation !== 'heartbeat');

function recognise(file: string) {
  const text = bodyOf(file);
  let json: Record<string, unknown> | undefined;
  try {
    json = JSON.parse(text);
  } catch {
    // Not every model speaks JSON.
  }
  const found = recogniseScan({ text, json });
  return found && { ...found, body: json ?? text };
}

test('every recorded request is listed', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const requests = files.filter((file) => file.endsWith('.request.http'));
  expect(packets.map(({ file }) => file).sort()).toEqual(requests.sort());
});

test.each(cards)('$file is read as $model', ({ file, model, code, read }) => {
  const found = recognise(file);
  expect(found?.model.id).toBe(model);
  expect(found?.scan).toMatchObject({ ticketCode: code, ...read });
  expect(found?.model.schemas.scan.safeParse(found.body).success).toBe(true);
});

test.each(ofModels.filter(({ operation }) => operation === 'heartbeat'))(
  '$file is answered with its own Key',
  ({ file }) => {
    const text = bodyOf(file);
    const answer = heartbeatAnswer({ text, json: JSON.parse(text) }, new URLSearchParams('key=k'));
    expect(answer).toBe(bodyOf(file.replace('request', 'response')));
  },
);

describe('answers are the golden ones', () => {
  const granted: DeviceAnswer = {
    granted: true,
    relay: 'in',
    openSeconds: 5,
    name: 'Erika Muster',
    note: 'Ticket gültig (1/1)',
  };
  const denied: DeviceAnswer = { granted: false, note: 'Ticket erschöpft' };
  const first = new Map(
    cards.map((packet) => [packet.model, packet.file]).reverse() as [string, string][],
  );

  test.each([...first])('of %s', (model, file) => {
    const found = recognise(file)?.model;
    expect(found?.answer(granted)).toBe(bodyOf(`${model}/card.granted.response.http`));
    expect(found?.answer(denied)).toBe(bodyOf(`${model}/card.denied.response.http`));
  });
});
