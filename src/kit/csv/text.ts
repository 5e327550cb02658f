/** How a CSV file is written. */
export interface CsvDialect {
  readonly separator: ',' | ';';
  /** A byte-order mark, without which Excel takes UTF-8 for something else. */
  readonly mark: boolean;
  /** Whether a `'` goes in front of what a spreadsheet would take for a formula and calculate. */
  readonly hidesFormulas: boolean;
}

/** For programs: texts as they are. */
export const PLAIN_CSV: CsvDialect = { separator: ',', mark: false, hidesFormulas: false };
/** For people, who open it with whatever they have. */
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
