import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../../kit/durations.ts';
import { BASE62, type RandomBytes, randomText } from '../../kit/random.ts';
import type { AccountRecord } from './account-records.ts';

/** How long a browser counts as known after a sign-in. */
export const DEVICE_DAYS = 180;
const ID_CHARACTERS = 22;
const KEY_BYTES = 32;
const PROOF = /^(\d{1,15})\.([0-9A-Za-z]{22})\.([\w-]{43})$/;

/** The signing key of one account. It is stored in the account: it is the same in every process, and ends with it. */
export function makeDeviceKey(random: RandomBytes): string {
  return Buffer.from(random(KEY_BYTES)).toString('base64');
}

/** The proof of a sign-in that a browser keeps; undefined without a key. */
export function deviceProof(
  account: AccountRecord,
  now: number,
  random: RandomBytes,
): string | undefined {
  if (account.deviceKey === undefined) return undefined;
  const said = `${now}.${randomText(BASE62, ID_CHARACTERS, random)}`;
  return `${said}.${signature(account.id, account.deviceKey, said).toString('base64url')}`;
}

/** The device that shows this proof; undefined when it is none of the account's, or too old. */
export function deviceOf(
  { id, deviceKey }: AccountRecord,
  proof: string | undefined,
  now: number,
): string | undefined {
  const [, madeAt = '', device = '', signed = ''] = PROOF.exec(proof ?? '') ?? [];
  if (deviceKey === undefined || madeAt === '') return undefined;
  const expected = signature(id, deviceKey, `${madeAt}.${device}`);
  const given = Buffer.from(signed, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return now < Number(madeAt) + DEVICE_DAYS * DAY_MS ? device : undefined;
}

function signature(accountId: string, key: string, said: string): Buffer {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(`${accountId}.${said}`).digest();
}
