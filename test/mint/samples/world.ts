import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { codeOf, TS1_SECRET, TS2_SEED } from '../../support/fixed-world.ts';

/** The keys and codes of the samples: invented, and made from the documented formats with no code of the service. */
const CREATED_AT = '2026-11-01T00:00:00.000Z';
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');
const RETIRED_SECRET = Buffer.alloc(32, 'samples, the secret of a retired key');
const UNKNOWN_SECRET = Buffer.alloc(32, 'samples, the secret of a stranger');

const privateKey = Buffer.concat([PKCS8_OF_SEED, TS2_SEED]);
const publicKey = createPublicKey(
  createPrivateKey({ key: privateKey, type: 'pkcs8', format: 'der' }),
);

export const TS1_KEY = 'sig_sample_ts1';
export const TS2_KEY = 'sig_sample_ts2';

/** The keyring that `ticketscan signing-keys` keeps. */
export const KEYRING = {
  version: 1,
  keys: [
    {
      id: TS1_KEY,
      format: 'TS1',
      state: 'active',
      createdAt: CREATED_AT,
      secret: TS1_SECRET.toString('base64url'),
    },
    {
      id: TS2_KEY,
      format: 'TS2',
      state: 'active',
      createdAt: CREATED_AT,
      secret: privateKey.toString('base64url'),
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    },
    {
      id: 'sig_sample_old',
      format: 'TS1',
      state: 'retired',
      createdAt: CREATED_AT,
      secret: RETIRED_SECRET.toString('base64url'),
    },
  ],
};

/** The file that `ticketscan signing-keys export-public` writes. */
export const PUBLIC_KEYS = {
  version: 1,
  keys: [
    {
      id: TS2_KEY,
      format: 'TS2',
      state: 'active',
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  ],
};

export const idOf = (name: string) => `tkt_sample1_${name.padEnd(20, '0')}`;

function signedBy(secret: Buffer, id: string): string {
  const digest = createHmac('sha256', secret).update(`TS1.${id}`).digest();
  return `TS1.${id}.${digest.subarray(0, 16).toString('base64url')}`;
}

const genuine = codeOf(idOf('genuine'));

export const CODES = {
  genuine,
  second: codeOf(idOf('second')),
  third: codeOf(idOf('third')),
  offline: codeOf(idOf('offline'), 'TS2'),
  otherPrefix: genuine.replace('TS1', 'TS3'),
  alteredSignature: genuine.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
  alteredTicket: genuine.replace('genuine0', 'genuine1'),
  alteredOffline: codeOf(idOf('offline'), 'TS2').replace('offline0', 'offline1'),
  cut: genuine.slice(0, -6),
  upperCase: genuine.toUpperCase(),
  unknownKey: signedBy(UNKNOWN_SECRET, idOf('unknownkey')),
  retiredKey: signedBy(RETIRED_SECRET, idOf('retiredkey')),
  webAddress: 'https://example.org/',
} as const;
