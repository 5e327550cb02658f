/** How a CSV file is written. */
export interface CsvDialect {
  readonly separator: ',' | ';';
  /** A byte-order mark, without which Excel takes UTF-8 for something else. */
  readonly mark: boolean;
}

export const PLAIN_CSV: CsvDialect = { separator: ',', mark: false };
/** What Excel opens with a double click where the comma is the decimal sign. */
export const EXCEL_CSV: CsvDialect = { separator: ';', mark: true };

/** One line, with its line feed. Cells that need it are quoted (RFC 4180). */
export function csvLine(cells: readonly (string | number | null)[], separator: string): string {
  let line = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) line += separator;
    if (cell !== null) line += quoted(String(cell), separator);
  }
  return `${line}\n`;
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
