import { csvRecords } from '../../kit/csv.ts';
import { utf16MarkOf } from '../../kit/utf16.ts';

/** What a page sees of a CSV file before it is sent. */
export interface ListHead {
  readonly encoding: 'utf-8' | 'latin1';
  readonly headings: readonly string[];
  /** The cells of the first row, to tell the columns apart. */
  readonly example: readonly string[];
}

/** Headings are at the beginning, and a spreadsheet's letters soon show its encoding. */
const BYTES_READ = 256 * 1024;
const LABELS = { 'utf-8': 'utf-8', latin1: 'windows-1252' } as const;

/** @param encoding the one that somebody chose; without it, UTF-8 where the bytes are that, else Windows-1252 */
export async function readListHead(file: Blob, encoding?: ListHead['encoding']): Promise<ListHead> {
  const bytes = await file.slice(0, BYTES_READ).arrayBuffer();
  const isMarked = utf16MarkOf(new Uint8Array(bytes)) !== undefined;
  const chosen = encoding ?? (isMarked || isUtf8(bytes) ? 'utf-8' : 'latin1');
  const rows: string[][] = [];
  for await (const record of csvRecords(linesOf(decoded(bytes, chosen)))) {
    rows.push('cells' in record ? record.cells.map((cell) => cell.trim()) : []);
    if (rows.length === 2) break;
  }
  const [headings = [], example = []] = rows;
  return { encoding: chosen, headings, example };
}

/** The whole list as text. @param encoding of CSV */
export async function listText(file: Blob, encoding: ListHead['encoding']): Promise<string> {
  return decoded(await file.arrayBuffer(), encoding);
}

/** A mark at the beginning comes before the encoding. */
function decoded(bytes: ArrayBuffer, encoding: ListHead['encoding']): string {
  return new TextDecoder(utf16MarkOf(new Uint8Array(bytes)) ?? LABELS[encoding]).decode(bytes);
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split(text.includes('\n') ? '\n' : '\r');
}

/** Whether the tickets of a list exist already: then it has their ids. */
export function hasTicketIds(headings: readonly string[]): boolean {
  return headings.some((heading) => /^(ticket.?)?(id|kennung|nummer)$/iu.test(heading.trim()));
}

/** A character that the end of the part cuts is no fault. */
function isUtf8(bytes: ArrayBuffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
