/** What a page sees of a CSV file before it is sent. */
export interface ListHead {
  readonly encoding: 'utf-8' | 'latin1';
  readonly headings: readonly string[];
  /** The cells of the first row, to tell the columns apart. */
  readonly example: readonly string[];
}

/** Headings are at the beginning, and a spreadsheet's letters soon show its encoding. */
const BYTES_READ = 256 * 1024;
const SEPARATORS = [',', ';', '\t'] as const;
const LABELS = { 'utf-8': 'utf-8', latin1: 'windows-1252' } as const;

/** @param encoding the one that somebody chose; without it, UTF-8 where the bytes are that, else Windows-1252 */
export async function readListHead(file: Blob, encoding?: ListHead['encoding']): Promise<ListHead> {
  const bytes = await file.slice(0, BYTES_READ).arrayBuffer();
  const chosen = encoding ?? (isUtf8(bytes) ? 'utf-8' : 'latin1');
  const [head = '', first = ''] = new TextDecoder(LABELS[chosen])
    .decode(bytes)
    .split(/\r?\n/u)
    .filter((line) => line !== '' && !/^sep=.$/iu.test(line));
  const counts = SEPARATORS.map((separator) => head.split(separator).length);
  const separator = SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
  return {
    encoding: chosen,
    headings: cellsOf(head, separator),
    example: cellsOf(first, separator),
  };
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

/** Separators within quotes belong to a cell; two quotes within quotes are one. */
function cellsOf(line: string, separator: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const [index, letter] of [...line].entries()) {
    const isQuote = letter === '"';
    const isDoubled = isQuote && !isQuoted && index > 0 && line[index - 1] === '"';
    if (isQuote) isQuoted = !isQuoted;
    if (letter === separator && !isQuoted) cells.push('');
    else if (!isQuote || isDoubled) cells[cells.length - 1] += letter;
  }
  return cells.map((cell) => cell.trim());
}
