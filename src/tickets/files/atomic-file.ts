import { once } from 'node:events';
import { createWriteStream, rmSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { OWNER_ONLY, syncPath } from '../../kit/files.ts';
import { fileFailure } from './file-failure.ts';

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
