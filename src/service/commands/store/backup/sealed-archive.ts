import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Decrypter, Encrypter } from 'age-encryption';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { TicketscanError } from '../../../../core/errors.ts';
import { knownFileFailure } from '../../../../kit/failures.ts';
import { OWNER_ONLY } from '../../../../kit/files.ts';
import { writeAtomically } from '../../../../tickets/files.ts';

/** A file to put into an archive. */
export interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  /** Read when its turn comes. */
  open(): Readable;
}

/**
 * Writes a tar archive that is encrypted in the format of age, a piece at a time, under its name when it is whole.
 * @param onProgress bytes of the archive so far
 * @throws TicketscanError `usage` when the file cannot be written
 */
export async function writeArchive(
  target: string,
  encrypter: Encrypter,
  files: readonly ArchivedFile[],
  onProgress: (bytes: number) => void,
): Promise<void> {
  const { readable, controller } = createTarPacker();
  const sealed = await encrypter.encrypt(readable);
  await writeAtomically(target, async (stream) => {
    const fill = async () => {
      for (const { name, size, open } of files) {
        const header = { name, size, mode: OWNER_ONLY, mtime: new Date() };
        await asWeb(open()).pipeTo(controller.add(header));
      }
      controller.finalize();
    };
    const bytes = withProgress(Readable.fromWeb(sealed as NodeStream<Uint8Array>), onProgress);
    await Promise.all([fill(), pipeline(bytes, stream, { end: false })]);
  });
}

/**
 * Reads an archive a piece at a time. What `take` got is genuine only when this resolves: then all bytes were verified.
 * @param decrypter undefined for an archive that was decrypted before
 * @param take is called for each file in order, and reads its bytes
 * @param onProgress bytes of the file so far
 * @throws TicketscanError `store_damaged` for a file that was cut off or changed, `usage` for another passphrase, identity or content;
 *   what `take` throws, and errors of the system
 */
export async function readArchive(
  path: string,
  decrypter: Decrypter | undefined,
  take: (name: string, bytes: Readable) => Promise<void>,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const file = createReadStream(path);
  const seen = { isGenuine: false };
  try {
    const bytes = asWeb(Readable.from(withProgress(file, onProgress)));
    const plain = decrypter ? noticing(await decrypter.decrypt(bytes), seen) : bytes;
    for await (const { header, body } of plain.pipeThrough(createTarDecoder({ strict: true }))) {
      // A link has no bytes, which a store without tickets would be made of.
      if (header.type !== 'file') throw foreignArchive(path);
      await take(header.name, Readable.fromWeb(body as NodeStream<Uint8Array>));
    }
  } catch (error) {
    throw archiveFailure(path, error, seen.isGenuine);
  } finally {
    file.destroy();
  }
}

async function* withProgress(
  bytes: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    onProgress(count);
    yield chunk;
  }
}

/** The same bytes; notes when the decryption finds that they are not those that were encrypted. */
function noticing(
  plain: ReadableStream<Uint8Array>,
  seen: { isGenuine: boolean },
): ReadableStream<Uint8Array> {
  seen.isGenuine = true;
  const bytes = async function* () {
    try {
      yield* plain;
    } catch (error) {
      seen.isGenuine = false;
      throw error;
    }
  };
  return asWeb(Readable.from(bytes()));
}

function asWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

function archiveFailure(path: string, error: unknown, isGenuine: boolean): unknown {
  if (error instanceof TicketscanError || knownFileFailure(error) !== undefined) return error;
  if (error instanceof Error && /no identity matched/.test(error.message)) {
    return new TicketscanError(
      'usage',
      `${path} cannot be decrypted: it was encrypted with another passphrase or for another recipient, or its first bytes have changed. ` +
        'Nothing was changed.',
      { cause: error },
    );
  }
  if (isGenuine) return foreignArchive(path);
  return new TicketscanError(
    'store_damaged',
    `${path} is damaged: it was cut off, or bytes of it have changed since it was made. Nothing was changed; use another copy of it.`,
    { cause: error },
  );
}

/** An archive that is whole, of something else. */
export function foreignArchive(path: string): TicketscanError {
  return new TicketscanError(
    'usage',
    `${path} is not a backup of ticketscan: it has something else in it. Nothing was changed.`,
  );
}
