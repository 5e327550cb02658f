import { sign, verify } from 'node:crypto';
import { TicketscanError } from './errors.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import type { CodeFormat, Keyring, SigningKey } from './keyring.ts';
import { TICKET_CODE_CHARACTERS_MAX } from './limits.ts';
import { eventOfTicketId } from './ticket-id.ts';

/** A genuine code and its content. */
export interface VerifiedCode {
  readonly format: CodeFormat;
  readonly ticketId: string;
  readonly eventId: string;
  /** The signing key that made it. */
  readonly signingKeyId: string;
}

const TS1_SIGNATURE_BYTES = 16;

/**
 * Makes the text of the QR code: `<format>.<ticket id>.<signature>` (section 2.2).
 * @throws TicketscanError `keyring` when the keyring has no active key of that format
 */
export function makeTicketCode(ticketId: string, keyring: Keyring, format: CodeFormat): string {
  const key = keyring.find((one) => one.format === format && one.state === 'active');
  if (!key?.signingKey) {
    throw new TicketscanError(
      'keyring',
      `The keyring has no active ${format} key to sign with. Create one: ticketscan signing-keys rotate --format ${format}.`,
    );
  }
  const signed = `${format}.${ticketId}`;
  return `${signed}.${signatureOf(signed, key)}`;
}

/**
 * Verifies a code and returns its content, or undefined when it was not signed, letter for letter, by a key of the
 * keyring that is not retired.
 *
 * The text is compared unchanged: nothing is trimmed, folded or normalised. Base64url has several spellings for the
 * same bytes, so the canonical text is compared, not the bytes.
 */
export function verifyTicketCode(code: string, keyring: Keyring): VerifiedCode | undefined {
  const parts = splitTicketCode(code);
  if (!parts) return undefined;
  const { format, ticketId, eventId, signed, signature } = parts;
  for (const key of keyring) {
    if (key.format !== format || key.state === 'retired') continue;
    if (isSignedBy(signed, signature, key))
      return { format, ticketId, eventId, signingKeyId: key.id };
  }
  return undefined;
}

interface CodeParts {
  readonly format: CodeFormat;
  readonly ticketId: string;
  readonly eventId: string;
  readonly signed: string;
  readonly signature: string;
}

/** The parts of a code that has the right form; says nothing about its signature. */
export function splitTicketCode(code: string): CodeParts | undefined {
  if (code.length > TICKET_CODE_CHARACTERS_MAX) return undefined;
  const firstDot = code.indexOf('.');
  const lastDot = code.lastIndexOf('.');
  const format = code.slice(0, firstDot);
  const signature = code.slice(lastDot + 1);
  if ((format !== 'TS1' && format !== 'TS2') || signature === '') return undefined;
  // A third dot would be in the identifier, which has none.
  const ticketId = code.slice(firstDot + 1, lastDot);
  const eventId = eventOfTicketId(ticketId);
  if (eventId === undefined) return undefined;
  return { format, ticketId, eventId, signed: code.slice(0, lastDot), signature };
}

function isSignedBy(signed: string, signature: string, key: SigningKey): boolean {
  if (key.format === 'TS1') return equalInConstantTime(signature, signatureOf(signed, key));
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false;
  return verify(null, Buffer.from(signed), key.verifyingKey, bytes);
}

function signatureOf(signed: string, key: SigningKey): string {
  if (!key.signingKey) throw new TicketscanError('keyring', `Key ${key.id} cannot sign.`);
  if (key.format === 'TS2')
    return sign(null, Buffer.from(signed), key.signingKey).toString('base64url');
  return hmacSha256(key.signingKey, signed, TS1_SIGNATURE_BYTES);
}

/** Looks at every letter, wherever the first wrong one is; `timingSafeEqual` of node:crypto wants two buffers made first. */
function equalInConstantTime(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < given.length; at += 1) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}
