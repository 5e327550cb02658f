import { createReadStream, existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Command } from '@commander-js/extra-typings';
import type { Decrypter, Encrypter } from 'age-encryption';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import * as z from 'zod';
import { selfSignedPaths } from '../../config/addresses.ts';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { fileFailure, knownFileFailure } from '../../kit/failures.ts';
import { OWNER_ONLY, readBoundedText } from '../../kit/files.ts';
import type { OptionsOf } from '../../terminal/command.ts';
import type { CliIo } from '../../terminal/io.ts';
import { collected } from '../../terminal/options.ts';
import { type PasswordWords, readPassword } from '../../terminal/prompts.ts';
import { writeAtomically } from '../../tickets/files.ts';

/** The kinds of stores that are files. */
export type FileEngine = 'sqlite' | 'json';

/** The files of a store that is closed, by how their names end. */
export const CLOSED_FILES: Readonly<Record<FileEngine, readonly string[]>> = {
  sqlite: [''],
  json: ['', '.db'],
};

/** The names in an encrypted backup are those that a server looks for in its folder: unpacked by hand, it runs. */
export function storeNames(engine: FileEngine): string[] {
  const name = engine === 'json' ? 'ticketscan.json' : 'ticketscan.db';
  return CLOSED_FILES[engine].map((end) => `${name}${end}`);
}

export const SITE_NAMES = {
  keyring: 'ticketscan.keyring.json',
  cert: 'ticketscan.self-signed.cert.pem',
  key: 'ticketscan.self-signed.key.pem',
} as const;

/** Where the other files of a site are. */
export type SitePaths = Readonly<Record<keyof typeof SITE_NAMES, string>>;

/** The name of the first file. */
export const CONTENTS_NAME = 'backup.json';
const CONTENTS_VERSION = 1;

const Contents = z.object({
  format: z.literal('ticketscan backup'),
  version: z.literal(CONTENTS_VERSION),
  engine: z.enum(['sqlite', 'json']),
  program: z.string(),
  createdAt: z.iso.datetime(),
  files: z.array(z.string()),
});

/** The description in an encrypted backup. */
export type BackupContents = z.infer<typeof Contents>;

export function contentsText(contents: Omit<BackupContents, 'format' | 'version'>): string {
  const all = { format: 'ticketscan backup', version: CONTENTS_VERSION, ...contents };
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** @param file for messages @throws TicketscanError `usage`, `store_newer` */
export function readContents(text: string, file: string): BackupContents {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw foreignArchive(file);
  }
  const parsed = Contents.safeParse(value);
  if (parsed.success) return parsed.data;
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format === 'ticketscan backup' && typeof version === 'number' && version > CONTENTS_VERSION) {
    throw new TicketscanError(
      'store_newer',
      `${file} was made by a newer version of ticketscan. Restore it with that version. Nothing was changed.`,
    );
  }
  throw foreignArchive(file);
}

/** @param keyring its path, or that of a link to it: a self-signed certificate is beside the name that a server is given */
export function sitePaths(keyring: string): SitePaths {
  const file = existsSync(keyring) ? realpathSync(keyring) : keyring;
  return { keyring: file, ...selfSignedPaths(dirname(keyring)) };
}

/** An attacker who has the file can try passphrases without limit. */
const PASSPHRASE_CHARACTERS_MIN = 12;
const PASSPHRASE: PasswordWords = { option: '--passphrase', name: 'passphrase' };

/** The options that say who can open a backup that is being made. */
export function addSealOptions(command: Command) {
  return command
    .option('--encrypt', 'encrypt the backup and include the signing keys')
    .option(
      '--passphrase <place>',
      'passphrase to encrypt with: env:NAME or file:PATH; without it --encrypt asks',
    )
    .option(
      '--recipient <recipient>',
      'encrypt for an age recipient (age1…); may be repeated',
      collected,
    );
}

export type SealOptions = OptionsOf<typeof addSealOptions>;

/** The options that say what opens a backup. */
export function addUnsealOptions(command: Command) {
  return command
    .option(
      '--passphrase <place>',
      'passphrase of an encrypted backup: env:NAME or file:PATH; without it the command asks',
    )
    .option(
      '--identity <file>',
      'age identity that opens an encrypted backup; may be repeated',
      collected,
    );
}

export type UnsealOptions = OptionsOf<typeof addUnsealOptions>;

/**
 * What encrypts a backup: for recipients, or with a passphrase that is given or asked for.
 * @throws TicketscanError `usage`
 */
export async function encrypterFor(options: SealOptions, io: CliIo): Promise<Encrypter> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  const { passphrase, recipient } = options;
  if (recipient === undefined) {
    encrypter.setPassphrase(longEnough(await readPassword(passphrase, io, PASSPHRASE)));
    return encrypter;
  }
  if (passphrase !== undefined) {
    const why = 'A file is encrypted either with a passphrase or for recipients.';
    throw new TicketscanError('usage', `${why} Leave out --passphrase or --recipient.`);
  }
  for (const one of recipient) addRecipient(encrypter, one);
  return encrypter;
}

function longEnough(passphrase: string): string {
  if (passphrase.length >= PASSPHRASE_CHARACTERS_MIN) return passphrase;
  throw new TicketscanError(
    'usage',
    `The passphrase needs at least ${PASSPHRASE_CHARACTERS_MIN} characters, for example five random words: a thief of the file can try ` +
      'passphrases without limit. Nothing was written.',
  );
}

function addRecipient(encrypter: Encrypter, text: string): void {
  if (text.startsWith('AGE-SECRET-KEY-')) {
    const why = '--recipient got an identity, which is secret and is now in the list of processes';
    throw new TicketscanError(
      'usage',
      `${why}. Make a new one: age-keygen -o FILE. It prints the recipient, which begins with age1.`,
    );
  }
  try {
    encrypter.addRecipient(text);
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `--recipient "${text}" is not an age recipient. It begins with age1; age-keygen prints it.`,
      { cause: error },
    );
  }
}

const HEADER = /^age-encryption\.org\/v1\n-> (\S+)/;

/**
 * What opens an encrypted backup: a passphrase that is given or asked for, or identities from files.
 * @param start the first bytes of the file, which name the way that it was encrypted
 * @throws TicketscanError `usage`
 */
export async function decrypterFor(
  file: string,
  start: string,
  { passphrase, identity }: UnsealOptions,
  io: CliIo,
): Promise<Decrypter> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  if (HEADER.exec(start)?.[1] === 'scrypt') {
    if (identity !== undefined) {
      const why = `${file} was encrypted with a passphrase`;
      throw new TicketscanError('usage', `${why}: leave out --identity, and use --passphrase.`);
    }
    decrypter.addPassphrase(await readPassword(passphrase, io, { ...PASSPHRASE, isKnown: true }));
    return decrypter;
  }
  if (identity === undefined) {
    const why = `${file} was encrypted for recipients`;
    throw new TicketscanError(
      'usage',
      `${why}: add --identity FILE, the file that age-keygen wrote. Nothing was changed.`,
    );
  }
  for (const path of identity) addIdentities(decrypter, path);
  return decrypter;
}

function addIdentities(decrypter: Decrypter, path: string): void {
  let text: string;
  try {
    text = readBoundedText(path);
  } catch (error) {
    throw new TicketscanError('usage', `--identity ${path}: ${fileFailure(error)}.`);
  }
  const identities = text.split('\n').map((line) => line.trim());
  const found = identities.filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (found.length === 0) {
    const advice = `An identity begins with AGE-SECRET-KEY-1. For any other kind decrypt with age, and restore what it writes: age --decrypt -i ${path} BACKUP > backup.tar`;
    throw new TicketscanError('usage', `--identity ${path} has no identity in it. ${advice}`);
  }
  try {
    for (const line of found) decrypter.addIdentity(line);
  } catch (error) {
    // The message must not repeat the line.
    const why = messageOf(error).includes('AGE-SECRET') ? 'it cannot be read' : messageOf(error);
    throw new TicketscanError('usage', `--identity ${path} has a damaged identity: ${why}.`);
  }
}

/** A file to put into an archive. */
export interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  /** Read when its turn comes. */
  open(): Readable;
}

/**
 * Writes a tar archive that is encrypted in the format of age, a piece at a time, under its name when it is whole.
 * @param onProgress bytes of the archive so far
 * @throws TicketscanError `usage` when the file cannot be written
 */
export async function writeArchive(
  target: string,
  encrypter: Encrypter,
  files: readonly ArchivedFile[],
  onProgress: (bytes: number) => void,
): Promise<void> {
  const { readable, controller } = createTarPacker();
  const sealed = await encrypter.encrypt(readable);
  await writeAtomically(target, async (stream) => {
    const fill = async () => {
      for (const { name, size, open } of files) {
        const header = { name, size, mode: OWNER_ONLY, mtime: new Date() };
        await asWeb(open()).pipeTo(controller.add(header));
      }
      controller.finalize();
    };
    const bytes = withProgress(Readable.fromWeb(sealed as NodeStream<Uint8Array>), onProgress);
    await Promise.all([fill(), pipeline(bytes, stream, { end: false })]);
  });
}

/**
 * Reads an archive a piece at a time. What `take` got is genuine only when this resolves: then all bytes were verified.
 * @param decrypter undefined for an archive that was decrypted before
 * @param take is called for each file in order, and reads its bytes
 * @param onProgress bytes of the file so far
 * @throws TicketscanError `store_damaged` for a file that was cut off or changed, `usage` for another passphrase, identity or content;
 *   what `take` throws, and errors of the system
 */
export async function readArchive(
  path: string,
  decrypter: Decrypter | undefined,
  take: (name: string, bytes: Readable) => Promise<void>,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const file = createReadStream(path);
  const seen = { isGenuine: false };
  try {
    const bytes = asWeb(Readable.from(withProgress(file, onProgress)));
    const plain = decrypter ? noticing(await decrypter.decrypt(bytes), seen) : bytes;
    for await (const { header, body } of plain.pipeThrough(createTarDecoder({ strict: true }))) {
      // A link has no bytes, which a store without tickets would be made of.
      if (header.type !== 'file') throw foreignArchive(path);
      await take(header.name, Readable.fromWeb(body as NodeStream<Uint8Array>));
    }
  } catch (error) {
    throw archiveFailure(path, error, seen.isGenuine);
  } finally {
    file.destroy();
  }
}

async function* withProgress(
  bytes: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    onProgress(count);
    yield chunk;
  }
}

/** The same bytes; notes when the decryption finds that they are not those that were encrypted. */
function noticing(
  plain: ReadableStream<Uint8Array>,
  seen: { isGenuine: boolean },
): ReadableStream<Uint8Array> {
  seen.isGenuine = true;
  const bytes = async function* () {
    try {
      yield* plain;
    } catch (error) {
      seen.isGenuine = false;
      throw error;
    }
  };
  return asWeb(Readable.from(bytes()));
}

function asWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

function archiveFailure(path: string, error: unknown, isGenuine: boolean): unknown {
  if (error instanceof TicketscanError || knownFileFailure(error) !== undefined) return error;
  if (error instanceof Error && /no identity matched/.test(error.message)) {
    return new TicketscanError(
      'usage',
      `${path} cannot be decrypted: it was encrypted with another passphrase or for another recipient, or its first bytes have changed. ` +
        'Nothing was changed.',
      { cause: error },
    );
  }
  if (isGenuine) return foreignArchive(path);
  return new TicketscanError(
    'store_damaged',
    `${path} is damaged: it was cut off, or bytes of it have changed since it was made. Nothing was changed; use another copy of it.`,
    { cause: error },
  );
}

/** An archive that is whole, of something else. */
export function foreignArchive(path: string): TicketscanError {
  return new TicketscanError(
    'usage',
    `${path} is not a backup of ticketscan: it has something else in it. Nothing was changed.`,
  );
}
