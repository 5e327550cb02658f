import { closeSync, createWriteStream, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Decrypter } from 'age-encryption';
import { OWNER_ONLY, takeOwnerOf } from '../../../../kit/files.ts';
import { temporaryName } from '../../../../tickets/files.ts';
import { kindOfFile, removeLeftBehind } from '../../../stores/restore/found-files.ts';
import { CLOSED_FILES, type FileEngine } from '../../../stores/restore/stage-backup.ts';
import { foreignArchive, readArchive } from './sealed-archive.ts';
import {
  type BackupContents,
  CERTIFICATE_NAMES,
  CONTENTS_NAME,
  KEYRING_NAME,
  readContents,
  type SitePaths,
  STORE_NAMES,
  sitePaths,
} from './site-files.ts';

const READABLE = 0o644;

interface ToUnpack {
  readonly file: string;
  readonly decrypter: Decrypter | undefined;
  /** Where the files of the store go, until they are audited. */
  readonly staged: string;
  /** Where the keyring and the certificate will be. */
  readonly site: SitePaths;
  /** Throws when the engine of the backup is not the one that is wanted. */
  accept(contents: BackupContents): void;
  onProgress(bytes: number): void;
}

/** Files of a site that were unpacked beside their places. */
export interface StagedSite {
  readonly keyring?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Unpacks a backup beside the places of its files, and verifies every byte of it.
 * @throws TicketscanError `usage`, `store_damaged`, `store_newer`; errors of the system
 */
export async function unpackSealed(to: ToUnpack): Promise<StagedSite> {
  let contents: BackupContents | undefined;
  let places = new Map<string, Place>();
  const found = new Set<string>();
  const take = async (name: string, bytes: Readable) => {
    if (!contents) {
      if (name !== CONTENTS_NAME) throw foreignArchive(to.file);
      contents = readContents(await text(bytes), to.file);
      to.accept(contents);
      places = placesOf(contents.engine, to);
      return;
    }
    const place = places.get(name);
    if (!place || found.has(name)) throw foreignArchive(to.file);
    found.add(name);
    await writeNew(place, bytes);
  };
  await readArchive(to.file, to.decrypter, take, to.onProgress);
  const isComplete = contents?.files.every((name) => found.has(name)) ?? false;
  const hasStore = contents && STORE_NAMES[contents.engine].every((name) => found.has(name));
  if (!isComplete || !hasStore) throw foreignArchive(to.file);
  // An empty file would be opened as a store without tickets.
  if (kindOfFile(to.staged) !== contents?.engine) throw foreignArchive(to.file);
  return stagedSite(to.site, found);
}

interface Place {
  readonly path: string;
  /** The file that it will be, whose owner it gets. */
  readonly future: string;
  readonly mode: number;
}

function placesOf(engine: FileEngine, { staged, site }: ToUnpack): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [index, name] of STORE_NAMES[engine].entries()) {
    const path = `${staged}${CLOSED_FILES[engine][index]}`;
    places.set(name, { path, future: path, mode: OWNER_ONLY });
  }
  const { keyring, key, cert } = site;
  const others = [
    [KEYRING_NAME, keyring, OWNER_ONLY],
    [CERTIFICATE_NAMES.key, key, OWNER_ONLY],
    [CERTIFICATE_NAMES.cert, cert, READABLE],
  ] as const;
  for (const [name, future, mode] of others)
    places.set(name, { path: temporaryName(future), future, mode });
  return places;
}

/** New, so that nobody else has it open; and on the disk. */
async function writeNew({ path, future, mode }: Place, bytes: Readable): Promise<void> {
  const file = openSync(path, 'wx', mode);
  try {
    takeOwnerOf(file, future, dirname(future));
  } finally {
    closeSync(file);
  }
  await pipeline(bytes, createWriteStream(path, { flags: 'r+', flush: true }));
}

function stagedSite(site: SitePaths, found: ReadonlySet<string>): StagedSite {
  const hasCertificate = found.has(CERTIFICATE_NAMES.key) && found.has(CERTIFICATE_NAMES.cert);
  return {
    ...(found.has(KEYRING_NAME) && { keyring: temporaryName(site.keyring) }),
    ...(hasCertificate && { cert: temporaryName(site.cert), key: temporaryName(site.key) }),
  };
}

/** Removes what an earlier run left beside the places of these files. */
export function removeEarlierSite(keyring: string): void {
  for (const path of Object.values(sitePaths(keyring))) removeLeftBehind(path);
}

/** Removes what is left of this run. */
export function removeStagedSite(keyring: string): void {
  for (const path of Object.values(sitePaths(keyring)))
    rmSync(temporaryName(path), { force: true });
}
