import { once } from 'node:events';
import { createWriteStream, rmSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';
import { makeFolder as makeFolderNow, OWNER_ONLY, syncPath } from '../kit/files.ts';
import { openToWrite } from '../kit/pipes.ts';
import { isStreamLike, type ResultOptions, refuseReplacing } from '../kit/result-files.ts';

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
 * synced to the disk, and is then renamed. A device or a pipe gets the bytes as they come.
 * @param write fills the stream; it need not end it
 * @param options by default an earlier result is replaced; a store, keyring, key, configuration or recording never is
 * @throws TicketscanError `usage` when the file cannot be written; what `write` throws
 */
export async function writeAtomically<Result>(
  path: string,
  write: (stream: WriteStream) => Promise<Result>,
  options: ResultOptions = { force: true },
): Promise<Result> {
  forFile(path, () => refuseReplacing(path, options));
  if (isStreamLike(path)) return writeThrough(path, write);
  makeFolder(dirname(path));
  const temporary = temporaryName(path);
  // Never through a link that somebody put there: the name can be guessed.
  rmSync(temporary, { force: true });
  const stream = createWriteStream(temporary, { flags: 'wx', mode: OWNER_ONLY, flush: true });
  const done = finished(stream);
  try {
    const result = await writeAll(stream, done, write);
    await rename(temporary, path);
    await syncPath(dirname(path));
    return result;
  } catch (error) {
    // The first failure of the stream is the cause of later errors; destroying the stream would replace it.
    const cause = stream.errored ?? error;
    stream.destroy();
    await done.catch(() => undefined);
    rmSync(temporary, { force: true });
    throw fileError(path, cause);
  }
}

/** Renaming a file to /dev/stdout would put a file in the place of the device. */
async function writeThrough<Result>(
  path: string,
  write: (stream: WriteStream) => Promise<Result>,
): Promise<Result> {
  try {
    const stream = createWriteStream(path, { fd: openToWrite(path, 'w') });
    return await writeAll(stream, finished(stream), write);
  } catch (error) {
    throw fileError(path, error);
  }
}

/**
 * Writes what `write` gives, and ends the stream.
 * @param done settles with the stream
 */
async function writeAll<Result>(
  stream: WriteStream,
  done: Promise<void>,
  write: (stream: WriteStream) => Promise<Result>,
): Promise<Result> {
  // A stream that failed never drains: waiting for that must not hide the failure.
  const failure = new Promise<never>((_resolve, reject) => {
    done.catch(reject);
  });
  const result = await Promise.race([write(stream), failure]);
  stream.end();
  await done;
  return result;
}

/** Writes and waits while the other side is slow. */
export async function writeSlowly(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** A failure of the system in words, with the path; any other error as it is. */
export function fileError(path: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'code' in error && typeof error.code === 'string';
  if (!isOfSystem || error instanceof TicketscanError) return error;
  return new TicketscanError('usage', `${path}: ${fileFailure(error)}.`, { cause: error });
}

/** Runs `work` on a file or folder. @throws TicketscanError `usage` for a failure of the system; what `work` throws */
export function forFile<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fileError(path, error);
  }
}

/**
 * Makes a folder and those above it that are missing.
 * @throws TicketscanError `usage` when it cannot be made, or when a file of that name is there
 */
export function makeFolder(folder: string): void {
  try {
    makeFolderNow(folder);
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTDIR') throw fileError(path, error);
    throw new TicketscanError('usage', `${path} is a file, not a folder. Name another folder.`, {
      cause: error,
    });
  }
}
