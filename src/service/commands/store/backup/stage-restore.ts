import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Decrypter } from 'age-encryption';
import { systemClock } from '../../../../config/system-clock.ts';
import { TicketscanError } from '../../../../core/errors.ts';
import { knownFileFailure } from '../../../../kit/failures.ts';
import type { CliIo } from '../../../../terminal/io.ts';
import { Progress } from '../../../../terminal/progress.ts';
import { auditEntryOf, COMMAND_LINE } from '../../../manage/actor.ts';
import { describeStoreUrl } from '../../../stores/open-store.ts';
import { type FileKind, kindOfFile } from '../../../stores/restore/found-files.ts';
import {
  copyBackup,
  type FileEngine,
  type StagedBackup,
  sizeOfBackup,
  verifyStaged,
} from '../../../stores/restore/stage-backup.ts';
import { sitePaths } from './site-files.ts';
import { type StagedSite, unpackSealed } from './unpack-sealed.ts';

/** A backup, and where it goes. */
export interface RestoreSource {
  readonly io: CliIo;
  /** The path that the user gave, made absolute. */
  readonly backup: string;
  readonly kind: FileKind;
  /** What opens an encrypted one. */
  readonly decrypter: Decrypter | undefined;
  readonly url: string;
  readonly engine: FileEngine;
  readonly staged: string;
  readonly keyring: string;
}

export interface Staged {
  readonly found: StagedBackup;
  /** The files of a site; none in a plain backup. */
  readonly site: StagedSite;
}

/**
 * @param path of the store
 * @throws TicketscanError `usage` for a file that is no backup, or not of this engine
 */
export function kindOfBackup(
  backup: string,
  { url, engine, path }: { url: string; engine: FileEngine; path: string },
): FileKind {
  if (!existsSync(backup)) throw new TicketscanError('usage', `${backup} does not exist.`);
  if (path === backup)
    throw new TicketscanError('usage', `${backup} is the store itself. Name a backup.`);
  const kind = kindOfFile(backup);
  if (kind === undefined) {
    throw new TicketscanError(
      'usage',
      `${backup} is not a backup: it is neither a SQLite database, nor the document of a JSON store, nor an encrypted backup.`,
    );
  }
  if (kind === 'sqlite' || kind === 'json') requireEngine(kind, backup, { url, engine });
  return kind;
}

function requireEngine(
  found: FileEngine,
  backup: string,
  { url, engine }: { url: string; engine: FileEngine },
): void {
  if (found === engine) return;
  throw new TicketscanError(
    'usage',
    `${backup} is a ${found} store, and ${describeStoreUrl(url)} is another engine. Name the place with --store ${found}:PATH, ` +
      `or copy it into an empty store: ticketscan store copy ${found}:${backup} ${url}`,
  );
}

function requireSealedEngine(found: FileEngine, { backup, url, engine }: RestoreSource): void {
  if (found === engine) return;
  throw new TicketscanError(
    'usage',
    `${backup} has a ${found} store in it, and ${describeStoreUrl(url)} is another engine. Name the place with --store ${found}:PATH. ` +
      `To move the data afterwards: ticketscan store copy ${found}:PATH ${describeStoreUrl(url)}`,
  );
}

/**
 * Brings a backup beside the place of the store, verifies and audits it. Changes nothing else.
 * @throws TicketscanError that names the backup, and no temporary file
 */
export async function stage(source: RestoreSource): Promise<Staged> {
  const { backup, engine, staged } = source;
  try {
    const site = await bring(source);
    const details = { backup: basename(backup) };
    const change = { act: 'store.restore', subject: '', organisationId: null, details };
    const found = await verifyStaged(
      engine,
      staged,
      auditEntryOf(COMMAND_LINE, systemClock, change),
    );
    return { found, site };
  } catch (error) {
    throw stagingFailure(source, error);
  }
}

async function bring(source: RestoreSource): Promise<StagedSite> {
  const { io, backup, kind, engine, staged, keyring, decrypter } = source;
  const progress = new Progress(io, systemClock.monotonicMs);
  let isBegun = false;
  const begin = (what: string, bytes: number) => {
    progress.begin(what, bytes);
    isBegun = true;
  };
  const onProgress = (bytes: number) => {
    if (isBegun) progress.update(bytes);
  };
  try {
    if (kind === 'sqlite' || kind === 'json') {
      begin('copying bytes', sizeOfBackup(engine, backup));
      await copyBackup(engine, backup, staged, onProgress);
      return {};
    }
    const accept = ({ engine: found }: { engine: FileEngine }) => {
      requireSealedEngine(found, source);
      // Only now: a passphrase takes a second before the first byte.
      begin('reading bytes', statSync(backup).size);
    };
    const site = sitePaths(keyring);
    return await unpackSealed({ file: backup, decrypter, staged, site, accept, onProgress });
  } finally {
    progress.clear();
  }
}

function stagingFailure({ backup, staged }: RestoreSource, error: unknown): unknown {
  if (error instanceof TicketscanError) {
    const message = error.message.replaceAll(staged, backup);
    return new TicketscanError(error.code, message, { cause: error });
  }
  const why = knownFileFailure(error);
  if (why === undefined) return error;
  const { path } = error as NodeJS.ErrnoException;
  const isOfBackup = path === backup || path === `${backup}.log`;
  const where = isOfBackup ? path : `The backup cannot be copied into ${dirname(staged)}`;
  return new TicketscanError('usage', `${where}: ${why}. Nothing was changed.`, { cause: error });
}
