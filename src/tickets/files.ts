import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync, statSync, type WriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure as reasonOf } from '../kit/failures.ts';
import { OWNER_ONLY, syncPath } from '../kit/files.ts';

/** The name under which a file grows before it is complete. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
}

/** True for the name of a file that was never completed. */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.\d+\.tmp$/u.test(name);
}

/**
 * Writes a file completely or not at all, also after a power cut: it is written under another name, is
 * synced to the disk, and is then renamed.
 * @param write fills the stream; it need not end it
 * @throws TicketscanError `usage` when the file cannot be written; what `write` throws
 */
export async function writeAtomically<Result>(
  path: string,
  write: (stream: WriteStream) => Promise<Result>,
): Promise<Result> {
  const temporary = temporaryName(path);
  const stream = createWriteStream(temporary, { mode: OWNER_ONLY, flush: true });
  const done = finished(stream);
  const failure = new Promise<never>((_resolve, reject) => {
    done.catch(reject);
  });
  try {
    // A stream that failed never drains: waiting for that must not hide the failure.
    const result = await Promise.race([write(stream), failure]);
    stream.end();
    await done;
    await rename(temporary, path);
    await syncPath(dirname(path));
    return result;
  } catch (error) {
    // The first failure of the stream is the cause of later errors; destroying the stream would replace it.
    const cause = stream.errored ?? error;
    stream.destroy();
    await done.catch(() => undefined);
    rmSync(temporary, { force: true });
    throw fileFailure(path, cause);
  }
}

/** Writes and waits while the other side is slow. */
export async function writeSlowly(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** What a person can do about a file that could not be written or read; other errors come back as they are. */
export function fileFailure(path: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'code' in error && typeof error.code === 'string';
  if (!isOfSystem || error instanceof TicketscanError) return error;
  return new TicketscanError('usage', `${path}: ${reasonOf(error)}.`, { cause: error });
}

/**
 * Makes a folder and those above it that are missing. One by one: the recursive call of Node never ends on a path in
 * which folders cannot be made, such as one below /proc.
 * @throws TicketscanError `usage` when it cannot be made, or when a file of that name is there
 */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return;
    throw new TicketscanError('usage', `${folder} is a file, not a folder.`);
  }
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    throw fileFailure(folder, error);
  }
}
