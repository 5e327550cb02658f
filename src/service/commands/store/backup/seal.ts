import { Decrypter, Encrypter } from 'age-encryption';
import { messageOf, TicketscanError } from '../../../../core/errors.ts';
import { fileFailure } from '../../../../kit/failures.ts';
import { readBoundedText } from '../../../../kit/files.ts';
import type { CliIo } from '../../../../terminal/io.ts';
import { type PasswordWords, readPassword } from '../../../../terminal/prompts.ts';

/** An attacker who has the file can try passphrases without limit. */
const PASSPHRASE_CHARACTERS_MIN = 12;
const PASSPHRASE: PasswordWords = { option: '--passphrase', name: 'passphrase' };

/** Who can open a backup that is being made. */
export interface SealOptions {
  readonly encrypt?: boolean;
  /** `env:NAME` or `file:PATH` */
  readonly passphrase?: string;
  /** age recipients */
  readonly recipient?: readonly string[];
}

export interface UnsealOptions {
  readonly passphrase?: string;
  /** Files with age identities. */
  readonly identity?: readonly string[];
}

/**
 * What encrypts a backup: for recipients, or with a passphrase that is given or asked for.
 * @throws TicketscanError `usage`
 */
export async function encrypterFor(options: SealOptions, io: CliIo): Promise<Encrypter> {
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
