import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FileModel } from '../../src/device-files/file-model.ts';
import { loadDeviceFiles } from '../../src/device-files/load.ts';
import type { Message } from '../../src/device-files/source.ts';
import { denialIn } from '../../src/scan/devices/device-answer.ts';
import { modelFromFile } from '../../src/simulate/models/file-model.ts';
import { Endpoint } from '../../src/simulate/network/endpoint.ts';
import { BUILT_IN_NAMES } from '../support/device-files.ts';

interface Packet {
  readonly file: string;
  readonly deviceFile?: string;
  readonly operation: string;
  readonly code?: string;
  readonly read: Readonly<Record<string, unknown>>;
  /** What the simulator knows when it sends these bytes; absent for packets that it does not send. */
  readonly plays?: { readonly serial: string; readonly clock: string };
}

const folder = new URL('../../fixtures/devices/', import.meta.url);
const golden = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const { baseUrl, key, packets } = JSON.parse(golden('packets.json')) as {
  baseUrl: string;
  key: string;
  packets: readonly Packet[];
};
const ofFiles = packets.filter(({ deviceFile }) => deviceFile !== undefined);
const files = new Map(
  loadDeviceFiles('fixtures/device-files').map((file) => [file.name, file] as const),
);
const fileNamed = (name: string | undefined) => {
  const file = files.get(name ?? '');
  if (!file) throw new Error(`no device file is called ${name}`);
  return file;
};

function received(file: string) {
  const bytes = golden(file);
  const end = bytes.indexOf('\r\n\r\n');
  const [, method = '', target = ''] = /^(\S+) (\S+)/.exec(bytes) ?? [];
  const [path = '', query = ''] = target.split('?');
  const text = bytes.slice(end + 4);
  const message: Message = { text, isJson: text.startsWith('{'), query, headers: {} };
  return {
    message,
    arrival: { at: 'path', method, path: path.replace(`/devices/${key}`, '') } as const,
  };
}

test.each(ofFiles)(
  '$file is read as its device file says',
  ({ file, deviceFile, code, ...packet }) => {
    const { message, arrival } = received(file);
    const read = new FileModel(fileNamed(deviceFile)).read(message, arrival);
    if (read?.kind === 'scan') {
      expect(read.operation).toBe(packet.operation);
      expect(read.scan).toEqual({ ticketCode: code, ...packet.read });
    } else expect(read).toMatchObject({ kind: packet.operation, ...packet.read });
  },
);

describe.each(BUILT_IN_NAMES)('the answers of %s', (name) => {
  const model = new FileModel(fileNamed(name));
  const { message } = received(`${name}/card.request.http`);
  const told = ({ status, contentType, text }: ReturnType<FileModel['answer']>) =>
    `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Forbidden'}\r\nContent-Type: ${contentType}\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

  test('are the golden ones', () => {
    const values = {
      name: 'Erika Muster',
      note: 'Ticket gültig (1/1)',
      relay: model.relayWord('in'),
    };
    expect(told(model.answer('granted', values, message))).toBe(
      golden(`${name}/card.granted.response.http`),
    );
    expect(told(denialIn(model, 'exhausted', message))).toBe(
      golden(`${name}/card.denied.response.http`),
    );
  });

  test('are understood by the simulator', () => {
    const { readCardAnswer } = modelFromFile(fileNamed(name));
    const read = (file: string) => {
      const bytes = golden(`${name}/${file}`);
      const body = bytes.slice(bytes.indexOf('\r\n\r\n') + 4);
      return readCardAnswer({ status: Number(bytes.slice(9, 12)), body });
    };
    expect(read('card.granted.response.http')).toMatchObject({
      granted: true,
      note: 'Ticket gültig (1/1)',
      deviations: [],
    });
    expect(read('card.denied.response.http')).toMatchObject({
      granted: false,
      note: 'Ticket erschöpft',
      deviations: [],
    });
    expect(readCardAnswer({ status: 200, body: '{}' })).toMatchObject({ granted: undefined });
  });
});

test.each(ofFiles.filter(({ plays }) => plays !== undefined))(
  'the simulator sends the bytes of $file',
  ({ file, deviceFile, operation, code, plays, ...packet }) => {
    const model = modelFromFile(fileNamed(deviceFile));
    const facts = {
      serial: plays?.serial ?? '',
      reader: 0,
      index: 1,
      clockMs: Date.parse(plays?.clock ?? ''),
    };
    const body =
      operation === 'heartbeat'
        ? model.heart?.body(facts)
        : operation === 'passage'
          ? model.passage?.(packet.read['turnedBack'] === true, facts)
          : model.cardBody(code ?? '', facts);
    const endpoint = new Endpoint({ baseUrl, key });
    const request = {
      operation: operation as 'consume' | 'heartbeat',
      contentType: '',
      body: '',
      ...body,
    };
    expect(endpoint.requestText(request)).toBe(golden(file));
    expect(endpoint.shownText(request)).not.toContain(key);
  },
);
