import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { messageOf, TicketscanError } from '../core/errors.ts';
import type { Keyring, SigningKey } from '../core/keyring.ts';
import { readBoundedText } from '../kit/files.ts';

const PublicKeys = z.object({
  version: z.literal(1),
  keys: z.array(
    z.object({
      id: z.string().min(1),
      format: z.literal('TS2'),
      state: z.enum(['active', 'verify-only']),
      publicKey: z.string(),
    }),
  ),
});

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/gu;
const FINGERPRINT_CHARACTERS = 10;

/** The public keys of the TS2 keys that still verify; they are not secret. TS1 keys have none. */
export function exportPublicKeys(keyring: Keyring): z.infer<typeof PublicKeys> {
  const keys = keyring.flatMap(({ id, format, state, verifyingKey }) =>
    format === 'TS2' && state !== 'retired'
      ? [{ id, format, state, publicKey: toPem(verifyingKey) }]
      : [],
  );
  return { version: 1, keys };
}

/**
 * Reads what `signing-keys export-public` wrote, or PEM, as a keyring that can only verify.
 * @throws TicketscanError `keyring` when the file has no public key
 */
export function readPublicKeys(path: string): Keyring {
  try {
    const text = readBoundedText(path);
    const pems = text.trimStart().startsWith('{') ? [] : (text.match(PEM) ?? []);
    const keys =
      pems.length > 0
        ? pems.map((pem) => verifyingKey(undefined, 'verify-only', pem))
        : PublicKeys.parse(JSON.parse(text)).keys.map((key) =>
            verifyingKey(key.id, key.state, key.publicKey),
          );
    if (keys.length > 0) return keys;
    throw new Error('it has none');
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new TicketscanError(
      'keyring',
      `${path} is not a file of public keys: ${why}. Create one with: ticketscan signing-keys export-public`,
      { cause: error },
    );
  }
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function verifyingKey(id: string | undefined, state: SigningKey['state'], pem: string): SigningKey {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('a key is not Ed25519');
  const fingerprint = hash('sha256', key.export({ type: 'spki', format: 'der' }), 'hex');
  return {
    id: id ?? `pem_${fingerprint.slice(0, FINGERPRINT_CHARACTERS)}`,
    format: 'TS2',
    state,
    signingKey: null,
    verifyingKey: key,
  };
}
