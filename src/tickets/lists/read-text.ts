import { isAscii, isUtf8 } from 'node:buffer';
import { refuse } from '../../core/errors.ts';
import { piecesOf } from '../../kit/pipes.ts';
import { fileError } from '../files.ts';
import { looksGarbled } from './garbled.ts';
import { openText } from './text-source.ts';
import type { SheetReading } from './workbook.ts';

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * How bytes are read as text. `latin1` is Windows-1252, as everywhere on the web; `auto` is UTF-8 unless the first characters
 * beyond ASCII are not.
 */
export const ENCODINGS = ['utf-8', 'latin1', 'auto'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Text in bytes that do not come from a file, with a name for messages. */
export interface ByteSource {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** A longer line is refused: it would be kept in memory as a whole. */
  readonly lineBytesMax: number;
  /** More lines are refused, also empty ones: each takes time. */
  readonly linesMax: number;
}

/** Windows-1252 was guessed: the first line whose letters depend on it. */
export interface Guess {
  readonly line: number;
  readonly text: string;
}

/** The options for reading a file as text. */
export interface TextReading extends SheetReading {
  readonly encoding?: Encoding | undefined;
  /** Called when `auto` decides for Windows-1252. */
  readonly onGuess?: ((guess: Guess) => void) | undefined;
}

/**
 * A text file in pieces of whole lines, without its byte-order mark. A mark at its beginning comes before the encoding that was
 * chosen: UTF-16 is read as well.
 * @throws TicketscanError `usage` when it cannot be read, where it is not UTF-8, by line, for a line that is too long, and for a
 *   file that is no text
 */
async function* readText(
  source: string | ByteSource,
  { encoding = 'utf-8', worksheet, onSheet, onGuess = () => undefined }: TextReading,
): AsyncGenerator<string> {
  const file = typeof source === 'string' ? source : source.name;
  let isFirst = true;
  const { chunks, isMarked } = await openText(file, chunksOf(source), { worksheet, onSheet });
  const textOf = textReader(file, { encoding, isMarked, onGuess });
  for await (const bytes of wholeLines(source, file, chunks)) {
    const text = textOf(bytes);
    yield isFirst ? withoutMark(text) : text;
    isFirst = false;
  }
}

interface ReadingText {
  readonly encoding: Encoding;
  readonly isMarked: boolean;
  readonly onGuess: (guess: Guess) => void;
}

/** Reads one piece after the other. */
function textReader(file: string, { encoding, isMarked, onGuess }: ReadingText) {
  let lines = 0;
  let known = isMarked ? 'utf-8' : encoding;
  return (bytes: Buffer): string => {
    if (known === 'auto') {
      known = encodingOf(bytes) ?? 'auto';
      if (known === 'latin1') onGuess(firstGuess(bytes, lines));
    }
    const isWindows = known === 'latin1';
    const text = isWindows ? WINDOWS_1252.decode(bytes) : decoded(bytes, file, lines, isMarked);
    lines += countLines(bytes);
    return text;
  };
}

/** Looks at each byte once, however long a line is. The last piece may lack its line feed; none is empty. */
async function* wholeLines(
  source: string | ByteSource,
  file: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const { lineBytesMax, linesMax } = typeof source === 'string' ? OF_FILES : source;
  let line = 1;
  /** The beginning of a line that no chunk has ended yet. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of chunks) {
    const firstEnd = chunk.indexOf(LINE_FEED);
    begunBytes += firstEnd < 0 ? chunk.length : firstEnd;
    if (begunBytes > lineBytesMax) {
      throw refuse('list_line_too_long', { line, max: lineBytesMax }, { of: file });
    }
    if (line > linesMax) throw refuse('list_lines_max', { max: linesMax }, { of: file });
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const bytes = Buffer.concat([...begun, chunk.subarray(0, end)]);
      yield bytes;
      line += countLines(bytes);
      begun = [];
      begunBytes = chunk.length - end;
    }
    begun.push(chunk.subarray(end));
  }
  if (begunBytes > 0) yield Buffer.concat(begun);
}

/** No row of a ticket is as long; a line with millions of columns would take gigabytes. */
const OF_FILES = {
  lineBytesMax: 1024 * 1024,
  linesMax: Number.POSITIVE_INFINITY,
};

async function* chunksOf(source: string | ByteSource): AsyncGenerator<Buffer> {
  if (typeof source !== 'string') {
    yield* source.chunks;
    return;
  }
  try {
    yield* piecesOf(source, CHUNK_BYTES);
  } catch (error) {
    throw fileError(source, error);
  }
}

const WINDOWS_1252 = new TextDecoder('windows-1252');

/** Undefined while there are no characters but ASCII, which both read alike. */
function encodingOf(bytes: Buffer): 'utf-8' | 'latin1' | undefined {
  if (isAscii(bytes)) return undefined;
  return isUtf8(bytes) ? 'utf-8' : 'latin1';
}

function firstGuess(bytes: Buffer, linesBefore: number): Guess {
  const lines = WINDOWS_1252.decode(bytes).split('\n');
  const index = lines.findIndex((line) => /[^\0-\u007f]/u.test(line));
  const text = lines[index] ?? '';
  return { line: linesBefore + index + 1, text: text.trim() };
}

/** Whole lines are never cut inside a character, because no other character holds a line feed's byte. */
function decoded(bytes: Buffer, file: string, linesBefore: number, isMarked: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(file, bytes, linesBefore, { cause, isMarked });
  }
}

/**
 * Most files that are not UTF-8 are of a spreadsheet on Windows. Others have bytes that its letters do not have, or words that it does
 * not have: to read those as Windows-1252 would only hide what is wrong.
 */
function notUtf8(
  file: string,
  bytes: Buffer,
  linesBefore: number,
  { cause, isMarked }: { readonly cause: unknown; readonly isMarked: boolean },
) {
  const line = linesBefore + firstBadLine(bytes);
  const isWindows = !isMarked && !looksGarbled(WINDOWS_1252.decode(bytes));
  if (!isWindows) return refuse('list_encoding', { line }, { of: file, cause });
  const detail = 'The option for that is --encoding latin1.';
  return refuse('list_encoding', { line, other: 'Windows-1252' }, { of: file, cause, detail });
}

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  let start = 0;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    try {
      decoder.decode(bytes.subarray(start, end < 0 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end < 0) return line;
    start = end + 1;
    line += 1;
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The lines of a text file without their line feeds. @throws TicketscanError as {@link readText} */
export async function* readLines(
  source: string | ByteSource,
  reading: TextReading = {},
): AsyncGenerator<string> {
  for await (const text of readText(source, reading)) {
    const lines = text.split('\n');
    // A piece ends with a line feed, except the last of a file without one: then the last part is a line.
    if (lines.at(-1) === '') lines.pop();
    yield* lines;
  }
}

/** Refuses a text of a file that was read as a whole, where `readLines` would refuse it. @throws TicketscanError `usage` */
export function refuseLongLines(file: string, text: string): void {
  const { lineBytesMax: max } = OF_FILES;
  let line = 1;
  for (let start = 0; start < text.length; line += 1) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    if (end - start > max) throw refuse('list_line_too_long', { line, max }, { of: file });
    start = end + 1;
  }
}
