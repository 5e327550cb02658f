import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createSecureContext } from 'node:tls';
import type { Decrypter } from 'age-encryption';
import { systemClock } from '../../config/system-clock.ts';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { knownFileFailure } from '../../kit/failures.ts';
import { OWNER_ONLY, syncPath, takeOwnerOf } from '../../kit/files.ts';
import { createTemporary } from '../../stores/file-guards.ts';
import { lockFiles } from '../../stores/json/lock-files.ts';
import {
  describeStoreUrl,
  openStore,
  parseStoreUrl,
  refuseOtherThanFile,
} from '../../stores/open-store.ts';
import { type FileKind, kindOfFile, type LockedStore } from '../../stores/replaced-files.ts';
import { foreignSchemaOf } from '../../stores/sqlite/foreign-schema.ts';
import { lockDatabase } from '../../stores/sqlite/lock-database.ts';
import { copiesBeforeMigration } from '../../stores/sqlite/open-database.ts';
import type { VerifyReport } from '../../stores/store.ts';
import type { CliIo } from '../../terminal/io.ts';
import { Progress } from '../../terminal/progress.ts';
import { temporaryName } from '../../tickets/files.ts';
import { auditEntryOf, COMMAND_LINE } from '../actor.ts';
import { sitesToAsk } from '../sites/asked-events.ts';
import { isSiteStore } from '../sites/site-records.ts';
import { zoneOf } from '../time-zone.ts';
import {
  type BackupContents,
  CLOSED_FILES,
  CONTENTS_NAME,
  type FileEngine,
  foreignArchive,
  readArchive,
  readContents,
  SITE_NAMES,
  type SitePaths,
  storeNames,
} from './sealed-archive.ts';

/** A backup, and its destination. */
export interface BackupSource {
  readonly io: CliIo;
  /** The path that the user gave, made absolute. */
  readonly backup: string;
  readonly kind: FileKind;
  /** Opens an encrypted backup. */
  readonly decrypter: Decrypter | undefined;
  /** The address of the place for it. */
  readonly url: string;
  readonly engine: FileEngine;
  /** Where the files of the store are until they are verified. */
  readonly staged: string;
  /** Where the keyring and the certificate will be; until then they are beside these places. */
  readonly site: SitePaths;
}

/** A backup that was copied to where it will be used, and is sound. */
export interface StagedBackup {
  readonly report: VerifyReport;
  readonly newest: LogEntry | undefined;
  /** A ticket that the keyring has to verify, if there is one. */
  readonly firstTicket: Ticket | undefined;
  /** How many sites are asked for their events, if it is that of a centre. */
  readonly sites: number;
  /** The time zone in which its times are shown: that of its organisation, if it has one. */
  readonly zone: string;
  /** The other files of a site; none in a plain backup. */
  readonly site: Partial<SitePaths>;
}

/**
 * Locks the files of a store for this program alone.
 * @throws TicketscanError `store_busy` while another program uses it
 */
export function lockStore(url: string): LockedStore {
  const address = parseStoreUrl(url);
  if (!('path' in address)) throw new Error('Only a store in files can be locked.');
  refuseOtherThanFile(address.path);
  return address.engine === 'json' ? lockFiles(address.path) : lockDatabase(address.path);
}

/**
 * @param path of the store
 * @throws TicketscanError `usage` for a file that is no backup, or not of this kind of store
 */
export function kindOfBackup(
  backup: string,
  { url, engine, path }: { url: string; engine: FileEngine; path: string },
): FileKind {
  if (!existsSync(backup))
    throw new TicketscanError('usage', `The file ${backup} does not exist. Check the path.`);
  // The file is read twice: first to find its kind, then as a whole.
  const found = statSync(backup);
  if (!found.isFile() && !found.isDirectory())
    throw Object.assign(new Error('no regular file'), { code: 'ERR_NOT_REGULAR' });
  if (path === backup)
    throw new TicketscanError('usage', `${backup} is the store itself. Name a backup.`);
  const kind = kindOfFile(backup);
  if (kind === undefined) {
    throw new TicketscanError(
      'usage',
      `${backup} is not a backup: it is neither a SQLite database, nor the document of a JSON store, nor an encrypted backup. Name another file; ticketscan store backup makes one.`,
    );
  }
  if (kind !== 'sqlite' && kind !== 'json') return kind;
  const copy = `, or copy it into an empty store: ticketscan store copy ${kind}:${backup} ${url}`;
  requireEngine(kind, { url, engine }, `${backup} is a ${kind} store`, copy);
  return kind;
}

/** @param what says which kind of store was found */
function requireEngine(
  found: FileEngine,
  { url, engine }: Pick<BackupSource, 'url' | 'engine'>,
  what: string,
  otherWay: string,
): void {
  if (found === engine) return;
  throw new TicketscanError(
    'usage',
    `${what}, and ${describeStoreUrl(url)} is another kind of store. Name the place with --store ${found}:PATH${otherWay}`,
  );
}

/**
 * Brings a backup beside the place of the store, verifies it, and records that it was restored. Changes nothing else.
 * @throws TicketscanError that names the backup, and no temporary file
 */
export async function stageBackup(source: BackupSource): Promise<StagedBackup> {
  const progress = new Progress(source.io, systemClock.monotonicMs);
  try {
    const isPlain = source.kind === 'sqlite' || source.kind === 'json';
    const site = isPlain ? await copyFiles(source, progress) : await unpack(source, progress);
    progress.clear();
    return { ...(await verifyStaged(source)), site };
  } catch (error) {
    throw stagingFailure(source, error);
  } finally {
    progress.clear();
  }
}

async function copyFiles(
  { engine, backup, staged }: BackupSource,
  progress: Progress,
): Promise<Partial<SitePaths>> {
  refuseUnfinished(engine, backup);
  // A document alone is a whole store.
  const ends = CLOSED_FILES[engine].filter((end) => existsSync(`${backup}${end}`));
  const sizes = ends.map((end) => statSync(`${backup}${end}`).size);
  progress.begin(
    'copying bytes',
    sizes.reduce((sum, size) => sum + size),
  );
  let copied = 0;
  const counting = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      copied += chunk.length;
      progress.update(copied);
      yield chunk;
    }
  };
  for (const end of ends) {
    createTemporary(`${staged}${end}`);
    const target = createWriteStream(`${staged}${end}`, { flags: 'r+', flush: true });
    await pipeline(createReadStream(`${backup}${end}`), counting, target);
  }
  return {};
}

/** @throws TicketscanError `usage` for files that are no backup */
function refuseUnfinished(engine: FileEngine, backup: string): void {
  const database = engine === 'json' ? `${backup}.db` : backup;
  const wal = statSync(`${database}-wal`, { throwIfNoEntry: false });
  if (wal && wal.size > 0) {
    const advice = engine === 'json' ? ' --encrypt' : '';
    throw new TicketscanError(
      'usage',
      `${database}-wal holds a part of ${backup}, which is in use or was not closed. Make a backup of it first: ` +
        `ticketscan store backup FILE${advice} --store ${engine}:${backup}`,
    );
  }
}

/** Unpacks an encrypted backup beside the places of its files, and verifies every byte of it. */
async function unpack(source: BackupSource, progress: Progress): Promise<Partial<SitePaths>> {
  const { backup, decrypter, engine, staged, url } = source;
  const places = placesOf(source);
  const found = new Set<string>();
  let contents: BackupContents | undefined;
  const take = async (name: string, bytes: Readable) => {
    if (!contents) {
      if (name !== CONTENTS_NAME) throw foreignArchive(backup);
      const read = readContents(await text(bounded(bytes, CONTENTS_BYTES_MAX, backup)), backup);
      const move = `. To move the data afterwards: ticketscan store copy ${read.engine}:PATH ${describeStoreUrl(url)}`;
      requireEngine(read.engine, source, `${backup} has a ${read.engine} store in it`, move);
      // The progress begins here, because a passphrase takes a second before the first byte.
      progress.begin('reading bytes', statSync(backup).size);
      contents = read;
      return;
    }
    const place = places.get(name);
    if (!place || found.has(name)) throw foreignArchive(backup);
    found.add(name);
    const isOfSite = !storeNames(engine).includes(name);
    await writeNew(place, isOfSite ? bounded(bytes, SITE_BYTES_MAX, backup) : bytes);
  };
  const onProgress = (bytes: number) => {
    if (contents) progress.update(bytes);
  };
  await readArchive(backup, decrypter, take, onProgress);
  const isComplete = contents?.files.every((name) => found.has(name)) ?? false;
  const hasStore = storeNames(engine).every((name) => found.has(name));
  // An empty file would be opened as a store without tickets.
  if (!isComplete || !hasStore || kindOfFile(staged) !== engine) throw foreignArchive(backup);
  const site = stagedSite(source.site, found);
  checkSite(site, backup);
  return site;
}

/** The most bytes of the description in a backup, and of each of its keys and certificates: they have a few kilobytes. */
const CONTENTS_BYTES_MAX = 64 * 1024;
const SITE_BYTES_MAX = 1024 * 1024;

/** The bytes of a part that is small in every backup. @throws TicketscanError for one that is not */
function bounded(bytes: Readable, bytesMax: number, backup: string): Readable {
  const counting = async function* () {
    let count = 0;
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      count += chunk.length;
      if (count > bytesMax) throw foreignArchive(backup);
      yield chunk;
    }
  };
  return Readable.from(counting());
}

/** Checks the certificate before anything is replaced: a server cannot start with one that is damaged. */
function checkSite({ cert, key }: Partial<SitePaths>, backup: string): void {
  if (cert === undefined || key === undefined) return;
  try {
    createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
  } catch (error) {
    throw new TicketscanError(
      'store_damaged',
      `The certificate in ${backup} cannot be used (${messageOf(error)}). Nothing was changed; use another backup.`,
      { cause: error },
    );
  }
}

interface Place {
  readonly path: string;
  /** The file that it will be, whose owner it gets. */
  readonly future: string;
  readonly mode: number;
}

const READABLE = 0o644;

/** The places of the files by their names in the archive. */
function placesOf({ engine, staged, site }: BackupSource): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [index, name] of storeNames(engine).entries()) {
    const path = `${staged}${CLOSED_FILES[engine][index]}`;
    places.set(name, { path, future: path, mode: OWNER_ONLY });
  }
  for (const part of ['keyring', 'key', 'cert'] as const) {
    const mode = part === 'cert' ? READABLE : OWNER_ONLY;
    const future = site[part];
    places.set(SITE_NAMES[part], { path: temporaryName(future), future, mode });
  }
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

/** A certificate is of use with its key only. */
function stagedSite(site: SitePaths, found: ReadonlySet<string>): Partial<SitePaths> {
  const { keyring, cert, key } = SITE_NAMES;
  return {
    ...(found.has(keyring) && { keyring: temporaryName(site.keyring) }),
    ...(found.has(cert) &&
      found.has(key) && { cert: temporaryName(site.cert), key: temporaryName(site.key) }),
  };
}

/** Opens the copy of a backup, which brings it to the current format, and verifies it. */
async function verifyStaged({
  engine,
  staged,
  backup,
}: BackupSource): Promise<Omit<StagedBackup, 'site'>> {
  const database = engine === 'json' ? `${staged}.db` : staged;
  const foreign = existsSync(database) ? foreignSchemaOf(database) : undefined;
  if (foreign !== undefined)
    throw new TicketscanError(
      'store_damaged',
      `The backup is not sound: it has a ${foreign}, which no store has. Nothing was changed; use another backup.`,
    );
  const store = await openStore(`${engine}:${staged}`);
  try {
    const report = await store.verify();
    const [problem] = report.problems;
    if (problem !== undefined) {
      throw new TicketscanError(
        'store_damaged',
        `The backup is not sound: ${problem} Nothing was changed; use another backup.`,
      );
    }
    const [newest] = await store.readLog({ limit: 1 });
    const [firstTicket] = (await isSiteStore(store)) ? [] : await store.listTickets({ limit: 1 });
    const details = { backup: basename(backup) };
    const change = { act: 'store.restore', subject: '', organisationId: null, details };
    await store.write({ audit: [auditEntryOf(COMMAND_LINE, systemClock, change)] });
    await store.forgetSite();
    const sites = await sitesToAsk(store);
    return { report, newest, firstTicket, sites, zone: await zoneOf(store) };
  } finally {
    await store.close();
    for (const end of CLOSED_FILES[engine]) await syncPath(`${staged}${end}`);
    await syncPath(dirname(staged));
  }
}

function stagingFailure({ backup, staged }: BackupSource, error: unknown): unknown {
  if (error instanceof TicketscanError) {
    const message = error.message.replaceAll(staged, backup);
    return new TicketscanError(error.code, message, { cause: error });
  }
  const why = knownFileFailure(error);
  if (why === undefined) return error;
  const { path } = error as NodeJS.ErrnoException;
  const isOfBackup = path === backup || path === `${backup}.db`;
  const where = isOfBackup ? path : `The backup cannot be copied into ${dirname(staged)}`;
  return new TicketscanError('usage', `${where}: ${why}. Nothing was changed.`, { cause: error });
}

/** Removes the remains of a copy, used or not. */
export function removeStaged({ staged, site }: Pick<BackupSource, 'staged' | 'site'>): void {
  for (const end of ['', '.lock', '-wal', '-shm', '.db', '.db-wal', '.db-shm'])
    rmSync(`${staged}${end}`, { force: true });
  for (const file of [staged, `${staged}.db`])
    for (const copy of copiesBeforeMigration(file)) rmSync(copy, { force: true });
  for (const path of Object.values(site)) rmSync(temporaryName(path), { force: true });
}
