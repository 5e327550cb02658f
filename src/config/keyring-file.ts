import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { messageOf, TicketscanError } from '../core/errors.ts';
import type { CodeFormat, Keyring, SigningKey } from '../core/ticket-code.ts';
import { CODE_FORMATS } from '../core/ticket-code.ts';
import { fileFailure } from '../kit/failures.ts';
import { ownerAdvice } from '../kit/file-access.ts';
import { OWNER_ONLY, readBoundedText, syncPathNow, takeOwnerOf } from '../kit/files.ts';
import { positionOfJsonIssue } from '../kit/json-text.ts';
import { keptKindOf } from '../kit/result-files.ts';

const HMAC_KEY_BYTES = 32;
const OTHERS_MAY_READ = 0o077;
/** Thousands of keys; reading millions would take minutes. */
const BYTES_MAX = 1024 * 1024;

const StoredKey = z.strictObject({
  id: z.string().min(1),
  format: z.enum(CODE_FORMATS),
  state: z.enum(['active', 'verify-only', 'retired']),
  createdAt: z.iso.datetime(),
  /** TS1: the HMAC key. TS2: the private key, absent where only verifying is wanted. Base64url, DER for TS2. */
  secret: z.string().optional(),
  /** TS2 only: the public key as DER in base64url. */
  publicKey: z.string().optional(),
});

const KeyringFile = z.strictObject({ version: z.literal(1), keys: z.array(StoredKey).min(1) });

export type StoredSigningKey = z.infer<typeof StoredKey>;

/**
 * Reads a keyring: the keys that make ticket codes genuine. Anyone who can read the file can print tickets, so one that
 * others can read is refused.
 * @throws TicketscanError `keyring`, with what to do
 */
export function readKeyring(path: string): Keyring {
  return readStoredKeys(path).map((key) => importKey(key, path));
}

/** Reads the keys as the file has them, for callers that change it; otherwise like `readKeyring`. */
export function readStoredKeys(path: string): StoredSigningKey[] {
  const { mode, text } = readFile(path);
  const keys = keysIn(text, path);
  // Only now: another file than a keyring need not be hidden from others.
  refuseOpenPermissions(path, mode);
  return keys;
}

function keysIn(text: string, path: string): StoredSigningKey[] {
  try {
    return KeyringFile.parse(JSON.parse(text)).keys;
  } catch (error) {
    const other = otherThanKeyring(text, path);
    if (other !== undefined) throw notAKeyring(path, other, error);
    throw damaged(path, whyNoJson(error, text), error);
  }
}

/** Why a text is not the JSON that is needed, without a value of it: a keyring has secrets. */
function whyNoJson(error: unknown, text: string): string {
  if (text.trim() === '') return 'it is empty';
  if (error instanceof SyntaxError) return `it is not valid JSON: ${positionOfJsonIssue(text)}`;
  if (!(error instanceof z.ZodError)) return messageOf(error);
  const place = error.issues[0]?.path.join('.') ?? '';
  return place === '' ? 'it has another form' : `"${place}" is missing, or has another form`;
}

/** What is in the place of a keyring; undefined where it may be a damaged one. */
function otherThanKeyring(text: string, path: string): string | undefined {
  const found = keptKindOf(path);
  if (found !== undefined) return found === 'a keyring' ? undefined : found;
  const value = parsed(text);
  const exported = PublicKeys.safeParse(value);
  if (exported.success && exported.data.keys.length > 0)
    return 'a file of public keys, which cannot sign';
  const isObject = typeof value === 'object' && value !== null;
  return isObject && !('keys' in value && 'version' in value)
    ? 'a file of something else'
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Creates a keyring with an active key of each format; keeps an existing one. */
export function createKeyring(path: string): void {
  if (existsSync(path)) return;
  const temporary = writeTemporary(path, CODE_FORMATS.map(newStoredKey));
  try {
    // A link fails where a rename would overwrite: two processes that start together end up with one keyring.
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
  syncPathNow(dirname(path));
}

/** Replaces the file as a whole; a crash leaves the old or the new one. */
export function writeStoredKeys(path: string, keys: readonly StoredSigningKey[]): void {
  renameSync(writeTemporary(path, keys), path);
  syncPathNow(dirname(path));
}

/** A new active key. */
export function newStoredKey(format: CodeFormat): StoredSigningKey {
  const key = { id: `sig_${randomBytes(5).toString('hex')}`, format, state: 'active' } as const;
  const createdAt = new Date().toISOString();
  if (format === 'TS1') {
    return { ...key, createdAt, secret: randomBytes(HMAC_KEY_BYTES).toString('base64url') };
  }
  const pair = generateKeyPairSync('ed25519');
  const secret = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url');
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
  return { ...key, createdAt, secret, publicKey };
}

/** A keyring in memory, for a store in memory. */
export function temporaryKeyring(): Keyring {
  return CODE_FORMATS.map((format) => importKey(newStoredKey(format), 'the keyring'));
}

function importKey(stored: StoredSigningKey, path: string): SigningKey {
  const { id, format, state } = stored;
  try {
    const [signingKey, verifyingKey] = format === 'TS1' ? hmacKeys(stored) : ed25519Keys(stored);
    return { id, format, state, signingKey, verifyingKey };
  } catch (error) {
    throw damaged(path, `key ${id} cannot be used (${messageOf(error)})`, error);
  }
}

function hmacKeys({ secret }: StoredSigningKey): [KeyObject, KeyObject] {
  const bytes = Buffer.from(secret ?? '', 'base64url');
  if (bytes.length < HMAC_KEY_BYTES) throw new Error('its secret is too short');
  const key = createSecretKey(bytes);
  return [key, key];
}

function ed25519Keys({ secret, publicKey }: StoredSigningKey): [KeyObject | null, KeyObject] {
  const der = (text: string) => Buffer.from(text, 'base64url');
  const signingKey =
    secret === undefined
      ? null
      : createPrivateKey({ key: der(secret), type: 'pkcs8', format: 'der' });
  if (publicKey !== undefined) {
    return [signingKey, createPublicKey({ key: der(publicKey), type: 'spki', format: 'der' })];
  }
  if (!signingKey) throw new Error('it has neither a public nor a private part');
  return [signingKey, createPublicKey(signingKey)];
}

function readFile(path: string): { mode: number; text: string } {
  let found: { mode: number; size: number };
  try {
    found = statSync(path);
    if (found.size <= BYTES_MAX) return { mode: found.mode, text: readBoundedText(path) };
  } catch (error) {
    throw unreadable(path, error);
  }
  throw damaged(path, `it has ${found.size} bytes, and no keyring is as large`, undefined);
}

/** Good keys that this user may not read must not be replaced by a backup. */
function unreadable(path: string, cause: unknown): TicketscanError {
  const { code } = cause as NodeJS.ErrnoException;
  const kind = code === 'ERR_TEXT_NONE' ? keptKindOf(path) : undefined;
  if (kind !== undefined) return notAKeyring(path, kind, cause);
  const isForbidden = code === 'EACCES';
  const advice = isForbidden
    ? ownerAdvice()
    : 'Without it no ticket code can be created or verified: restore it, or name it with --keyring.';
  return new TicketscanError(
    'keyring',
    `The keyring ${path} cannot be read: ${fileFailure(cause)}. ${advice}`,
    { cause },
  );
}

function refuseOpenPermissions(path: string, mode: number): void {
  if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0) {
    throw new TicketscanError(
      'keyring',
      `Other users can read the keyring ${path} and create tickets with it. Run: chmod 600 ${path}`,
    );
  }
}

function notAKeyring(path: string, what: string, cause: unknown): TicketscanError {
  return new TicketscanError(
    'keyring',
    `${path} is not a keyring: it is ${what}. Restore the keyring from a backup, or name another with --keyring.`,
    { cause },
  );
}

function damaged(path: string, why: string, cause: unknown): TicketscanError {
  return new TicketscanError(
    'keyring',
    `The keyring ${path} is damaged: ${why}. Restore it from a backup.`,
    { cause },
  );
}

function openNew(temporary: string, path: string): number {
  try {
    return openSync(temporary, 'wx', OWNER_ONLY);
  } catch (cause) {
    throw new TicketscanError(
      'keyring',
      `The keyring ${path} cannot be written: ${fileFailure(cause)}. Check that its folder exists and that you can write there.`,
      { cause },
    );
  }
}

function writeTemporary(path: string, keys: readonly StoredSigningKey[]): string {
  // With the process in it, as `leftBehind` looks for; apart from the keyring that a restore has there.
  const name = `.${basename(path)}.${process.pid}.tmp.${randomBytes(6).toString('hex')}.tmp`;
  const temporary = join(dirname(path), name);
  const file = openNew(temporary, path);
  try {
    takeOwnerOf(file, path, dirname(path));
    writeFileSync(file, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return temporary;
}

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
  const text = forPublicKeys(path, () => readBoundedText(path), fileFailure);
  const read = () => {
    const pems = text.trimStart().startsWith('{') ? [] : (text.match(PEM) ?? []);
    const keys =
      pems.length > 0
        ? pems.map((pem) => verifyingKey(undefined, 'verify-only', pem))
        : PublicKeys.parse(JSON.parse(text)).keys.map((key) =>
            verifyingKey(key.id, key.state, key.publicKey),
          );
    if (keys.length > 0) return keys;
    throw new Error('it has none');
  };
  return forPublicKeys(path, read, (error) => whyNoJson(error, text));
}

/** What `work` makes of a file of public keys. @param reasonOf what is wrong with it, in words */
function forPublicKeys<Result>(
  path: string,
  work: () => Result,
  reasonOf: (error: unknown) => string,
): Result {
  try {
    return work();
  } catch (error) {
    const why = reasonOf(error);
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
