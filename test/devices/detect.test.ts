import { describe, expect, test } from 'vitest';
import { detectScan, recogniseScan } from '../../src/scan/devices/detect.ts';

const CODE = 'TS1.tkt_abc123_0123456789abcdefghij.AAECAwQFBgcICQoLDA0ODw';
const json = (value: Record<string, unknown>) => ({ text: JSON.stringify(value), json: value });
const text = (value: string | undefined) => ({ text: value, json: undefined });
const base64 = Buffer.from(`${CODE}?>~`).toString('base64');

describe.each([
  [
    'access-controller',
    json({ Card: base64, Serial: 5, Reader: '1' }),
    { ticketCode: `${CODE}?>~`, serial: '5', reader: '1' },
  ],
  ...[{}, null, true, ''].map(
    (reader) =>
      [
        'access-controller',
        json({ Card: base64, Serial: '5', Reader: reader }),
        { ticketCode: `${CODE}?>~`, serial: '5', reader: null, sharesSerial: true },
      ] as const,
  ),
  [
    'access-controller',
    json({ Card: base64.replaceAll('=', '') }),
    { ticketCode: `${CODE}?>~`, serial: null, reader: null },
  ],
  [
    'access-controller',
    json({ Card: base64.replaceAll('+', '-').replaceAll('/', '_') }),
    { ticketCode: `${CODE}?>~`, serial: null, reader: null },
  ],
  ...['\r', '\n', '\r\n'].map(
    (end) =>
      [
        'access-controller',
        json({ Card: Buffer.from(CODE + end).toString('base64') }),
        { ticketCode: CODE, serial: null, reader: null },
      ] as const,
  ),
  ...['\n\n', '\r\r', '\n\r', ' \n', '\u2028', '\u0085'].map(
    (end) =>
      [
        'access-controller',
        json({ Card: Buffer.from(CODE + end).toString('base64') }),
        { ticketCode: (CODE + end).replace(/[\r\n]$/, ''), serial: null, reader: null },
      ] as const,
  ),
  [
    'access-controller',
    json({ Card: Buffer.from(`\n${CODE}`).toString('base64') }),
    { ticketCode: `\n${CODE}`, serial: null, reader: null },
  ],
  [
    'access-controller',
    json({ Card: Buffer.from('\r\n').toString('base64') }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  ...['\r', '\n', '\r\n'].map(
    (end) =>
      [
        'bas-ip',
        json({ identifier_number: CODE + end }),
        { ticketCode: CODE, serial: null, reader: null },
      ] as const,
  ),
  ...['\r', '\n', '\r\n'].map(
    (end) =>
      [
        'vguang',
        text(`vgdecoderesult=${CODE}${end}&&devicenumber=001${end}`),
        { ticketCode: CODE, serial: '001', sharesSerial: true, reader: null },
      ] as const,
  ),
  ['vguang', text(`${CODE}\r`), { ticketCode: CODE, serial: null, reader: null }],
  [
    'vguang',
    text(`vgdecoderesult=${CODE}\n\n`),
    { ticketCode: `${CODE}\n`, serial: null, sharesSerial: true, reader: null },
  ],
  ['access-controller', json({ Card: '' }), { ticketCode: undefined, serial: null, reader: null }],
  ['access-controller', json({ Card: 5 }), { ticketCode: undefined, serial: null, reader: null }],
  ['access-controller', json({ Card: 'A' }), { ticketCode: undefined, serial: null, reader: null }],
  [
    'access-controller',
    json({ Card: ' QUJD' }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  [
    'access-controller',
    json({ Card: 'QUJD ' }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  [
    'access-controller',
    json({ Card: 'QUJD===' }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  [
    'access-controller',
    json({ Card: '//79' }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  [
    'bas-ip',
    json({ identifier_number: CODE, device_serial: 'P' }),
    { ticketCode: CODE, serial: 'P', reader: null },
  ],
  ['bas-ip', json({ identifier_number: 5 }), { ticketCode: '5', serial: null, reader: null }],
  [
    'bas-ip',
    json({ identifier_number: '' }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  [
    'bas-ip',
    json({ identifier_number: null }),
    { ticketCode: undefined, serial: null, reader: null },
  ],
  [
    'vguang',
    text(`vgdecoderesult=${CODE}&&devicenumber=001`),
    { ticketCode: CODE, serial: '001', sharesSerial: true, reader: null },
  ],
  [
    'vguang',
    text(`vgdecoderesult=${CODE}&devicenumber=001\r\n`),
    { ticketCode: CODE, serial: '001', sharesSerial: true, reader: null },
  ],
  [
    'vguang',
    text(`vgdecoderesult=a\nb&&devicenumber=1\n`),
    { ticketCode: 'a\nb', serial: '1', sharesSerial: true, reader: null },
  ],
  [
    'vguang',
    text('vgdecoderesult='),
    { ticketCode: undefined, serial: null, sharesSerial: true, reader: null },
  ],
  ['vguang', text(CODE), { ticketCode: CODE, serial: null, reader: null }],
  ['vguang', text(`${CODE}\n`), { ticketCode: CODE, serial: null, reader: null }],
] as const)('%s: %j', (model, body, scan) => {
  test('is read', () => {
    const found = recogniseScan(body);
    expect(found?.model.id).toBe(model);
    expect(found?.scan).toEqual(scan);
  });
});

test.each([
  text(undefined),
  text(''),
  text('hello'),
  json({}),
  json({ card: 'QUJD' }),
  text(`x${CODE} y`),
  text(`${CODE}\n\n`),
  text(` ${CODE}`),
  text(`x vgdecoderesult=${CODE}`),
  text('a.tkt_b'),
  text('a.tkt_b.'),
  text('.tkt_b.c'),
  text('a.tkt_b.c.d'),
  text('a.xtkt_b.c'),
  text('a.tkt_.c'),
])('%j is no known model: it is answered as the documented one', (body) => {
  expect(recogniseScan(body)).toBeUndefined();
  expect(detectScan(body)).toMatchObject({
    model: { id: 'access-controller' },
    scan: { serial: null, reader: null },
  });
  expect(detectScan(body).scan.ticketCode).toBeUndefined();
});

test('the three formats of a grant and a denial', () => {
  const grant = { granted: true, relay: 'out', openSeconds: 7, name: 'N', note: 'M' } as const;
  const models = [json({ Card: '' }), json({ identifier_number: '' }), text('vgdecoderesult=')].map(
    (body) => detectScan(body).model,
  );
  expect(models.map((model) => model.answer(grant))).toEqual([
    '{"AcsRes":"1","ActIndex":"1","Time":"7","Name":"N","Note":"M"}',
    '{"handled":true,"access":{"granted":true,"lock_number":2}}',
    'code=0000',
  ]);
  expect(models.map((model) => model.answer({ granted: false, note: 'M' }))).toEqual([
    '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"M"}',
    '{"handled":true,"access":{"granted":false}}',
    'code=0001',
  ]);
  expect(models.map(({ contentType }) => contentType)).toEqual([
    'application/json; charset=utf-8',
    'application/json; charset=utf-8',
    'text/plain; charset=utf-8',
  ]);
});
