import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, type RandomBytes, randomText } from '../kit/random.ts';

/** Section 5: chosen at creation, fixes how the key is sent. */
export const INTEGRATION_TYPES = ['api', 'hardware'] as const;
export type IntegrationType = (typeof INTEGRATION_TYPES)[number];

const ACCESS_TOKEN = /^tscn_pat_[0-9A-Za-z]{38}$/;
const ACCESS_TOKEN_PREFIX = 'tscn_pat_';
const SITE_TOKEN = /^tscn_site_[0-9A-Za-z]{38}$/;
const SITE_TOKEN_PREFIX = 'tscn_site_';
const PREFIX = { api: 'tscn_api_', hardware: 'tscn_hw_' } as const;
const KEY = /^tscn_(api|hw)_[0-9A-Za-z]{38}$/;
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;

/** A new key value: prefix, 32 random characters (190 bits), 6 characters of checksum. */
export function makeApiKey(type: IntegrationType, random: RandomBytes): string {
  return withChecksum(PREFIX[type], random);
}

/** A personal access token for scripts: the same form under another prefix. */
export function makeAccessToken(random: RandomBytes): string {
  return withChecksum(ACCESS_TOKEN_PREFIX, random);
}

/** The token with which a site speaks to its centre. */
export function makeSiteToken(random: RandomBytes): string {
  return withChecksum(SITE_TOKEN_PREFIX, random);
}

/** True when `text` has the form and the checksum of the token of a site. */
export function isWellFormedSiteToken(text: string): boolean {
  return SITE_TOKEN.test(text) && hasChecksum(text);
}

/** True when `text` has a key's form and checksum: a mistyped key is refused without a look-up. */
export function isWellFormedApiKey(text: string): boolean {
  return KEY.test(text) && hasChecksum(text);
}

/** True when `text` has the form and the checksum of a personal access token. */
export function isWellFormedAccessToken(text: string): boolean {
  return ACCESS_TOKEN.test(text) && hasChecksum(text);
}

/** SHA-256 in hex: the only stored form of a key or token. Its 190 random bits need no slow hash. */
export function hashApiKey(value: string): string {
  return hash('sha256', value, 'hex');
}

function withChecksum(prefix: string, random: RandomBytes): string {
  const body = prefix + randomText(BASE62, RANDOM_CHARACTERS, random);
  return body + checksumOf(body);
}

function hasChecksum(text: string): boolean {
  return checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i += 1) {
    text = `${BASE62[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}
