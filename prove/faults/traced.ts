import { join } from 'node:path';
import { SkippedError } from '../part.ts';
import { hasStrace } from '../power-cut/traced-shell.ts';
import type { ProgramPlace } from '../world/program.ts';
import { type Engine, STORE_FILES } from '../world/world.ts';

/** Calls that change the files of a store. */
export const CHANGING_CALLS: Readonly<Record<Engine, string>> = {
  sqlite: 'pwrite64,fsync,fdatasync,ftruncate,unlink',
  json: 'write,pwrite64,fsync,fdatasync,ftruncate,rename,unlink',
};

/**
 * A wrapper that makes calls on the store's own files fail or kills the process at them.
 * @param faults strace's expressions, for example `fsync:error=EIO:when=7`
 * @throws SkippedError without strace
 */
export function injecting(
  place: ProgramPlace,
  engine: Engine,
  faults: readonly string[],
): string[] {
  if (!hasStrace()) throw new SkippedError('strace is not installed');
  const store = join(place.folder, STORE_FILES[engine]);
  const database = engine === 'json' ? `${store}.db` : store;
  // The document, and what is about to take its place; a rename is brought to the disk with its folder.
  const document = engine === 'json' ? [store, `${store}.being-written`, place.folder] : [];
  const paths = [database, `${database}-wal`, ...document];
  return [
    'strace',
    // The tracer steps aside, so that signals reach the server itself.
    '-D',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${CHANGING_CALLS[engine]}`,
    ...paths.flatMap((path) => ['-P', path]),
    ...faults.flatMap((fault) => ['-e', `inject=${fault}`]),
  ];
}

/** strace counts the calls of each thread: with one thread for files, these are all calls. */
export const ONE_FILE_THREAD = { UV_THREADPOOL_SIZE: '1' };
