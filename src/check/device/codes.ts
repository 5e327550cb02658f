import { createHash } from 'node:crypto';

/** More than any session presents; a printed sheet has them all. */
export const CODES_MAX = 48;
const ID_CHARACTERS = 20;
const SIGNATURE_CHARACTERS = 22;

/**
 * The codes that a session presents, in their order. They look like tickets and are none: no service admits them.
 * @param key of the session, which makes them its own
 */
export function sessionCodes(key: string): string[] {
  return Array.from({ length: CODES_MAX }, (_none, index) => {
    const digest = createHash('sha256').update(`${key} code ${index}`).digest();
    const id = BigInt(`0x${digest.toString('hex')}`)
      .toString(36)
      .slice(0, ID_CHARACTERS);
    return `TS1.tkt_check1_${id}.${digest.toString('base64url').slice(0, SIGNATURE_CHARACTERS)}`;
  });
}
