import { existsSync, lstatSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkWritable, makeFolder, whileOpen, writeForAll, writeForOwner } from './files.ts';

/** What a command may do to a file that its result is written to. */
export interface ResultOptions {
  /** `--force`: a file that exists is replaced, unless it is one that no result may replace. */
  readonly force?: boolean | undefined;
}

const START_BYTES = 64 * 1024;
/** How a write-ahead log of SQLite begins, in both byte orders, and its rollback journal. */
const SQLITE_MAGIC = ['7\x7f\x06\x82', '7\x7f\x06\x83', '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7'];

/** What must never be lost to a result, by how the file begins: bytes as characters, so that one table has texts and databases. */
const KEPT: readonly (readonly [what: string, isOne: (start: string) => boolean])[] = [
  ['a store or another SQLite database', (start) => start.startsWith('SQLite format 3\0')],
  ['a part of a store', (start) => SQLITE_MAGIC.some((magic) => start.startsWith(magic))],
  ['a store', isJsonStore],
  ['the log of a store', (start) => /^\{"line":\d+,"bytes":\d+,"check":"/.test(start)],
  ['an encrypted file, such as a backup', (start) => start.startsWith('age-encryption.org/')],
  ['a keyring', isKeyring],
  ['a private key', (start) => /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|AGE-SECRET-KEY-/.test(start)],
  ['a certificate', (start) => start.includes('-----BEGIN CERTIFICATE-----')],
  ['a recording', (start) => /^\s*\{[^{}]*"ticketscan"\s*:\s*"recording"/.test(start)],
  ['a configuration', isConfiguration],
];

/** Files that belong to a store and say nothing of themselves. */
const COMPANION = /^(.+?)(?:-wal|-shm|-journal|\.log|\.lock(?:-wal|-shm|-journal)?)$/su;

/**
 * Finds out before any work whether a result may be written to `path` and can be; leaves everything as it was.
 * @throws Error whose message is a part of a sentence, and Error of the system
 */
export function checkResultFile(path: string, options: ResultOptions): void {
  refuseReplacing(path, options);
  checkWritable(path);
}

/** Writes a result that may contain keys, codes or names: for its owner. Makes its folder where that is missing. @throws as `checkResultFile` */
export function writeResult(path: string, content: string | Buffer, options: ResultOptions): void {
  refuseReplacing(path, options);
  makeFolder(dirname(path));
  writeForOwner(path, content, existsSync(path) ? 'w' : 'wx');
}

/** Writes a result that has no secret: for all. Otherwise as `writeResult`. */
export function writePublicResult(path: string, content: string, options: ResultOptions): void {
  refuseReplacing(path, options);
  makeFolder(dirname(path));
  writeForAll(path, content);
}

/** Lets through a path where nothing would be lost. A device or a pipe loses nothing. @throws as `checkResultFile` */
export function refuseReplacing(path: string, { force = false }: ResultOptions): void {
  refuseCompanion(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    if (lstatSync(path, { throwIfNoEntry: false })) throw kept('it is a link that leads nowhere');
    return;
  }
  if (!found.isFile()) return;
  const what = keptKind(path, found);
  if (what !== undefined) throw kept(`it is ${what}, which no result replaces`);
  if (!force) throw kept('it exists already; name another file, or replace it with --force');
}

/** True for what takes bytes and keeps none under its name: a terminal, a pipe, /dev/null. */
export function isStreamLike(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** What a file is that no result may replace; undefined for any other. @throws Error of the system */
export function keptKindOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? keptKind(path, found) : undefined;
}

function keptKind(path: string, { size }: Stats): string | undefined {
  if (size === 0) return undefined;
  const start = startOf(path);
  return KEPT.find(([, isOne]) => isOne(start))?.[0];
}

function startOf(path: string): string {
  const start = Buffer.alloc(START_BYTES);
  const length = whileOpen(path, 'r', (file) => readSync(file, start, 0, start.length, 0));
  return start.subarray(0, length).toString('latin1');
}

function refuseCompanion(path: string): void {
  const [, store] = COMPANION.exec(path) ?? [];
  if (store === undefined || !keptKindOf(store)?.startsWith('a store')) return;
  throw kept(`it belongs to the store ${store}`);
}

function isJsonStore(start: string): boolean {
  return /^\s*\{/.test(start) && /"format"\s*:\s*\d/.test(start) && /"log"\s*:\s*\{/.test(start);
}

/** A damaged one too. An export of public keys has neither the secrets nor the times. */
function isKeyring(start: string): boolean {
  return /"format"\s*:\s*"TS[12]"/.test(start) && /"(secret|createdAt)"\s*:/.test(start);
}

/** Settings are texts, numbers, switches and lists of texts. Results have objects in them, but for an export of one ticket. */
function isConfiguration(start: string): boolean {
  const value = parsed(start);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if ('ticketId' in value) return false;
  const values = Object.values(value).map((one) => [one].flat());
  const isSetting = (parts: unknown[]) =>
    parts.length > 0 && parts.every((part) => typeof part !== 'object');
  return values.length > 0 && values.every(isSetting);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kept(why: string): Error {
  return Object.assign(new Error(why), { code: 'ERR_KEPT_FILE' });
}
