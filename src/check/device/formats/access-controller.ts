import { isRecord, parsedJson } from '../../facts/json.ts';
import { DENIAL_TEXTS } from './denial-texts.ts';
import { type Format, jsonAnswer, STATUS_OF } from './format.ts';
import { atScanUrls } from './scan-urls.ts';

/** Section 2.4: the cloud-connected access controller. */
export const accessController: Format = atScanUrls({
  id: 'access-controller',
  features: {
    relay: true,
    seconds: true,
    name: true,
    note: true,
    heartbeat: true,
    heartbeatSerial: true,
    serial: true,
    reader: true,
    controllerFields: true,
  },
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('Card' in fields)) return undefined;
    const { Card: card, Serial: serial, Reader: reader } = fields;
    if (typeof card !== 'string') return { code: undefined, serial, reader };
    return { code: Buffer.from(card, 'base64').toString('utf8'), raw: card, serial, reader };
  },
  grant: ({ name, note, relay, seconds }) =>
    jsonAnswer(200, {
      AcsRes: '1',
      ActIndex: String(relay),
      Time: String(seconds),
      Name: name,
      Note: note,
    }),
  denial: (kind) =>
    jsonAnswer(STATUS_OF[kind], {
      AcsRes: '0',
      ActIndex: '0',
      Time: '0',
      Note: DENIAL_TEXTS[kind],
    }),
  textOf: (kind) => DENIAL_TEXTS[kind],
});
