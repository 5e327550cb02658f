import { decodeUtf8 } from '../core/utf8.ts';
import { type DeviceModel, deviceText } from './device-model.ts';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The cloud-connected access controller of section 2.4. */
export const accessController: DeviceModel = {
  id: 'access-controller',
  contentType: 'application/json; charset=utf-8',
  read(body) {
    const { json } = body;
    if (!json || !Object.hasOwn(json, 'Card')) return undefined;
    const reader = deviceText(body, 'Reader');
    return {
      ticketCode: contentOf(json['Card']),
      serial: deviceText(body, 'Serial'),
      reader,
      ...(reader === null && Object.hasOwn(json, 'Reader') && { sharesSerial: true }),
    };
  },
  answer(answer) {
    if (!answer.granted) {
      return JSON.stringify({ AcsRes: '0', ActIndex: '0', Time: '0', Note: answer.note });
    }
    return JSON.stringify({
      AcsRes: '1',
      ActIndex: answer.relay === 'in' ? '0' : '1',
      Time: String(answer.openSeconds),
      Name: answer.name,
      Note: answer.note,
    });
  },
};

/** Decodes Base64, standard or URL-safe, with or without padding. Undefined when it is none, empty or not UTF-8. */
function contentOf(card: unknown): string | undefined {
  if (typeof card !== 'string' || !BASE64.test(card)) return undefined;
  return decodeUtf8(Buffer.from(card, 'base64')) || undefined;
}
