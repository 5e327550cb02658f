import * as z from 'zod';
import { decodeUtf8 } from '../../kit/text.ts';
import { type DeviceModel, deviceText } from './device-model.ts';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

const Scan = z
  .looseObject({
    Card: z.string().meta({ description: 'the content of the QR code, Base64-encoded' }),
    Serial: z.union([z.string(), z.number()]).optional(),
    Reader: z
      .union([z.string(), z.number()])
      .optional()
      .meta({ description: 'even is IN, odd is OUT' }),
  })
  .meta({ id: 'AccessControllerScan' });

const Granted = z
  .object({
    AcsRes: z.literal('1'),
    ActIndex: z.enum(['0', '1']).meta({ description: '"0" is IN, "1" is OUT' }),
    Time: z.string().meta({ description: 'seconds that the door stays open' }),
    Name: z.string().meta({ description: 'at most 16 bytes of UTF-8' }),
    Note: z.string().meta({ description: 'at most 32 bytes of UTF-8' }),
  })
  .meta({ id: 'AccessControllerGranted' });

const Denied = z
  .object({
    AcsRes: z.literal('0'),
    ActIndex: z.literal('0'),
    Time: z.literal('0'),
    Note: z.string().meta({ description: 'the reason, at most 32 bytes of UTF-8' }),
  })
  .meta({ id: 'AccessControllerDenied' });

/** The cloud-connected access controller of section 2.4. */
export const accessController: DeviceModel = {
  id: 'access-controller',
  contentType: 'application/json; charset=utf-8',
  schemas: { scan: Scan, granted: Granted, denied: Denied },
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
