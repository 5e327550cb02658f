import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { readStoredKeys } from '../../../config/keyring-file.ts';
import { systemClock } from '../../../config/system-clock.ts';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import { readBounded } from '../../../kit/files.ts';
import { counted } from '../../../kit/text.ts';
import { VERSION } from '../../../kit/version.ts';
import {
  openCopyTarget,
  openingFile,
  openStore,
  parseStoreUrl,
} from '../../../stores/open-store.ts';
import { BACKUP_FOLDER, removeLeftBehind } from '../../../stores/replaced-files.ts';
import type { Store, VerifyReport } from '../../../stores/store.ts';
import { SECTIONS } from '../../../stores/transfer/records.ts';
import { plainCommand } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/options.ts';
import { Progress } from '../../../terminal/progress.ts';
import { fileError, temporaryName } from '../../../tickets/files.ts';
import { noteBackup } from '../../server/operations.ts';
import { isSiteStore } from '../../sites/site-records.ts';
import {
  keyringPath,
  openExistingStore,
  requireExistingStore,
  STORE_SETTINGS,
  tellNotice,
} from '../opening.ts';
import {
  type ArchivedFile,
  addSealOptions,
  CONTENTS_NAME,
  contentsText,
  encrypterFor,
  type FileEngine,
  type SealOptions,
  SITE_NAMES,
  sitePaths,
  storeNames,
  writeArchive,
} from '../sealed-archive.ts';

const HELP = `
Examples:
  ticketscan store backup /backup/gate-$(date +%F).db
  ticketscan store backup /backup/gate-$(date +%F).age --encrypt --passphrase file:/etc/ticketscan/passphrase
  ticketscan store backup /backup/gate-$(date +%F).age --recipient age1…

Servers can be running: the backup is a snapshot of the store at the start, and is renamed to FILE only after an audit.
To restore, stop the server and run: ticketscan store restore FILE. The backup lacks later uses: tickets that were used since would
be admitted again.

An encrypted backup also contains the signing keys and a self-signed certificate, and works for every kind of store; a PostgreSQL database
becomes a SQLite file. It is a tar archive that age encrypted: without ticketscan, "age --decrypt FILE | tar -x" unpacks it. age-keygen makes a
recipient (age1…), which the machine at the gate may know, and an identity, which opens the backup. Keep the identity elsewhere.`;

/** A store to back up, and the file that the backup becomes. */
interface ToBackUp {
  readonly io: CliIo;
  readonly url: string;
  readonly keyring: string;
  readonly target: string;
}

interface Made {
  readonly report: VerifyReport;
  /** Names of the files in an encrypted backup; null in a plain one. */
  readonly files: readonly string[] | null;
}

/** `ticketscan store backup`: one file, from a store in use. */
export const backupCommand = plainCommand({
  name: 'backup',
  summary:
    'Back up a store into one file, even while it is in use, and audit the file. Without encryption: SQLite only.',
  argument: ['<file>', 'must not exist yet'],
  options: addSealOptions,
  json: '{"file", "bytes", "tickets", "scans", "encrypted", "files"}',
  help: HELP,
  settings: STORE_SETTINGS,
  run: async (io, options, file) => {
    const { store: url, keyring: named } = readSettings(STORE_SETTINGS, options, io);
    const target = newFile(file);
    requireExistingStore(url);
    const startedAt = systemClock.now();
    const { encrypt, passphrase, recipient } = options;
    const backup = { io, url, keyring: keyringPath(url, named) as string, target };
    // With a passphrase or a recipient, the backup must not be a plain file.
    const isSealed = encrypt || passphrase !== undefined || recipient !== undefined;
    const made = isSealed ? await makeSealed(backup, options) : await makePlain(backup);
    show(backup, made, options);
    await noteMade(io, url, startedAt);
  },
});

function newFile(file: string): string {
  const target = resolve(file);
  if (existsSync(target)) {
    throw new TicketscanError('conflict', `${target} already exists. Name a new file.`);
  }
  if (!existsSync(dirname(target))) {
    throw new TicketscanError(
      'usage',
      `The backup ${file} cannot be written: the folder ${dirname(target)} does not exist. Make it, or name another file.`,
    );
  }
  return target;
}

async function makePlain({ io, url, target }: ToBackUp): Promise<Made> {
  const address = parseStoreUrl(url);
  if (address.engine !== 'sqlite') {
    throw new TicketscanError(
      'usage',
      `A plain backup works for SQLite only. Add --encrypt, which works for every store, or copy the ${address.engine} store: ticketscan store copy <url> sqlite:./backup.db.`,
    );
  }
  removeLeftBehind(target);
  const progress = new Progress(io, systemClock.monotonicMs);
  const report = await openingFile(() => copyDatabase(progress, address.path, target));
  return { report, files: null };
}

/**
 * Writes a snapshot of a store, the keyring and the self-signed certificate into one encrypted file. The snapshot is audited before.
 * @throws TicketscanError as opening the store does, `keyring`, `usage` when a file cannot be written
 */
async function makeSealed(
  { io, url, keyring, target }: ToBackUp,
  options: SealOptions,
): Promise<Made> {
  const encrypter = await encrypterFor(options, io);
  const address = parseStoreUrl(url);
  // Beside the store, and not beside the backup: what is not encrypted stays on the disk where it was.
  const place = join(dirname('path' in address ? address.path : keyring), BACKUP_FOLDER);
  removeLeftBehind(place);
  removeLeftBehind(target);
  const folder = temporaryName(place);
  const progress = new Progress(io, systemClock.monotonicMs);
  try {
    mkdirSync(folder, { mode: 0o700 });
    const { engine, report } = await snapshotInto(folder, url, progress);
    // After the snapshot: every key that signed one of its tickets is in the file by now.
    const verified = existsSync(keyring) || !(await isSiteAt(url)) ? report.tickets : 0;
    const files = [...storeFiles(folder, engine), ...otherFiles(keyring, verified)];
    const names = files.map(({ name }) => name);
    const createdAt = new Date(systemClock.now()).toISOString();
    const contents = contentsText({ engine, program: VERSION, createdAt, files: names });
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const all = [fileOf(CONTENTS_NAME, Buffer.from(contents)), ...files];
    let isBegun = false;
    await writeArchive(target, encrypter, all, (count) => {
      // The progress begins here, because a passphrase takes a second before the first byte.
      if (!isBegun) progress.begin('encrypting bytes', bytes);
      isBegun = true;
      progress.update(count);
    });
    return { report, files: names };
  } catch (error) {
    throw withoutFolder(error, folder);
  } finally {
    progress.clear();
    await rm(folder, { recursive: true, force: true });
  }
}

async function isSiteAt(url: string): Promise<boolean> {
  // No site is a document, which another process may have open.
  if (parseStoreUrl(url).engine === 'json') return false;
  const store = await openExistingStore(url);
  try {
    return await isSiteStore(store);
  } finally {
    await store.close();
  }
}

/** Copies the store as it is at one moment, as the files of a kind of store that has files, and audits them. */
async function snapshotInto(
  folder: string,
  url: string,
  progress: Progress,
): Promise<{ engine: FileEngine; report: VerifyReport }> {
  const address = parseStoreUrl(url);
  const engine = address.engine === 'json' ? 'json' : 'sqlite';
  const staged = join(folder, storeNames(engine)[0] as string);
  if (address.engine === 'sqlite')
    return { engine, report: await copyDatabase(progress, address.path, staged) };
  if (address.engine === 'json') {
    const { copyRunningFiles } = await import('../../../stores/json/copy-files.ts');
    const copied = withPages(progress, staged, (onPages) =>
      copyRunningFiles(address.path, staged, onPages),
    );
    return { engine, report: await copied };
  }
  return { engine, report: await copyIntoFile(url, staged, progress) };
}

/** Copies a database that is in use into a new file and audits it. @throws TicketscanError as `backupDatabase` does, and `usage` for the file */
async function copyDatabase(
  progress: Progress,
  path: string,
  target: string,
): Promise<VerifyReport> {
  const { backupDatabase } = await import('../../../stores/sqlite/backup.ts');
  return withPages(progress, target, (onPages) =>
    backupDatabase(path, target, temporaryName(target), onPages),
  );
}

async function withPages(
  progress: Progress,
  target: string,
  copy: (onPages: (pages: number, pagesInAll: number) => void) => Promise<VerifyReport>,
): Promise<VerifyReport> {
  let total = 0;
  try {
    return await copy((pages, pagesInAll) => {
      if (total !== pagesInAll) progress.begin('pages', pagesInAll);
      total = pagesInAll;
      progress.update(pages);
    });
  } catch (error) {
    throw fileError(target, error);
  } finally {
    progress.clear();
  }
}

/** A database on a server becomes a SQLite file, which needs no server to be read. */
async function copyIntoFile(
  url: string,
  staged: string,
  progress: Progress,
): Promise<VerifyReport> {
  const { copyStore } = await import('../../../stores/transfer/copy-store.ts');
  const source = await openExistingStore(url);
  try {
    const target = await openCopyTarget(`sqlite:${staged}`);
    try {
      progress.begin('copying records', await recordsIn(source));
      await copyStore(source, target, {
        source: 'backup',
        onPage: (_what, _section, records) => progress.update(records),
      });
      return await target.verify();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Each is copied, and then read back. */
async function recordsIn(source: Store): Promise<number> {
  const { counts } = await source.info();
  return SECTIONS.reduce((sum, section) => sum + counts[section], 0);
}

function storeFiles(folder: string, engine: FileEngine): ArchivedFile[] {
  return storeNames(engine).map((name) => {
    const path = join(folder, name);
    return { name, size: statSync(path).size, open: () => createReadStream(path) };
  });
}

/** @throws TicketscanError `keyring` when there are tickets that it must verify, and it is missing or damaged */
function otherFiles(keyring: string, tickets: number): ArchivedFile[] {
  const { key, cert } = sitePaths(keyring);
  const files: ArchivedFile[] = [];
  if (existsSync(keyring)) {
    readStoredKeys(keyring);
    files.push(fileOf(SITE_NAMES.keyring, readBounded(keyring)));
  } else if (tickets > 0) {
    throw new TicketscanError(
      'keyring',
      `The store has ${counted(tickets, 'ticket')}, but their keyring ${keyring} is missing. Name it with --keyring: a backup without it ` +
        'could not verify one of their codes. Nothing was written.',
    );
  }
  if (existsSync(key) && existsSync(cert)) {
    files.push(fileOf(SITE_NAMES.key, readBounded(key)));
    files.push(fileOf(SITE_NAMES.cert, readBounded(cert)));
  }
  return files;
}

function fileOf(name: string, bytes: Buffer): ArchivedFile {
  return { name, size: bytes.length, open: () => Readable.from([bytes]) };
}

/** The same failure without the names of temporary files, which are gone when somebody reads it. */
function withoutFolder(error: unknown, folder: string): unknown {
  const shown = `the temporary copy in ${dirname(folder)}`;
  const failure = fileError(shown, error);
  if (!(failure instanceof TicketscanError) || !failure.message.includes(folder)) return failure;
  // Longer names first.
  const names = [...storeNames('json').toReversed(), ...storeNames('sqlite')];
  const message = names.reduce(
    (text, name) => text.replaceAll(join(folder, name), shown),
    failure.message,
  );
  return new TicketscanError(failure.code, message, { cause: error });
}

function show(
  { io, target: file, keyring }: ToBackUp,
  { report: { tickets, scans }, files }: Made,
  { json, recipient }: SealOptions,
): void {
  const bytes = statSync(file).size;
  const encrypted = files !== null;
  const counts = `${counted(tickets, 'ticket')}, ${counted(scans, 'scan')}`;
  if (json) io.out(JSON.stringify({ file, bytes, tickets, scans, encrypted, files }));
  else io.out(`${file}: ${counts}, ${bytes} bytes; sound${encrypted ? ', encrypted' : ''}.`);
  const secret = recipient ? 'the identity of a recipient' : 'the passphrase';
  const keys = `The signing keys are not in it. Keep a copy of ${keyring} as well, or add --encrypt.`;
  const opens = `Only ${secret} opens it. Keep that in another place, and try: ticketscan store restore.`;
  if (!files) note(io, keys);
  else if (!json) for (const line of [`In it: ${files.join(', ')}.`, opens]) note(io, line);
}

/** Notes the backup for doctor and the dashboard. What was made is a backup also where the store takes no note of it. */
async function noteMade(io: CliIo, url: string, startedAt: number): Promise<void> {
  try {
    const store = await openStore(url, { keepFormat: true });
    tellNotice(io, store);
    try {
      await noteBackup(store, startedAt);
    } finally {
      await store.close();
    }
  } catch (error) {
    const why = messageOf(error);
    note(
      io,
      `doctor and the dashboard will not count this backup, because it could not be noted in the store: ${why}`,
    );
  }
}
