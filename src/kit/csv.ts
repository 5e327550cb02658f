/** A record of a CSV text, or why the line at which it begins is none. */
export type CsvRecord = { readonly line: number } & (
  | { readonly cells: readonly string[] }
  | QuoteIssue
);

/** What breaks the rules of quotes: one that is never closed, or text behind a closing one. Cells are counted from 1. */
interface QuoteIssue {
  readonly reason: 'row_quote_open' | 'row_quote_end';
  readonly message: string;
  readonly values: { readonly cell: number; readonly text: string };
}

/** A quote that is still open after more of either is one that someone forgot to close. */
const LINES_PER_RECORD_MAX = 100;
const CHARACTERS_PER_RECORD_MAX = 64 * 1024;

/** Excel reads this before the headings, as the name of its separator; programs that quote everything quote it, too. */
const EXCEL_SEPARATOR = /^"?sep=(.)"?[,;\t]*\r?$/i;
const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Cuts lines into the records of RFC 4180: quoted cells hold separators, line breaks and doubled quotes. Comma, semicolon
 * or tab separates, whichever the first line uses. A line that breaks the rules is reported, and reading goes on with the
 * line after it. Empty lines are passed over.
 * @param lines without their line feeds
 */
export async function* csvRecords(lines: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const rest = lines[Symbol.asyncIterator]();
  const first = await rest.next();
  const start = first.done ? '' : first.value;
  const excel = EXCEL_SEPARATOR.exec(start)?.[1];
  const body = startingWith(excel === undefined ? [start] : [], rest);
  yield* recordsOf(body, excel ?? delimiterOf(start), excel === undefined ? 1 : 2);
}

async function* startingWith(
  first: readonly string[],
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  yield* first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** The one that is most often in the headings outside quotes. */
function delimiterOf(headings: string): string {
  const outside = headings.replace(/"[^"]*"/gu, '');
  const counts = DELIMITERS.map((delimiter) => outside.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** @param firstLine the number of the first, as an editor counts */
async function* recordsOf(
  lines: AsyncIterable<string>,
  delimiter: string,
  firstLine: number,
): AsyncGenerator<CsvRecord> {
  let line = firstLine;
  /** Lines of a record whose quote is still open. */
  let open: string[] = [];
  for await (const text of lines) {
    if (open.length === 0 && !text.includes('"')) {
      const whole = withoutReturn(text);
      if (whole !== '') yield { line, cells: whole.split(delimiter) };
      line += 1;
      continue;
    }
    open.push(text);
    if (isOneRecord(open) && endsInsideQuotes(open, delimiter)) continue;
    ({ line, open } = yield* closeRecords(open, line, delimiter, false));
  }
  yield* closeRecords(open, line, delimiter, true);
}

/** Takes what records there are from the held lines; what is still open stays, unless the text is at its end. */
function* closeRecords(
  held: readonly string[],
  firstLine: number,
  delimiter: string,
  isEnd: boolean,
): Generator<CsvRecord, { line: number; open: string[] }> {
  let rest = [...held];
  let line = firstLine;
  while (rest.length > 0) {
    const used = linesOfRecord(rest, delimiter);
    if (used === undefined && !isEnd && isOneRecord(rest)) break;
    const text = withoutReturn(rest.slice(0, used).join('\n'));
    const scanned = cellsOf(text, delimiter);
    if (text !== '') yield { line, ...scanned };
    // After an issue only its first line is given up: what follows may be good rows.
    const taken = 'cells' in scanned ? (used ?? 1) : 1;
    rest = rest.slice(taken);
    line += taken;
  }
  return { line, open: rest };
}

/** Whether lines are few and short enough for a record whose quote is closed on a later line. */
function isOneRecord(lines: readonly string[]): boolean {
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  return lines.length <= LINES_PER_RECORD_MAX && characters <= CHARACTERS_PER_RECORD_MAX;
}

/** How many of the lines the first record takes; undefined when its quote is open after all of them. */
function linesOfRecord(lines: readonly string[], delimiter: string): number | undefined {
  for (let count = 1; count <= lines.length; count += 1) {
    if (!endsInsideQuotes(lines.slice(0, count), delimiter)) return count;
  }
  return undefined;
}

function endsInsideQuotes(lines: readonly string[], delimiter: string): boolean {
  const scanned = cellsOf(lines.join('\n'), delimiter);
  return 'reason' in scanned && scanned.reason === 'row_quote_open';
}

function cellsOf(text: string, delimiter: string): { cells: string[] } | QuoteIssue {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    if (!cell) {
      const message = 'a quote is opened here and never closed';
      return { reason: 'row_quote_open', message, values: { cell: cells.length + 1, text: '"' } };
    }
    cells.push(cell.value);
    if (cell.end >= text.length || (cell.end === text.length - 1 && text[cell.end] === '\r')) {
      return { cells };
    }
    if (text[cell.end] !== delimiter) {
      const behind = text.slice(cell.end, cell.end + 1);
      return {
        reason: 'row_quote_end',
        message: `after the closing quote of cell ${cells.length} comes ${JSON.stringify(behind)}; a quote inside a cell is written twice`,
        values: { cell: cells.length, text: behind },
      };
    }
    at = cell.end + 1;
  }
}

function plainCell(text: string, start: number, delimiter: string): { value: string; end: number } {
  const found = text.indexOf(delimiter, start);
  const end = found < 0 ? text.length : found;
  return { value: text.slice(start, end), end };
}

/** @returns undefined when the text ends before the quote does */
function quotedCell(text: string, start: number): { value: string; end: number } | undefined {
  let at = start + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0) return undefined;
    if (text[at + 1] !== '"') break;
    at += 2;
  }
  return { value: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 };
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** How a CSV file is written. */
export interface CsvDialect {
  readonly separator: ',' | ';';
  /** A byte-order mark, without which Excel takes UTF-8 for something else. */
  readonly mark: boolean;
  /** Whether a `'` goes in front of what a spreadsheet would take for a formula and calculate. */
  readonly hidesFormulas: boolean;
}

/** The dialect for programs: texts stay as they are. */
export const PLAIN_CSV: CsvDialect = { separator: ',', mark: false, hidesFormulas: false };
/** The dialect for people, who open the file with whatever they have. */
export const SHEET_CSV: CsvDialect = { separator: ',', mark: false, hidesFormulas: true };
/** What Excel opens with a double click where the comma is the decimal sign. */
export const EXCEL_CSV: CsvDialect = { separator: ';', mark: true, hidesFormulas: true };

/**
 * Where a spreadsheet would begin a formula. It may split a line at any of these separators, whatever separates the cells,
 * and it passes over blanks and quotes at the beginning of a cell.
 */
const FORMULA = /(?<=^|[;,\t\r\n])(?='*["\p{Zs}]*[=+\-@])|^(?='*[\t\r])/gu;
/** What would lose a `'` in `shownText`, although no formula was hidden. */
const SHOWN_QUOTE = /(?<=^|[;,\t\r\n])'(?='*["\p{Zs}]*[=+\-@])|^'(?='*[\t\r])/gu;
const HIDDEN_FORMULA = /(?<=^|[;,\t\r\n])(?='+["\p{Zs}]*[=+\-@])|^(?='+[\t\r])/gu;

/** One line, with its line feed. Cells that need it are quoted (RFC 4180). */
export function csvLine(
  cells: readonly (string | number | null)[],
  { separator, hidesFormulas }: Pick<CsvDialect, 'separator' | 'hidesFormulas'>,
): string {
  const risky = hidesFormulas ? FORMULA : HIDDEN_FORMULA;
  let line = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) line += separator;
    if (typeof cell === 'number') line += String(cell);
    else if (cell !== null) line += quoted(cell.replace(risky, "'"), separator);
  }
  return `${line}\n`;
}

/** The text of a cell that `csvLine` wrote, in any dialect: without the `'` in front of formulas. */
export function shownText(cell: string): string {
  return cell.replace(SHOWN_QUOTE, '');
}

function quoted(text: string, separator: string): string {
  const isPlain = !(
    text.includes(separator) ||
    text.includes('"') ||
    text.includes('\n') ||
    text.includes('\r')
  );
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
