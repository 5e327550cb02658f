import { hash, type KeyObject, sign, verify } from 'node:crypto';
import { TicketscanError } from './errors.ts';
import { TICKET_CODE_CHARACTERS_MAX } from './limits.ts';
import { eventOfTicketId } from './ticket-id.ts';

/** The prefix of a code fixes its algorithm: HMAC-SHA256 cut to 128 bits, or Ed25519. */
export const CODE_FORMATS = ['TS1', 'TS2'] as const;
/** How a code is signed: `TS1` with a secret (58 characters), `TS2` with a key pair, for gates that verify offline. */
export type CodeFormat = (typeof CODE_FORMATS)[number];

/** `active` signs and verifies, `verify-only` verifies older codes, `retired` does neither. */
export type SigningKeyState = 'active' | 'verify-only' | 'retired';

/** A key that signs or verifies codes, with its state: active, verify-only or retired. */
export interface SigningKey {
  readonly id: string;
  readonly format: CodeFormat;
  readonly state: SigningKeyState;
  /** Signs; absent where only the public key of a TS2 pair is known, and at a site. */
  readonly signingKey: KeyObject | null;
  readonly verifyingKey: KeyObject;
}

/** The signing keys of a service; see `openKeyring`. */
export type Keyring = readonly SigningKey[];

/** A genuine code and its content. */
export interface VerifiedCode {
  readonly format: CodeFormat;
  readonly ticketId: string;
  readonly eventId: string;
  /** The signing key that made it. */
  readonly signingKeyId: string;
}

const TS1_SIGNATURE_BYTES = 16;

/** True when the keyring only verifies, as that of a site does: its codes are made where the signing keys are. */
export function isVerifyingOnly(keyring: Keyring): boolean {
  return keyring.length > 0 && keyring.every(({ signingKey }) => signingKey === null);
}

/**
 * Makes the text of the QR code: `<format>.<ticket id>.<signature>` (section 2.2).
 * @throws TicketscanError `keyring` when the keyring has no active key of that format, `conflict` when it only verifies
 */
export function makeTicketCode(ticketId: string, keyring: Keyring, format: CodeFormat): string {
  const key = keyring.find((one) => one.format === format && one.state === 'active');
  if (!key?.signingKey) {
    if (isVerifyingOnly(keyring)) {
      throw new TicketscanError(
        'conflict',
        'Codes are not made here: the keys here only verify them. Those of a site are made at its centre.',
      );
    }
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

/** Base64url has several spellings for the same bytes; one is genuine. */
export function isSignedBy(signed: string, signature: string, key: SigningKey): boolean {
  if (key.format === 'TS1') return equalInConstantTime(signature, macOf(signed, key.verifyingKey));
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false;
  return verify(null, Buffer.from(signed), key.verifyingKey, bytes);
}

/** @throws TicketscanError `keyring` for a key that can only verify */
export function signatureOf(signed: string, key: SigningKey): string {
  if (!key.signingKey) throw new TicketscanError('keyring', `Key ${key.id} cannot sign.`);
  if (key.format === 'TS2')
    return sign(null, Buffer.from(signed), key.signingKey).toString('base64url');
  return macOf(signed, key.signingKey);
}

function macOf(signed: string, secret: KeyObject): string {
  return hmacSha256(secret, signed, TS1_SIGNATURE_BYTES);
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

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** The two blocks that HMAC puts in front of what it hashes, each with room for that behind it. */
interface Blocks {
  inner: Buffer;
  readonly outer: Buffer;
}

/** A signature is asked for at every scan; its key changes with a rotation only. */
const blocksOf = new WeakMap<KeyObject, Blocks>();
const digest = Buffer.alloc(DIGEST_BYTES);

/**
 * The first `bytes` bytes of HMAC-SHA256 (RFC 2104) over the ASCII text `message`, as base64url without padding.
 *
 * Two plain hashes cost a third of an Hmac object of node:crypto, which must be made and collected for every code. With
 * `createHmac` and `timingSafeEqual` a whole scan took 1.13 times the processor time of the same base, without them 1.00, where two
 * servers of one build differ by 1.06 to 1.08 (`node bench/two-builds.ts OTHER-CHECKOUT 5 3`). Latin-1 is a byte for each letter, and
 * the cheapest way to get bytes without a new buffer.
 */
export function hmacSha256(key: KeyObject, message: string, bytes: number): string {
  const blocks = blocksOf.get(key) ?? prepare(key);
  const length = BLOCK_BYTES + message.length;
  if (blocks.inner.length < length) blocks.inner = Buffer.concat([blocks.inner], length * 2);
  blocks.inner.write(message, BLOCK_BYTES, 'latin1');
  const inner = hash('sha256', blocks.inner.subarray(0, length), 'latin1');
  blocks.outer.write(inner, BLOCK_BYTES, 'latin1');
  digest.write(hash('sha256', blocks.outer, 'latin1'), 'latin1');
  return digest.toString('base64url', 0, bytes);
}

function prepare(key: KeyObject): Blocks {
  const exported = key.export();
  const secret = exported.length > BLOCK_BYTES ? hash('sha256', exported, 'buffer') : exported;
  const blocks = {
    inner: Buffer.alloc(2 * BLOCK_BYTES, INNER_PAD),
    outer: Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD),
  };
  for (const [index, byte] of secret.entries()) {
    blocks.inner[index] = byte ^ INNER_PAD;
    blocks.outer[index] = byte ^ OUTER_PAD;
  }
  blocksOf.set(key, blocks);
  return blocks;
}
