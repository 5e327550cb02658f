import { refuse } from '../../core/errors.ts';
import { utf16MarkOf } from '../../kit/utf16.ts';
import { isZip } from '../../kit/workbooks.ts';
import { csvOfWorkbook, type SheetReading } from './workbook.ts';

/** A list as UTF-8 or in one-byte characters, with lines that end in a line feed. */
export interface OpenedText {
  readonly chunks: AsyncIterable<Buffer>;
  /** Whether a mark at its beginning says that it is Unicode: then no encoding is guessed or chosen. */
  readonly isMarked: boolean;
}

/** How many bytes are read to find the kind of a file. */
const HEAD_BYTES = 4 * 1024;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

const UTF8_MARK = [0xef, 0xbb, 0xbf];
/** The marks of UTF-32 in both byte orders; one begins like that of UTF-16. */
const UTF32_MARKS = [
  [0xff, 0xfe, 0, 0],
  [0, 0, 0xfe, 0xff],
];

/** A compound file: an old workbook (`.xls`), or a new one with a password. */
const OLD_WORKBOOK = [0xd0, 0xcf, 0x11, 0xe0];
const WEB_PAGE = /^\s*<(?:!doctype|html|table|\?xml|head|meta|style|body|workbook)/iu;

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/**
 * Reads what Excel calls "Unicode text" (UTF-16 with its mark) as UTF-8, lines that end as on old Macs (CR alone), and a sheet of a
 * workbook as CSV.
 * @param of the name of the file, for messages
 * @param sheet of a workbook
 * @throws TicketscanError `usage` for a file that is no list: an old workbook, a web page, UTF-32, UTF-16 without its mark
 */
export async function openText(
  of: string,
  source: AsyncIterable<Buffer>,
  sheet: SheetReading = {},
): Promise<OpenedText> {
  const { worksheet } = sheet;
  const rest = source[Symbol.asyncIterator]();
  const head = await firstBytes(rest);
  if (isZip(head)) {
    return { chunks: csvOfWorkbook(startingWith(head, rest), sheet), isMarked: true };
  }
  if (worksheet !== undefined) throw refuse('list_no_workbook', { name: worksheet }, { of });
  if (UTF32_MARKS.some((mark) => beginsWith(head, mark))) throw refuse('list_utf32', {}, { of });
  const utf16 = utf16MarkOf(head);
  if (!utf16) refuseOtherThanText(of, head);
  const whole = startingWith(head, rest);
  const text = utf16 ? fromUtf16(whole, utf16) : whole;
  const start = utf16 ? Buffer.from(new TextDecoder(utf16).decode(head)) : head;
  const chunks = hasReturnsOnly(start) ? withLineFeeds(text) : text;
  return { chunks, isMarked: utf16 !== undefined || beginsWith(head, UTF8_MARK) };
}

/** Reads at least `HEAD_BYTES`, or all there are. */
async function firstBytes(rest: AsyncIterator<Buffer>): Promise<Buffer> {
  const taken: Buffer[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const { done, value } = await rest.next();
    if (done) break;
    taken.push(value);
    bytes += value.length;
  }
  return Buffer.concat(taken);
}

async function* startingWith(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function refuseOtherThanText(of: string, head: Buffer): void {
  if (beginsWith(head, OLD_WORKBOOK)) throw refuse('list_workbook', {}, { of });
  const start = head.subarray(0, HEAD_BYTES);
  if (WEB_PAGE.test(start.toString('latin1').replace(/^ï»¿/u, ''))) {
    throw refuse('list_web_page', {}, { of });
  }
  if (start.includes(0) || start.toString('latin1').startsWith('%PDF-')) {
    throw refuse('list_no_text', {}, { of });
  }
}

async function* fromUtf16(
  chunks: AsyncIterable<Buffer>,
  encoding: 'utf-16le' | 'utf-16be',
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** A CR that is the last byte may be followed by its line feed. */
function hasReturnsOnly(head: Buffer): boolean {
  const first = head.indexOf(RETURN);
  return first >= 0 && first < head.length - 1 && !head.includes(LINE_FEED);
}

async function* withLineFeeds(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield Buffer.from(chunk.map((byte) => (byte === RETURN ? LINE_FEED : byte)));
  }
}
