import { existsSync, lstatSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkWritable, makeFolder, whileOpen, writeForAll, writeForOwner } from './files.ts';
import { keptKindFrom } from './kept-kinds.ts';

/** What a command may do to a file that its result is written to. */
export interface ResultOptions {
  /** `--force`: a file that exists is replaced, unless it is one that no result may replace. */
  readonly force?: boolean | undefined;
  /** The command has no `--force` that could be offered. */
  readonly cannotForce?: true;
}

const START_BYTES = 64 * 1024;
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
export function refuseReplacing(path: string, { force = false, cannotForce }: ResultOptions): void {
  refuseCompanion(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    if (lstatSync(path, { throwIfNoEntry: false })) throw kept('it is a link that leads nowhere');
    return;
  }
  if (!found.isFile()) return;
  const what = keptKind(path, found);
  if (what !== undefined) throw kept(`it is ${what}, which no result replaces`);
  const offer = cannotForce ? '' : ', or replace it with --force';
  if (!force) throw kept(`it exists already; name another file${offer}`);
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
  return keptKindFrom(start);
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

function kept(why: string): Error {
  return Object.assign(new Error(why), { code: 'ERR_KEPT_FILE' });
}
