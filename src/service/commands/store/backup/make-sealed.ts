import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Encrypter } from 'age-encryption';
import { readStoredKeys } from '../../../../config/keyring-file.ts';
import { systemClock } from '../../../../config/system-clock.ts';
import { TicketscanError } from '../../../../core/errors.ts';
import { counted } from '../../../../kit/counted.ts';
import type { CliIo } from '../../../../terminal/io.ts';
import { Progress } from '../../../../terminal/progress.ts';
import { VERSION } from '../../../../terminal/version.ts';
import { fileError, temporaryName } from '../../../../tickets/files.ts';
import { openCopyTarget, parseStoreUrl } from '../../../stores/open-store.ts';
import { BACKUP_FOLDER, removeLeftBehind } from '../../../stores/restore/found-files.ts';
import type { FileEngine } from '../../../stores/restore/stage-backup.ts';
import type { Store, VerifyReport } from '../../../stores/store.ts';
import { SECTIONS } from '../../../stores/transfer/records.ts';
import { openExistingStore } from '../../access/existing-store.ts';
import { type ArchivedFile, writeArchive } from './sealed-archive.ts';
import {
  CERTIFICATE_NAMES,
  CONTENTS_NAME,
  contentsText,
  KEYRING_NAME,
  STORE_NAMES,
  sitePaths,
} from './site-files.ts';

interface ToSeal {
  readonly url: string;
  readonly keyring: string;
  readonly target: string;
}

export interface SealedBackup {
  readonly report: VerifyReport;
  /** Names of the files that are in it. */
  readonly files: readonly string[];
}

/**
 * Writes a snapshot of a store, the keyring and the self-signed certificate into one encrypted file. The snapshot is audited before.
 * @throws TicketscanError as opening the store does, `keyring`, `usage` when a file cannot be written
 */
export async function makeSealedBackup(
  io: CliIo,
  { url, keyring, target }: ToSeal,
  encrypter: Encrypter,
): Promise<SealedBackup> {
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
    const files = [...storeFiles(folder, engine), ...otherFiles(keyring, report.tickets)];
    const names = files.map(({ name }) => name);
    const createdAt = new Date(systemClock.now()).toISOString();
    const contents = contentsText({ engine, program: VERSION, createdAt, files: names });
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const all = [fileOf(CONTENTS_NAME, Buffer.from(contents)), ...files];
    let isBegun = false;
    await writeArchive(target, encrypter, all, (count) => {
      // Only now: a passphrase takes a second before the first byte.
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

/** The same failure without the names of temporary files, which are gone when somebody reads it. */
function withoutFolder(error: unknown, folder: string): unknown {
  const shown = `the temporary copy in ${dirname(folder)}`;
  const failure = fileError(shown, error);
  if (!(failure instanceof TicketscanError) || !failure.message.includes(folder)) return failure;
  // Longer names first.
  const names = Object.values(STORE_NAMES).flat();
  const message = names
    .toReversed()
    .reduce((text, name) => text.replaceAll(join(folder, name), shown), failure.message);
  return new TicketscanError(failure.code, message, { cause: error });
}

/** Copies the store as it is at one moment, as the files of an engine that has files, and audits them. */
async function snapshotInto(
  folder: string,
  url: string,
  progress: Progress,
): Promise<{ engine: FileEngine; report: VerifyReport }> {
  const address = parseStoreUrl(url);
  const engine = address.engine === 'json' ? 'json' : 'sqlite';
  const staged = join(folder, STORE_NAMES[engine][0] as string);
  if (address.engine === 'sqlite') {
    const { backupWithProgress } = await import('./snapshot-sqlite.ts');
    return { engine, report: await backupWithProgress(progress, address.path, staged) };
  }
  if (address.engine === 'json') {
    const { copyRunningFiles } = await import('../../../stores/json/json-store.ts');
    return { engine, report: await copyRunningFiles(address.path, staged) };
  }
  return { engine, report: await copyIntoFile(url, staged, progress) };
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
  return STORE_NAMES[engine].map((name) => {
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
    files.push(fileOf(KEYRING_NAME, readFileSync(keyring)));
  } else if (tickets > 0) {
    throw new TicketscanError(
      'keyring',
      `The store has ${counted(tickets, 'ticket')}, but their keyring ${keyring} is missing. Name it with --keyring: a backup without it ` +
        'could not verify one of their codes. Nothing was written.',
    );
  }
  if (existsSync(key) && existsSync(cert)) {
    files.push(fileOf(CERTIFICATE_NAMES.key, readFileSync(key)));
    files.push(fileOf(CERTIFICATE_NAMES.cert, readFileSync(cert)));
  }
  return files;
}

function fileOf(name: string, bytes: Buffer): ArchivedFile {
  return { name, size: bytes.length, open: () => Readable.from([bytes]) };
}
