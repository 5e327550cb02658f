import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A fixed world of keys, events, tickets and codes, in which tests send requests. Everything is made from the
 * documented formats, with no code of the service: what the service makes of it is what is tested.
 */

/** Secret of the TS1 key, and seed of the TS2 key. */
export const TS1_SECRET = Buffer.alloc(32, 'bad input, TS1 secret of a test');
export const TS2_SEED = Buffer.alloc(32, 'bad input, TS2 seed of a test');
export const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');

export const EVENTS = { main: 'mainev1', other: 'otherev1' } as const;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function apiKey(prefix: string, random: string): string {
  const body = `tscn_${prefix}_${random.padEnd(32, '0')}`;
  let rest = crc32(body);
  let checksum = '';
  for (let i = 0; i < 6; i += 1) {
    checksum = `${BASE62[rest % 62]}${checksum}`;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

export const KEYS = {
  api: apiKey('api', 'BadInputApiAll'),
  apiScoped: apiKey('api', 'BadInputApiScoped'),
  apiDisabled: apiKey('api', 'BadInputApiDisabled'),
  apiDeleted: apiKey('api', 'BadInputApiDeleted'),
  apiUnknown: apiKey('api', 'BadInputApiUnknown'),
  hw: apiKey('hw', 'BadInputHwAll'),
  hwScoped: apiKey('hw', 'BadInputHwScoped'),
  hwDisabled: apiKey('hw', 'BadInputHwDisabled'),
  hwDeleted: apiKey('hw', 'BadInputHwDeleted'),
  hwUnknown: apiKey('hw', 'BadInputHwUnknown'),
} as const;

const idOf = (event: string, name: string) => `tkt_${event}_${name.padEnd(20, '0')}`;

export const TICKET_IDS = {
  fresh: idOf(EVENTS.main, 'fresh'),
  freshTs2: idOf(EVENTS.main, 'freshts2'),
  exhausted: idOf(EVENTS.main, 'exhausted'),
  cancelled: idOf(EVENTS.main, 'cancelled'),
  notYetValid: idOf(EVENTS.main, 'notyetvalid'),
  expired: idOf(EVENTS.main, 'expired'),
  otherEvent: idOf(EVENTS.other, 'otherevent'),
  unknown: idOf(EVENTS.main, 'unknown'),
  unknownEvent: idOf('nosuchev', 'unknown'),
} as const;

/** The text of a QR code: prefix, identifier, and 128 bits of HMAC or an Ed25519 signature, in base64url. */
export function codeOf(id: string, format: 'TS1' | 'TS2' = 'TS1'): string {
  const signed = `${format}.${id}`;
  if (format === 'TS2') {
    const key = createPrivateKey({
      key: Buffer.concat([PKCS8_OF_SEED, TS2_SEED]),
      format: 'der',
      type: 'pkcs8',
    });
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
  }
  const digest = createHmac('sha256', TS1_SECRET).update(signed).digest();
  return `${signed}.${digest.subarray(0, 16).toString('base64url')}`;
}

export const CODES = {
  fresh: codeOf(TICKET_IDS.fresh),
  freshTs2: codeOf(TICKET_IDS.freshTs2, 'TS2'),
  exhausted: codeOf(TICKET_IDS.exhausted),
  cancelled: codeOf(TICKET_IDS.cancelled),
  notYetValid: codeOf(TICKET_IDS.notYetValid),
  expired: codeOf(TICKET_IDS.expired),
  otherEvent: codeOf(TICKET_IDS.otherEvent),
  unknown: codeOf(TICKET_IDS.unknown),
  unknownEvent: codeOf(TICKET_IDS.unknownEvent),
} as const;
