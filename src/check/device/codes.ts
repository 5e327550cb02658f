import { createHash } from 'node:crypto';

/** More than any session presents; a printed sheet has them all. */
export const CODES_MAX = 48;
const EVENT_ID = 'check12345';
const EVENT_ID_CHARACTERS_MIN = 6;
const ID_CHARACTERS = 20;
const SIGNATURE_CHARACTERS = 22;

/**
 * The codes that a session presents, in their order; the last is as long as a code of this service gets, with an Ed25519
 * signature. They look like tickets, but no service admits them. Their lengths differ, so that Base64 needs every padding.
 * @param key of the session, which makes them its own
 */
export function sessionCodes(key: string): string[] {
  return Array.from({ length: CODES_MAX }, (_none, index) => {
    const isLong = index === CODES_MAX - 1;
    const digest = createHash(isLong ? 'sha512' : 'sha256')
      .update(`${key} code ${index}`)
      .digest();
    const id = BigInt(`0x${digest.toString('hex')}`)
      .toString(36)
      .slice(0, ID_CHARACTERS);
    const signature = digest.toString('base64url');
    if (isLong) return `TS2.tkt_${EVENT_ID}_${id}.${signature}`;
    const eventId = EVENT_ID.slice(0, EVENT_ID_CHARACTERS_MIN + (index % 5));
    return `TS1.tkt_${eventId}_${id}.${signature.slice(0, SIGNATURE_CHARACTERS)}`;
  });
}
