import { messageOf, TicketscanError } from '../../core/errors.ts';
import { readPicture } from '../../kit/bounded-file.ts';
import { fileFailure } from '../files/file-failure.ts';
import { readJpeg, readPng } from './bitmaps.ts';
import { looksLikeBlocks, readBlocks } from './characters.ts';
import { readPdfPages } from './pdf.ts';
import type { PagePicture, Picture } from './picture.ts';
import { readSvg } from './svg.ts';

/** A code drawn in characters is a few kilobytes. */
const TEXT_BYTES_MAX = 256 * 1024;

type Loader = (bytes: Buffer<ArrayBuffer>) => AsyncIterable<PagePicture>;

/** By what a file begins with: extensions lie. */
const KINDS: readonly { name: string; matches: (bytes: Buffer) => boolean; load: Loader }[] = [
  { name: 'PNG', matches: (bytes) => startsWith(bytes, '\x89PNG\r\n'), load: single(readPng) },
  { name: 'JPEG', matches: (bytes) => startsWith(bytes, '\xff\xd8\xff'), load: single(readJpeg) },
  {
    name: 'PDF',
    matches: (bytes) => head(bytes).includes('%PDF-'),
    load: (bytes) => readPdfPages(bytes),
  },
  { name: 'text', matches: isBlocks, load: single(readBlocks) },
  {
    name: 'SVG',
    matches: (bytes) => /<svg[\s>]/i.test(head(bytes)),
    load: single((bytes) => readSvg(bytes)),
  },
];

/**
 * The pictures in an image file, one after the other so that a PDF of many pages needs the memory of one.
 * @throws TicketscanError `usage` when the file cannot be read, is no image or a damaged one
 */
export async function* loadPictures(file: string): AsyncGenerator<PagePicture> {
  const bytes = readBytes(file);
  const kind = KINDS.find(({ matches }) => matches(bytes));
  if (!kind) {
    throw new TicketscanError(
      'usage',
      `${file} is not a PNG, JPEG, SVG or PDF, and not a code drawn in characters.`,
    );
  }
  try {
    yield* kind.load(bytes);
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    const why =
      (error as Error).name === 'RuntimeError' // of WebAssembly
        ? 'it cannot be drawn, or needs more memory than one file is allowed'
        : messageOf(error);
    throw new TicketscanError('usage', `${file} is a damaged ${kind.name}: ${why}.`, {
      cause: error,
    });
  }
}

function readBytes(file: string): Buffer<ArrayBuffer> {
  try {
    return readPicture(file);
  } catch (error) {
    throw fileFailure(file, error);
  }
}

function single(load: (bytes: Buffer<ArrayBuffer>) => Picture | Promise<Picture>): Loader {
  return async function* (bytes) {
    yield { picture: await load(bytes), page: null };
  };
}

function isBlocks(bytes: Buffer): boolean {
  return bytes.length < TEXT_BYTES_MAX && looksLikeBlocks(bytes.toString('utf8'));
}

function startsWith(bytes: Buffer, text: string): boolean {
  return head(bytes).startsWith(text);
}

function head(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 1024);
}
